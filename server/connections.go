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
	// maxUnanswered is how many connections may wait for their first answer at a time. Each takes some 25 kB, whatever it sends.
	// Without the bound, 5,000 connections that send bodies and have no key take 195 MB instead of 67.
	maxUnanswered = 250
	// acceptWait is how long the next connection waits for a place. It is accepted after that in any case, so that the
	// connections with places keep no other out.
	acceptWait = 10 * time.Millisecond
)

// boundUnanswered returns an http.Server's ConnState. The server calls it with a new connection before it accepts the next one.
// If too many connections have had no answer yet, the call waits, so that a flood of them does not take the memory.
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

// apiServer returns the server of the APIs.
func apiServer(ctx context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	h := httpServer(ctx, handler, log)
	h.ReadTimeout, h.WriteTimeout = 10*time.Second, 60*time.Second
	h.DisableGeneralOptionsHandler = true // OPTIONS * is an unknown path
	h.ConnState = boundUnanswered(maxUnanswered)
	return h
}

// httpServer returns a server with the limits that both addresses have.
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
