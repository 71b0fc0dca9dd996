package directoryapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/directory"
)

// maxBody is the size of the largest body that is read (P10).
const maxBody = 1 << 20

// leaveUnread makes the server close the connection of a request that is refused before its body is read. It would else read
// up to 256 KiB of it first, so that the connection can be used again.
func leaveUnread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}

// readBody reads the whole body, of any method, since its hash is a part of what was signed.
func (a *API) readBody(w http.ResponseWriter, r *http.Request, req *request) error {
	if r.ContentLength == 0 {
		return nil
	}
	req.body.holds, req.body.partner = &a.holds, req.partner
	err := req.body.read(http.MaxBytesReader(w, r.Body, maxBody), r.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		w.Header().Del("Connection")
		return nil
	case errors.As(err, &tooLarge):
		return errTooLarge
	case err == errBusy:
		return err
	}
	return errBadRequest // it was cut off, or is not coded as it says
}

// object returns the members of a request's body by their names.
func (req request) object(r *http.Request) (map[string]directory.Field, error) {
	if !isJSON(r.Header) {
		return nil, errMediaType
	}
	return decode(req.body.bytes)
}

// isJSON reports whether a body says that it is JSON, and not in a content coding, of which none is read.
func isJSON(h http.Header) bool {
	types := h.Values("Content-Type")
	if len(types) != 1 || h.Get("Content-Encoding") != "" {
		return false
	}
	t, _, err := mime.ParseMediaType(types[0])
	return err == nil && (t == "application/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json"))
}

// decode reads a JSON object into its members: texts as they are, nulls, and anything else as Wrong. The error is 400
// for what is no JSON object, alone in the body, in UTF-8, with each name once in every object, and nested to a depth
// that the decoder bears (10,000).
func decode(body []byte) (map[string]directory.Field, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errBadRequest
	}
	fields := make(map[string]directory.Field)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, errBadRequest
		}
		key := name.String() // before the next read, which uses its memory
		if fields[key], err = decodeField(dec); err != nil {
			return nil, errBadRequest
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, errBadRequest
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errBadRequest
	}
	return fields, nil
}

func decodeField(dec *jsontext.Decoder) (directory.Field, error) {
	switch dec.PeekKind() {
	case '"':
		t, err := dec.ReadToken()
		if err != nil {
			return directory.Field{}, err
		}
		return directory.Field{Set: true, Text: t.String()}, nil
	case 'n':
		_, err := dec.ReadToken()
		return directory.Field{Set: true, Null: true}, err
	}
	return directory.Field{Set: true, Wrong: true}, dec.SkipValue()
}
