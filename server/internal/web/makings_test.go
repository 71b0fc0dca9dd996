package web_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// lockedShelf is a shelf for several goroutines.
type lockedShelf struct {
	mu sync.Mutex
	shelf
}

// Get implements web.Bodies.
func (s *lockedShelf) Get(k state.Key) (state.Value, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shelf.Get(k)
}

// Put implements web.Bodies.
func (s *lockedShelf) Put(k state.Key, v state.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shelf.Put(k, v)
}

// Who asks for what is being made waits for it, and has the same bytes. Where that fails each makes its own; who gives up leaves.
func TestMadeOnce(t *testing.T) {
	for name, fail := range map[string]error{"made": nil, "failed": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.Answers.Kept = &lockedShelf{shelf: shelf{}}
				p, release := d.reply(), make(chan struct{})
				read, first := p.Read, true
				var mu sync.Mutex
				p.Read = func(ctx context.Context, s web.States, from time.Time) (web.Content, error) {
					mu.Lock()
					defer mu.Unlock()
					if first {
						first = false
						mu.Unlock()
						<-release
						mu.Lock()
						if fail != nil {
							return web.Content{}, fail
						}
					}
					return read(ctx, s, from)
				}
				const others = 5
				bodies, failed := make(chan string, others+1), make(chan error, others+1)
				ask := func(ctx context.Context) {
					r, w := httptest.NewRequest("GET", "/list", nil).WithContext(ctx), httptest.NewRecorder()
					found, err := d.Find(r, p)
					if err != nil {
						failed <- err
						return
					}
					found.Send(w, r)
					bodies <- w.Body.String()
				}
				go ask(t.Context())
				synctest.Wait() // it reads
				for range others {
					go ask(t.Context())
				}
				synctest.Wait() // they wait
				if d.reads != 0 {
					t.Errorf("%d read beside the first", d.reads)
				}
				close(release)
				synctest.Wait()
				if fail == nil && (d.reads != 1 || len(bodies) != others+1) || fail != nil && (d.reads == 0 || len(bodies) != others || len(failed) != 1) {
					t.Errorf("%d reads, %d bodies, %d failed", d.reads, len(bodies), len(failed))
				}
				want := <-bodies
				for range len(bodies) {
					if got := <-bodies; got != want {
						t.Errorf("a body = %q, want %q", got, want)
					}
				}
			})
		})
	}
}

// A request that ends while another makes its body does not wait for it.
func TestMadeForWhoHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.Answers.Kept = &lockedShelf{shelf: shelf{}}
		p, release := d.reply(), make(chan struct{})
		read := p.Read
		p.Read = func(ctx context.Context, s web.States, from time.Time) (web.Content, error) {
			if ctx.Err() != nil {
				return web.Content{}, ctx.Err()
			}
			<-release
			return read(ctx, s, from)
		}
		go d.Find(httptest.NewRequest("GET", "/list", nil), p)
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := d.Find(httptest.NewRequest("GET", "/list", nil).WithContext(ctx), p)
			left <- err
		}()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) { // it would wait for ever
			t.Errorf("who left = %v, want %v", err, context.Canceled)
		}
		close(release)
	})
}
