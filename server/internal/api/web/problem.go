package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Problem is an error that a client is told about: a status and its text (messages.md of the contract).
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
	// Reason is only for the log, unless Canonical is set: the text that a signature should have been made of.
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

// RefuseKey returns ErrKey with a reason for the log.
func RefuseKey(why error) *Problem {
	p := *ErrKey
	p.Reason = why.Error()
	return &p
}

// NotFound refuses the path of a request, naming method and path as they were sent.
func NotFound(r *http.Request) *Problem {
	return &Problem{Status: http.StatusNotFound, Message: "Cannot " + r.Method + " " + r.URL.EscapedPath()}
}

// TooMany refuses a request whose budget is used up for a number of seconds (H6).
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

// Fail answers with an error. A *Problem in err's chain is told to the client. Trouble with the database is logged and answered
// with ErrTrouble (H13). Any other error is logged with the request's identifier, and answered with 500.
func (s Shape) Fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	trace := TraceOf(r.Context())
	switch {
	case errors.As(err, &p):
	case trace.unavailable(r.Context(), err):
		trace.log.Error("trouble with the database", "error", err, "request", trace.ID, "route", trace.Route, "tenant", trace.Tenant)
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

// ErrTrouble tells a client about trouble with the database (H13). It is never changed.
var ErrTrouble = &Problem{
	Status: http.StatusServiceUnavailable, Message: "the data are not available now; try again later", RetryAfter: 1,
}
