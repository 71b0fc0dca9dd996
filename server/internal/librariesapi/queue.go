package librariesapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

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
	running int
	waiting []chan struct{} // the first is served next: its channel is closed then
}

// retryAfter is in how many seconds one that found no place may come again (L17).
const retryAfter = 5

var errQueue = &web.Problem{
	Status: http.StatusServiceUnavailable, Message: "too many heavy queries; try again later", RetryAfter: retryAfter,
}

// Enter waits for the turn of a query. The function that it returns ends the query and must be called once. The error
// is a 503 where all places are taken or the turn does not come in time, and that of ctx when it ends first.
func (q *Queue) Enter(ctx context.Context, network libraries.NetworkID) (leave func(), err error) {
	turn, err := q.join(network)
	if err != nil {
		return nil, err
	}
	leave = func() { q.leave(network) }
	if turn == nil {
		return leave, nil
	}
	late := time.NewTimer(q.Wait)
	defer late.Stop()
	select {
	case <-turn:
		return leave, nil
	case <-late.C:
		err = errQueue
	case <-ctx.Done():
		err = ctx.Err()
	}
	if q.withdraw(network, turn) {
		return nil, err
	}
	if ctx.Err() != nil {
		leave()
		return nil, err
	}
	return leave, nil // the turn came at the last moment
}

// join takes a place: one that runs, where turn is nil, or one that waits for its turn.
func (q *Queue) join(network libraries.NetworkID) (turn chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[network]
	switch {
	case l == nil:
		if q.lines == nil {
			q.lines = make(map[libraries.NetworkID]*line)
		}
		q.lines[network] = &line{running: 1}
	case l.running < q.AtATime:
		l.running++
	case len(l.waiting) >= q.Waiting:
		return nil, errQueue
	default:
		turn = make(chan struct{})
		l.waiting = append(l.waiting, turn)
	}
	return turn, nil
}

// leave gives the place of a query that ran to the one that has waited longest.
func (q *Queue) leave(network libraries.NetworkID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[network]
	if len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		return
	}
	l.running--
	if l.running == 0 {
		delete(q.lines, network)
	}
}

// withdraw gives up a place that waits. It reports false where it waits no longer.
func (q *Queue) withdraw(network libraries.NetworkID, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[network]
	if l == nil {
		return false
	}
	i := slices.Index(l.waiting, turn)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}
