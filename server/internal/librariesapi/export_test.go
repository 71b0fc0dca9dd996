package librariesapi

// Networks returns of how many networks the queue holds something.
func (q *Queue) Networks() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines)
}
