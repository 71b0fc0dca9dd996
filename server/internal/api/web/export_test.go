package web

// Tenants returns the number of tenants that have queries in the queue.
func (q *Queue) Tenants() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines)
}
