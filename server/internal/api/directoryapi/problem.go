package directoryapi

import (
	"errors"
	"net/http"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Refuse refuses a request that no live directory key signed: to the client always in the same words (G3), to the log with
// the reason.
func Refuse(why error) error {
	return &web.Problem{Status: http.StatusUnauthorized, Reason: why.Error()}
}

// The other problems of the directory without a variable part. They are never changed.
var (
	errBadRequest = &web.Problem{Status: http.StatusBadRequest}
	errCursor     = &web.Problem{Status: http.StatusBadRequest, Messages: []string{"invalid cursor"}}
	errNotFound   = &web.Problem{Status: http.StatusNotFound}
	errTooLarge   = &web.Problem{Status: http.StatusRequestEntityTooLarge}
	errMediaType  = &web.Problem{Status: http.StatusUnsupportedMediaType}
	// errBusy is the answer if there is not enough memory for a request's body.
	errBusy = &web.Problem{Status: http.StatusServiceUnavailable, RetryAfter: 1, Reason: "the bodies of requests fill the memory that there is for them"}
)

// shape is that of errors outside validation (P10): the detail is the status's name, but for a cursor.
var shape = web.Shape{Authenticate: "APIAuth", Write: func(w *wire.Writer, p *web.Problem) {
	w.Object("errors", "", "", func() {
		detail := http.StatusText(p.Status)
		if len(p.Messages) > 0 {
			detail = p.Messages[0]
		}
		w.Text("detail", detail, "")
		if p.Canonical != "" {
			w.Text("canonical", p.Canonical, "")
			w.Text("reason", p.Reason, "")
		}
	})
}}

// fail answers with an error. The directory's own are told to the client, as 404 and 422.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	var faults directory.FieldErrors
	switch {
	case errors.As(err, &faults):
		writeFaults(w, faults)
	case errors.Is(err, directory.ErrHasChildren):
		writeFaults(w, directory.FieldErrors{{Field: "entity", Message: "children must be removed first"}}) // (P6)
	case errors.Is(err, directory.ErrNotFound):
		shape.Fail(w, r, errNotFound)
	default:
		shape.Fail(w, r, err)
	}
}

// writeFaults writes the faults of a record: a list of messages for each field (P4).
func writeFaults(w http.ResponseWriter, faults directory.FieldErrors) {
	web.WriteJSON(w, http.StatusUnprocessableEntity, func(w *wire.Writer) {
		w.Object("errors", "", "", func() {
			for _, f := range faults {
				w.Texts(f.Field, []string{f.Message}, wire.Text, "")
			}
		})
	})
}
