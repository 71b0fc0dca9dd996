package web

// Tenants returns of how many tenants the queue holds something.
func (q *Queue) Tenants() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines)
}
