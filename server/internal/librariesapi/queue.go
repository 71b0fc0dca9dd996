package librariesapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// Queue bounds how many heavy queries of one library network run at once in this process, and how many more wait for
// their turn, first come, first served (L17). Networks do not wait for each other. It holds nothing of a network that
// has no query.
type Queue struct {
	// AtATime is how many queries of a network run at once, at least 1; Waiting is how many may wait, and Wait for how long.
	AtATime, Waiting int
	Wait             time.Duration

	mu    sync.Mutex
	lines map[libraries.NetworkID]*line
}

// line is the queue of one network.
type line struct {
	turns *semaphore.Weighted
	in    int // queries that run or wait
}

// retryAfter is in how many seconds one that found no place may come again (L17).
const retryAfter = 5

var errQueue = &web.Problem{
	Status: http.StatusServiceUnavailable, Message: "too many heavy queries; try again later", RetryAfter: retryAfter,
}

// Enter waits for the turn of a query. The function that it returns ends the query and must be called once. The error
// is a 503 where all places are taken or the turn does not come in time.
func (q *Queue) Enter(ctx context.Context, network libraries.NetworkID) (leave func(), err error) {
	l := q.join(network)
	if l == nil {
		return nil, errQueue
	}
	turn, cancel := context.WithTimeout(ctx, q.Wait)
	defer cancel()
	if l.turns.TryAcquire(1) || l.turns.Acquire(turn, 1) == nil {
		return func() {
			q.leave(network, l) // first: who comes now finds the place
			l.turns.Release(1)
		}, nil
	}
	q.leave(network, l)
	return nil, errQueue
}

// join takes a place in the line of a network, or none where all are taken.
func (q *Queue) join(network libraries.NetworkID) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[network]
	if l == nil {
		if q.lines == nil {
			q.lines = make(map[libraries.NetworkID]*line)
		}
		l = &line{turns: semaphore.NewWeighted(int64(q.AtATime))}
		q.lines[network] = l
	}
	if l.in == q.AtATime+q.Waiting {
		return nil
	}
	l.in++
	return l
}

// leave gives a place back.
func (q *Queue) leave(network libraries.NetworkID, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.in--; l.in == 0 {
		delete(q.lines, network)
	}
}
