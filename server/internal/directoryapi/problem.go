package directoryapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// problem is an error outside validation that a client is told of (P10). Its detail is the status's name.
type problem struct {
	status     int
	detail     string // empty = the status's name
	allow      string // the methods of a route, for 405
	retryAfter int    // seconds, for 429 and 503
	reason     string // for the log; told to the client with canonical alone
	canonical  string // what a signature should have been made of; empty = not told
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s", p.status, p.text()) }

func (p *problem) text() string {
	if p.detail != "" {
		return p.detail
	}
	return http.StatusText(p.status)
}

// Refuse refuses a request that no live directory key signed: to the client always in the same words (G3), to the log with
// the reason.
func Refuse(why error) error {
	return &problem{status: http.StatusUnauthorized, reason: why.Error()}
}

// The other problems without a variable part. They are never changed.
var (
	errBadRequest = &problem{status: http.StatusBadRequest}
	errCursor     = &problem{status: http.StatusBadRequest, detail: "invalid cursor"}
	errNotFound   = &problem{status: http.StatusNotFound}
	errTooLarge   = &problem{status: http.StatusRequestEntityTooLarge}
	errMediaType  = &problem{status: http.StatusUnsupportedMediaType}
	errInternal   = &problem{status: http.StatusInternalServerError}
	// errTrouble tells of trouble with the database, and of a write that found no turn in time (H13).
	errTrouble = &problem{status: http.StatusServiceUnavailable, retryAfter: web.ErrTrouble.RetryAfter}
	// errBusy answers a request for whose body there is no memory now.
	errBusy = &problem{status: http.StatusServiceUnavailable, retryAfter: 1, reason: "the bodies of requests fill the memory that there is for them"}
)

func methodNotAllowed(rt route) *problem {
	return &problem{status: http.StatusMethodNotAllowed, allow: rt.allow()}
}

func tooMany(seconds int) *problem {
	return &problem{status: http.StatusTooManyRequests, retryAfter: seconds}
}

// fail answers with an error. The directory's own are told to the client, as 404 and 422; trouble with the database is
// answered with 503, or not at all where the request will be served once more (H13). Any other that is no problem is logged
// once, with the request's identifier, and answered with 500.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	var fields *directory.FieldErrors
	var p *problem
	switch {
	case errors.As(err, &fields):
		writeFaults(w, fields.All())
		return
	case errors.As(err, &p):
	case errors.Is(err, directory.ErrNotFound):
		p = errNotFound
	case errors.Is(err, directory.ErrHasChildren):
		var children directory.FieldErrors // (P6)
		children.Add("entity", "children must be removed first")
		writeFaults(w, children.All())
		return
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		w.WriteHeader(web.StatusGone) // nobody reads it
		return
	default:
		trouble, again := web.TraceOf(r.Context()).Trouble(r.Context(), err)
		switch {
		case again:
			return
		case trouble:
			p = errTrouble
		default:
			web.TraceOf(r.Context()).Error(err)
			p = errInternal
		}
	}
	web.TraceOf(r.Context()).Reason = p.reason
	p.write(w)
}

func (p *problem) write(w http.ResponseWriter) {
	h := w.Header()
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "APIAuth") // RFC 9110, 11.6.1
	}
	web.WriteJSON(w, p.status, func(w *wire.Writer) {
		w.Object("errors", "", "", func() {
			w.Text("detail", p.text(), "")
			if p.canonical != "" {
				w.Text("canonical", p.canonical, "")
				w.Text("reason", p.reason, "")
			}
		})
	})
}

// writeFaults writes the faults of a record: a list of messages for each field (P4).
func writeFaults(w http.ResponseWriter, faults iter.Seq2[string, string]) {
	web.WriteJSON(w, http.StatusUnprocessableEntity, func(w *wire.Writer) {
		w.Object("errors", "", "", func() {
			for field, message := range faults {
				w.Texts(field, []string{message}, wire.Text, "")
			}
		})
	})
}
