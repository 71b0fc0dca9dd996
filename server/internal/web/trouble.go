package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// ErrTrouble tells a client that there is trouble with the database (H13). It is never changed.
var ErrTrouble = &Problem{
	Status: http.StatusServiceUnavailable, Message: "the data are not available now; try again later", RetryAfter: 1,
}

// troubleEvery is how often the same trouble is logged.
const troubleEvery = time.Second

// Troubles tell trouble with the database from faults of the program, and log the same trouble once a second, with the number
// of requests that met it, where each of them would write a line. Is must be set.
type Troubles struct {
	// Is reports whether an error is trouble with the database.
	Is  func(error) bool
	Log *slog.Logger // nil = nothing is logged

	mu    sync.Mutex
	alike map[string]*alike // by the innermost text of the error
}

// alike are the errors that came since the same was last logged.
type alike struct {
	count int
	last  error
	trace Trace
}

// note logs an error of a request, or counts it where the same was logged within the second.
func (t *Troubles) note(trace Trace, err error) {
	key := innermost(err).Error()
	t.mu.Lock()
	defer t.mu.Unlock()
	if a, ok := t.alike[key]; ok {
		a.count, a.last, a.trace = a.count+1, err, trace
		return
	}
	if t.alike == nil {
		t.alike = make(map[string]*alike)
	}
	t.alike[key] = &alike{}
	t.log(trace, err, 1)
	time.AfterFunc(troubleEvery, func() { t.sum(key) })
}

// sum logs what was counted for a second, and forgets the error after one without it.
func (t *Troubles) sum(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.alike[key]
	if a.count == 0 {
		delete(t.alike, key)
		return
	}
	t.log(a.trace, a.last, a.count)
	*a = alike{}
	time.AfterFunc(troubleEvery, func() { t.sum(key) })
}

// log writes one line, which names one of the requests.
func (t *Troubles) log(trace Trace, err error, requests int) {
	if t.Log == nil {
		return
	}
	t.Log.Error("trouble with the database", "error", err, "requests", requests, "request", trace.ID, "route", trace.Route, "tenant", trace.Tenant)
}

// innermost returns the error at the bottom of a chain: what it wraps names the request, and so differs from others' alike.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if many, ok := err.(interface{ Unwrap() []error }); ok && len(many.Unwrap()) > 0 {
			next = many.Unwrap()[0]
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// attempts is what a request's Trace has of Retry.
type attempts struct {
	troubles *Troubles
	again    bool // the first trouble is not to be answered, since the request will be served once more
	met      bool // there was trouble
	quotas   map[auth.Budget]auth.Quota
}

// Trouble reports whether an error that ended the request is trouble with the database, and not a fault of the program;
// without Retry nothing is. It is noted for the log. again is true where nothing is to be answered, since the request will be
// served a second time.
func (t *Trace) Trouble(ctx context.Context, err error) (trouble, again bool) {
	if t.tries == nil || !t.tries.troubles.Is(err) && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false, false
	}
	if t.tries.again {
		t.tries.met = true
		return true, true
	}
	t.tries.troubles.note(*t, err)
	return true, false
}

// Retry serves a request that reads once more where trouble with the database kept it from an answer (H13): a connection
// may be a broken one of before a restart, and the next one whole. Others are never repeated, since a COMMIT whose answer
// was lost may have been carried out; nor is a request with a body, which has been read.
func (t *Troubles) Retry(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries := &attempts{troubles: t}
		TraceOf(r.Context()).tries = tries
		tries.again = (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength == 0
		before := w.Header().Clone()
		next.ServeHTTP(w, r)
		if !tries.met {
			return
		}
		clear(w.Header())
		maps.Copy(w.Header(), before)
		tries.again = false
		next.ServeHTTP(w, r)
	})
}

// TakenAhead returns what tells Once of a quota that was taken from a budget before it is asked, with the check of the key. It is
// nil where one was taken already, or there is no Once to be told.
func TakenAhead(ctx context.Context) func(auth.Budget, auth.Quota) {
	tries := TraceOf(ctx).tries
	if tries == nil || tries.quotas != nil {
		return nil
	}
	return func(b auth.Budget, q auth.Quota) { tries.quotas = map[auth.Budget]auth.Quota{b: q} }
}

// Once returns a limiter that takes from a budget once for a request, however often it is served.
func Once(l auth.Limiter) auth.Limiter { return once{l} }

type once struct{ auth.Limiter }

// Take implements auth.Limiter.
func (o once) Take(ctx context.Context, b auth.Budget, limit int) (auth.Quota, error) {
	tries := TraceOf(ctx).tries
	if tries == nil {
		return o.Limiter.Take(ctx, b, limit)
	}
	if q, ok := tries.quotas[b]; ok {
		return q, nil
	}
	q, err := o.Limiter.Take(ctx, b, limit)
	if err == nil {
		tries.quotas = map[auth.Budget]auth.Quota{b: q}
	}
	return q, err
}
