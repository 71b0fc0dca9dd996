package directoryapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/directory"
)

const (
	// maxBody is the size of the largest body that is read, and maxBodies of all in memory at a time that are larger than
	// smallBody (P10). A small one takes no more than its connection does, and has every record: so a partner whose bodies are
	// slow to come keeps no other from writing.
	maxBody   = 1 << 20
	maxBodies = 64 << 20
	smallBody = 16 << 10
)

// readBody reads the whole body, of any method, since its hash is a part of what was signed. Its room is the call's until done.
func (c *call) readBody() error {
	length := c.r.ContentLength
	if length == 0 {
		return nil
	}
	if length < 0 {
		length = maxBody
	}
	if length > smallBody {
		if !c.bodies.TryAcquire(length) {
			return errBusy
		}
		c.room = length
	}
	var err error
	c.body, err = io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case err != nil:
		return errBadRequest // it was cut off, or is not coded as it says
	}
	c.w.Header().Del("Connection") // see web.CloseUnread
	return nil
}

// members reads the members of the body into the fields of their names; the others are ignored (P4).
func (c *call) members(in map[string]*directory.Field) error {
	if !isJSON(c.r.Header) {
		return errMediaType
	}
	sent, err := decode(c.body)
	for name, field := range in {
		*field = sent[name]
	}
	return err
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
func decode(body []byte) (fields map[string]directory.Field, err error) {
	err = json.Unmarshal(body, &fields, json.WithUnmarshalers(json.UnmarshalFromFunc(decodeField)))
	if err != nil || fields == nil { // null
		return nil, errBadRequest
	}
	return fields, nil
}

func decodeField(dec *jsontext.Decoder, f *directory.Field) error {
	kind := dec.PeekKind()
	if kind != '"' && kind != 'n' {
		*f = directory.Field{Set: true, Wrong: true}
		return dec.SkipValue()
	}
	t, err := dec.ReadToken()
	if *f = (directory.Field{Set: true, Null: kind == 'n'}); kind == '"' {
		f.Text = t.String()
	}
	return err
}
