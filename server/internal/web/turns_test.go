package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// served runs a request in a server of its own goroutine, and returns a channel that is closed when it has been answered.
func served(h http.Handler, path string) (<-chan struct{}, *httptest.ResponseRecorder) {
	done, rec := make(chan struct{}), httptest.NewRecorder()
	go func() {
		defer close(done)
		h.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
	}()
	return done, rec
}

// As many requests work at once as there are turns, whatever comes; all are answered.
func TestTurns(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	full, release := make(chan struct{}), make(chan struct{})
	filled := sync.OnceFunc(func() { close(full) })
	h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		if most = max(most, now); now == 3 {
			filled()
		}
		mu.Unlock()
		<-release
		mu.Lock()
		now--
		mu.Unlock()
	}), Turns(3))
	var all []<-chan struct{}
	for range 20 {
		done, _ := served(h, "/")
		all = append(all, done)
	}
	<-full
	for range all {
		release <- struct{}{}
	}
	for _, done := range all {
		<-done
	}
	if most != 3 {
		t.Errorf("%d requests worked at once, want 3", most)
	}
}

// A turn ends with the first byte of the answer, and while a request waits for something else; a request whose time is over before its
// turn comes is answered all the same, by who sees that.
func TestTurnsAside(t *testing.T) {
	for _, path := range []string{"/header", "/body", "/aside"} {
		release, begun := make(chan struct{}), make(chan struct{})
		h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wait := func() { close(begun); <-release }
			switch r.URL.Path {
			case "/header":
				w.WriteHeader(http.StatusOK)
				wait()
			case "/body":
				w.Write([]byte("a"))
				wait()
			case "/aside":
				TraceOf(r.Context()).Aside(r.Context(), wait)
			}
		}), Identify(slog.New(slog.DiscardHandler), nil), Turns(1))
		first, _ := served(h, path)
		<-begun
		other, rec := served(h, "/other")
		<-other // it would wait for ever
		if rec.Code != http.StatusOK {
			t.Errorf("%s: another = %d, want 200", path, rec.Code)
		}
		close(release)
		<-first
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := httptest.NewRecorder()
	h := Turns(0)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Err() != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	if h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil).WithContext(ctx)); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("without a turn = %d, want 503", rec.Code)
	}
}
