package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
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
	Is func(error) bool

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
	trace.logTrouble(err, 1)
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
	a.trace.logTrouble(a.last, a.count)
	*a = alike{}
	time.AfterFunc(troubleEvery, func() { t.sum(key) })
}

// logTrouble logs one line for some requests, which names one of them.
func (t *Trace) logTrouble(err error, requests int) {
	t.log.Error("trouble with the database", "error", err, "requests", requests, "request", t.ID, "route", t.Route, "tenant", t.Tenant)
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

// trouble reports whether an error that ended the request is trouble with the database, and not a fault of the program;
// without Troubles nothing is.
func (t *Trace) trouble(ctx context.Context, err error) bool {
	return t.troubles != nil && (t.troubles.Is(err) || errors.Is(ctx.Err(), context.DeadlineExceeded))
}
