package web

import (
	"context"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// Turns bounds how many requests work at once; the others wait for their turn, first come, first served. Without a bound a server
// that is asked for more than it can do does less the more it is asked for: each request that has begun waits for a connection to
// the database again and again, behind all others that have, and holds its memory meanwhile.
//
// A turn ends with the first byte of the answer, which is complete by then: who reads slowly keeps nobody waiting. A request whose time
// is over before its turn comes goes on without one: what it does first fails, and its API says so in its own shape.
func Turns(n int) Middleware {
	places := semaphore.NewWeighted(int64(n))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			t := &turn{places: places}
			t.take(r.Context())
			defer t.end()
			TraceOf(r.Context()).turn = t
			next.ServeHTTP(&turnWriter{w, t}, r)
		})
	}
}

// A turn is that of one request, and like its Trace not for several goroutines at once.
type turn struct {
	places *semaphore.Weighted
	has    bool
}

// take waits for the turn, or for the end of ctx.
func (t *turn) take(ctx context.Context) { t.has = t.places.Acquire(ctx, 1) == nil }

func (t *turn) end() {
	if t.has {
		t.places.Release(1)
		t.has = false
	}
}

// Aside lets another request have the turn while wait runs, which waits for something that is not the server's work: for what a
// client sends, or for another request.
func (t *Trace) Aside(ctx context.Context, wait func()) {
	if t.turn == nil {
		wait()
		return
	}
	t.turn.end()
	wait()
	t.turn.take(ctx)
}

// turnWriter ends a turn when the answer begins.
type turnWriter struct {
	http.ResponseWriter
	turn *turn
}

func (w *turnWriter) WriteHeader(status int) {
	w.turn.end()
	w.ResponseWriter.WriteHeader(status)
}

func (w *turnWriter) Write(b []byte) (int, error) {
	w.turn.end()
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *turnWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
