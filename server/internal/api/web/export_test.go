package web

import "time"

// Tenants returns the number of tenants that have queries in the queue.
func (q *Queue) Tenants() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines)
}

// SetFrom says that the look-up of a pull has found the snapshot of the answer.
func (s *Snapshots) SetFrom(from time.Time) { s.from = from }
