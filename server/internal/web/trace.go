package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

// Trace is what one request is known by in the log. The middleware and handlers of a request share one; it is not for
// use by several goroutines at once.
type Trace struct {
	// ID is 16 hexadecimal digits, sent as X-Request-Id. A client's own header of that name is not used.
	ID string
	// Route is the pattern of the route, empty for an unknown path: never the path itself, which may hold a name.
	Route string
	// Tenant is the number of the tenant that the key belongs to, 0 before the key check.
	Tenant int64
	log    zerolog.Logger
	tries  *attempts // of Retry; nil = the request did not pass it
}

type traceKey struct{}

// TraceOf returns the request's trace. Outside of Identify it is a new one, which logs nothing.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{log: zerolog.Nop()}
}

// Error logs an error of the request once, with its identifier.
func (t *Trace) Error(err error) {
	t.log.Error().Err(err).Str("request", t.ID).Str("route", t.Route).Int64("tenant", t.Tenant).Msg("request failed")
}

// Identify gives every request an identifier and a Trace that logs to log.
func Identify(log zerolog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			t := &Trace{ID: newID(), log: log}
			w.Header().Set("X-Request-Id", t.ID)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), traceKey{}, t)))
		})
	}
}

func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Observed is what is known of a request when it has been answered.
type Observed struct {
	Method, Route string // see Trace; a method that is none of HTTP's is "other"
	Status        int
	Took          time.Duration
}

// AccessLog logs one line for every request: no key, no query and no path, only the pattern of the route. observe, if not
// nil, is told of it too.
func AccessLog(observe func(Observed)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			rec := &recorder{ResponseWriter: w}
			defer func() {
				t := TraceOf(r.Context())
				o := Observed{method(r.Method), t.Route, rec.status, time.Since(start)}
				t.log.Info().Str("request", t.ID).Str("method", o.Method).Str("route", o.Route).
					Int64("tenant", t.Tenant).Int("status", o.Status).Int64("bytes", rec.bytes).
					Int64("ms", o.Took.Milliseconds()).Msg("request")
				if observe != nil {
					observe(o)
				}
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

// method returns the method when it is one of HTTP's, so that a client cannot write what it likes into the log.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "other"
}

// recorder notes the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the connection's own writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
