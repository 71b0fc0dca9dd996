package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// maxUnanswered is how many connections may wait for their first answer at a time. Each takes some 25 kB, whatever it sends:
	// without a bound, 5,000 at once that send bodies and have no key take 195 MB in the place of 67.
	maxUnanswered = 250
	// acceptWait is how long the next connection waits for a place. It is accepted then all the same, so that those who hold the
	// places keep nobody out.
	acceptWait = 10 * time.Millisecond
)

// boundUnanswered returns an http.Server's ConnState, which is called with a new connection before the next one is accepted. It
// slows that down where many connections have had no answer yet, so that a flood of them does not take the memory.
func boundUnanswered(most int64) func(net.Conn, http.ConnState) {
	places := semaphore.NewWeighted(most)
	var unanswered sync.Map // the connections that have a place
	return func(c net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			ctx, cancel := context.WithTimeout(context.Background(), acceptWait)
			defer cancel()
			if places.Acquire(ctx, 1) == nil {
				unanswered.Store(c, nil)
			}
		case http.StateIdle, http.StateHijacked, http.StateClosed:
			if _, has := unanswered.LoadAndDelete(c); has {
				places.Release(1)
			}
		}
	}
}

// apiServer returns what serves the APIs.
func apiServer(ctx context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	h := httpServer(ctx, handler, log)
	h.ReadTimeout, h.WriteTimeout = 10*time.Second, 60*time.Second
	h.DisableGeneralOptionsHandler = true // OPTIONS * is an unknown path
	h.ConnState = boundUnanswered(maxUnanswered)
	return h
}

// httpServer returns a server of h with the limits of both addresses.
func httpServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 3 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
}
