package web_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// entrant is a query of tenant 1 in the queue.
type entrant struct {
	cancel context.CancelFunc
	end    chan struct{} // the test closes it to end the query
	result chan error    // of Enter
}

// enter sends a query to a queue on its own goroutine, and returns when the query runs, waits or is refused.
func enter(t *testing.T, q *web.Queue) *entrant {
	ctx, cancel := context.WithCancel(t.Context())
	e := &entrant{cancel, make(chan struct{}), make(chan error, 1)}
	go func() {
		leave, err := q.Enter(ctx, 1)
		e.result <- err
		if err == nil {
			<-e.end
			leave()
		}
	}()
	synctest.Wait()
	return e
}

// check checks whether a query runs, waits or was refused with an error, once all goroutines are blocked.
func (e *entrant) check(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	got := "waits"
	select {
	case err := <-e.result:
		e.result <- err
		if got = "runs"; err != nil {
			got = err.Error()
		}
	default:
	}
	if got != want {
		t.Errorf("query status = %s, want %s", got, want)
	}
}

const busy = "503 too many heavy queries; try again later"

// TestQueueOneAndOne tests --users-queue 1,1,5s: one query runs, one waits, and the third is refused.
func TestQueueOneAndOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 1, Waiting: 1, Wait: 5 * time.Second}
		first := enter(t, q)
		second := enter(t, q)
		third := enter(t, q)
		first.check(t, "runs")
		second.check(t, "waits")
		third.check(t, busy)
		close(first.end)
		second.check(t, "runs")
		fourth := enter(t, q)
		fourth.check(t, "waits")
		close(second.end)
		close(fourth.end)
		fourth.check(t, "runs")
	})
}

func TestQueueWaitsSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 1, Waiting: 1, Wait: 5 * time.Second}
		first, second := enter(t, q), enter(t, q)
		time.Sleep(5*time.Second - 1)
		second.check(t, "waits")
		time.Sleep(time.Nanosecond)
		second.check(t, busy)
		third := enter(t, q) // the place is free again
		third.check(t, "waits")
		close(first.end)
		third.check(t, "runs")
		close(third.end)
	})
}

func TestQueueFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 2, Waiting: 3, Wait: time.Minute}
		var all []*entrant
		for range 5 {
			all = append(all, enter(t, q))
		}
		enter(t, q).check(t, busy)
		for i, e := range all {
			e.check(t, "runs")
			if i+2 < len(all) {
				all[i+2].check(t, "waits")
			}
			close(e.end)
		}
	})
}

// TestQueueTimeIsOver tests that a request whose context ends frees its place, also in the middle of the line.
func TestQueueTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 1, Waiting: 2, Wait: time.Minute}
		first, second, third := enter(t, q), enter(t, q), enter(t, q)
		second.cancel()
		second.check(t, busy)
		fourth := enter(t, q)
		fourth.check(t, "waits")
		close(first.end)
		third.check(t, "runs")
		fourth.check(t, "waits")
		close(third.end)
		fourth.check(t, "runs")
		close(fourth.end)
	})
}

func TestQueueTenantsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 1, Waiting: 0, Wait: time.Minute}
		e := enter(t, q)
		leave, err := q.Enter(t.Context(), 2)
		if err != nil {
			t.Fatalf("another tenant = %v, want it to run", err)
		}
		leave()
		close(e.end)
	})
}

// TestQueueLeavesNothing tests that the queue keeps nothing of a tenant without queries.
func TestQueueLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &web.Queue{AtATime: 1, Waiting: 1, Wait: time.Second}
		first, second := enter(t, q), enter(t, q)
		if got := q.Tenants(); got != 1 {
			t.Errorf("tenants = %d, want 1", got)
		}
		second.cancel()
		synctest.Wait()
		close(first.end)
		synctest.Wait()
		if got := q.Tenants(); got != 0 {
			t.Errorf("tenants after the last query = %d, want none", got)
		}
	})
}

// TestQueueLosesNoPlace tests that no more queries run at once than allowed and that no place stays taken, in whatever
// order slots, timeouts and cancellations come.
func TestQueueLosesNoPlace(t *testing.T) {
	q := &web.Queue{AtATime: 2, Waiting: 8, Wait: 100 * time.Microsecond}
	running := make(chan struct{}, 2)
	done := make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if i%2 == 0 {
					time.AfterFunc(100*time.Microsecond, cancel)
				}
				leave, err := q.Enter(ctx, 1)
				if err == nil {
					select {
					case running <- struct{}{}:
						<-running
					default:
						t.Error("more than two queries run at once")
					}
					leave()
				}
				cancel()
			}
		}()
	}
	for range 8 {
		<-done
	}
	if got := q.Tenants(); got != 0 {
		t.Errorf("tenants after the last query = %d, want none", got)
	}
}
