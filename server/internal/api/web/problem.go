package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Problem is an error that a client is told of: a status and what to say with it (messages.md of the contract).
type Problem struct {
	Status int
	// Message is the text for every status but 400.
	Message string
	// Messages are the texts for 400, one for each invalid parameter.
	Messages []string
	// RetryAfter is in seconds; 0 sends no Retry-After.
	RetryAfter int
	// Allow lists the methods of a route, for 405.
	Allow string
	// Reason is for the log alone, unless Canonical is told, which is what a signature should have been made of.
	Reason, Canonical string
}

func (p *Problem) Error() string {
	if p.Status == http.StatusBadRequest {
		return fmt.Sprintf("%d %q", p.Status, p.Messages)
	}
	return fmt.Sprintf("%d %s", p.Status, p.Message)
}

// The problems without a variable part. They are never changed.
var (
	// ErrUserAgent refuses a user agent (H5).
	ErrUserAgent = &Problem{Status: http.StatusForbidden, Message: "this user agent is not accepted; send a User-Agent of your own"}
	// ErrKey refuses a key that is missing, unknown, expired, revoked or of another API: always in the same words (G3).
	ErrKey = &Problem{Status: http.StatusUnauthorized, Message: "missing or invalid API key"}
	// ErrMethod refuses every method but GET (H4).
	ErrMethod = &Problem{Status: http.StatusMethodNotAllowed, Message: "only GET is supported", Allow: http.MethodGet}

	errInternal = &Problem{Status: http.StatusInternalServerError, Message: "internal server error"}
)

// RefuseKey is ErrKey with the reason for the log.
func RefuseKey(why error) *Problem {
	p := *ErrKey
	p.Reason = why.Error()
	return &p
}

// NotFound refuses the path of a request, naming method and path as they were sent.
func NotFound(r *http.Request) *Problem {
	return &Problem{Status: http.StatusNotFound, Message: "Cannot " + r.Method + " " + r.URL.EscapedPath()}
}

// TooMany refuses a request whose budget is used up for the given number of seconds (H6).
func TooMany(seconds int) *Problem {
	return &Problem{
		Status:     http.StatusTooManyRequests,
		Message:    fmt.Sprintf("rate limit exceeded; retry after %d seconds", seconds),
		RetryAfter: seconds,
	}
}

// Shape is how an API answers errors.
type Shape struct {
	// Authenticate is the scheme that a 401 names.
	Authenticate string
	// Write writes the members of the body.
	Write func(*wire.Writer, *Problem)
}

// Fail answers with an error in the shape of the schools and libraries APIs (H2).
func Fail(w http.ResponseWriter, r *http.Request, err error) { reports.Fail(w, r, err) }

var reports = Shape{Authenticate: "Bearer", Write: writeProblem}

// Fail answers with an error. A *Problem in err's chain is told to the client. Trouble with the database is answered with
// ErrTrouble (H13). Any other error is logged once, with the request's identifier, and answered with 500.
func (s Shape) Fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	trace := TraceOf(r.Context())
	switch {
	case errors.As(err, &p):
	case trace.trouble(r.Context(), err):
		trace.troubles.note(*trace, err)
		p = ErrTrouble
	default:
		trace.Error(err)
		p = errInternal
	}
	trace.Reason = p.Reason
	h := w.Header()
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if p.Allow != "" {
		h.Set("Allow", p.Allow)
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", s.Authenticate) // RFC 9110, 11.6.1
	}
	WriteJSON(w, p.Status, func(w *wire.Writer) { s.Write(w, p) })
}

func writeProblem(w *wire.Writer, p *Problem) {
	w.Int("statusCode", int64(p.Status), "")
	w.Text("error", http.StatusText(p.Status), "")
	if p.Status == http.StatusBadRequest {
		w.Texts("message", p.Messages, wire.Text, "")
		return
	}
	w.Text("message", p.Message, "")
}

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
