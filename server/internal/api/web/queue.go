package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"golang.org/x/sync/semaphore"
)

// Queue bounds how many heavy queries of a tenant run at once in this process, and how many more wait for a slot, first come,
// first served (L17). Tenants do not wait for each other, unless the caller lets all of them enter as one (S10). The queue keeps
// nothing of a tenant without a query.
type Queue struct {
	// AtATime is how many queries of a tenant run at once, at least 1. Waiting is how many more may wait, and Wait is for how long.
	AtATime, Waiting int
	Wait             time.Duration

	mu    sync.Mutex
	lines map[auth.Tenant]*line
}

// line is the queue of one tenant.
type line struct {
	slots *semaphore.Weighted
	in    int // queries that run or wait
}

// retryAfter is the Retry-After of a refused query, in seconds (L17, S10).
const retryAfter = 5

var errQueue = &Problem{
	Status: http.StatusServiceUnavailable, Message: "too many heavy queries; try again later", RetryAfter: retryAfter,
}

// Enter waits for a slot for a query. The caller must call leave once, when the query ends. The error is a 503 if all places are
// taken or no slot is free in time.
func (q *Queue) Enter(ctx context.Context, t auth.Tenant) (leave func(), err error) {
	l := q.join(t)
	if l == nil {
		return nil, errQueue
	}
	waiting, cancel := context.WithTimeout(ctx, q.Wait)
	defer cancel()
	if l.slots.TryAcquire(1) || l.slots.Acquire(waiting, 1) == nil {
		return func() {
			q.leave(t, l) // first: a query that enters now finds the place
			l.slots.Release(1)
		}, nil
	}
	q.leave(t, l)
	return nil, errQueue
}

// join takes a place in a tenant's line; it returns nil if all are taken.
func (q *Queue) join(t auth.Tenant) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[t]
	if l == nil {
		if q.lines == nil {
			q.lines = make(map[auth.Tenant]*line)
		}
		l = &line{slots: semaphore.NewWeighted(int64(q.AtATime))}
		q.lines[t] = l
	}
	if l.in == q.AtATime+q.Waiting {
		return nil
	}
	l.in++
	return l
}

// leave gives a place back.
func (q *Queue) leave(t auth.Tenant, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.in--; l.in == 0 {
		delete(q.lines, t)
	}
}
