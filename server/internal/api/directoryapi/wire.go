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
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// entityDocument writes the envelope of a single entity, with its parent.
func entityDocument(e directory.EntityRecord) func(*wire.Writer) {
	return single("EntityRecord", func(w *wire.Writer) {
		writeEntity(w, &e)
		w.TextOrNull("parent_reference_id", string(e.ParentRef), "The entity above; for a network the partner's own reference.")
	})
}

// teacherDocument writes the envelope of a single teacher, with the e-mail, which lists do not have.
func teacherDocument(t directory.AccountRecord) func(*wire.Writer) {
	return single("Teacher", func(w *wire.Writer) { writeAccount(w, &t, true) })
}

// single writes the envelope of one record.
func single(schema string, members func(*wire.Writer)) func(*wire.Writer) {
	return func(w *wire.Writer) {
		w.Object("data", schema, "", func() { members(w) })
		w.Null("errors")
		w.Null("pagination")
	}
}

// The texts with schemas of their own.
var (
	entityTypes = wire.Enum(directory.Network.String(), directory.School.String(), directory.Class.String())
	inep        = wire.Pattern(`^\d{1,8}$`)
	state       = wire.Pattern("^[A-Z]{2}$")
	reference   = wire.Text.With("minLength", 1, "maxLength", 255)
)

func writeEntity(w *wire.Writer, e *directory.EntityRecord) {
	w.Text("name", e.Name, "")
	w.TextOf("entity_type", e.Type.String(), entityTypes, "")
	w.TextOrNull("degree", e.Degree, "Degree, of the partner's vocabulary: I, 1 to 9, M, M1 to M3, F unless the operator replaced it.")
	w.TextOfOrNull("inep", e.INEP, inep, "Official code of a school; null for others.")
	w.TextOfOrNull("state", e.State, state, "Two letters.")
	w.TextOrNull("city", e.City, "")
	w.TextOf("reference_id", string(e.Ref), reference, "The partner's own reference.")
}

func writeAccount(w *wire.Writer, a *directory.AccountRecord, email bool) {
	w.TextOrNull("access_token", a.AccessToken, "Access code, made by the service.")
	w.TextOrNull("entity_reference_id", string(a.EntityRef), "The entity that the account is attached to.")
	w.TextOrNull("name", a.Name, "")
	if email {
		w.TextOrNull("email", a.Email, "")
	}
	w.TextOrNull("phone", a.Phone, "")
	w.TextOf("reference_id", string(a.Ref), reference, "")
	w.Bool("active", a.Active, "")
}

// entityPage writes a page of a list of entities.
func (l list) entityPage(p directory.Page[directory.EntityRecord]) func(*wire.Writer) {
	return func(w *wire.Writer) {
		wire.List(w, "entries", "Entity", p.Rows, writeEntity, "")
		writeMetadata(w, l, p, func(e directory.EntityRecord) int64 { return int64(e.ID) })
	}
}

// accountPage writes a page of a list of readers or teachers.
func (l list) accountPage(p directory.Page[directory.AccountRecord]) func(*wire.Writer) {
	return func(w *wire.Writer) {
		wire.List(w, "entries", "Account", p.Rows, func(w *wire.Writer, a *directory.AccountRecord) { writeAccount(w, a, false) }, "")
		writeMetadata(w, l, p, func(a directory.AccountRecord) int64 { return int64(a.ID) })
	}
}

// writeMetadata writes the cursors of the pages before and after a page (P8). number returns a row's number in the
// order of creation. A cursor is null at the end of the list and for an empty page.
func writeMetadata[T any](w *wire.Writer, l list, p directory.Page[T], number func(T) int64) {
	cursor := func(more bool, row int) string {
		if !more || len(p.Rows) == 0 {
			return ""
		}
		return l.sealer.Seal(l.name(), number(p.Rows[row]))
	}
	w.Object("metadata", "Metadata", "", func() {
		w.TextOrNull("after", cursor(p.HasAfter, len(p.Rows)-1), "Cursor of the last entry; null on the last page.")
		w.TextOrNull("before", cursor(p.HasBefore, 0), "Cursor of the first entry; null on the first page.")
		w.Int("limit", directory.Limit, "Entries of a full page.")
	})
}

const (
	// maxBody is the size of the largest body. maxBodies is the size of all bodies in memory that are larger than smallBody
	// (P10). A small body takes no more memory than its connection and is large enough for every record, so a partner whose
	// bodies arrive slowly does not prevent others from writing.
	maxBody   = 1 << 20
	maxBodies = 64 << 20
	smallBody = 16 << 10
)

// readBody reads the whole body, for any method, because its hash was signed. The call keeps its share of the memory
// until done.
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
		return errBadRequest // it was cut off, or its coding is wrong
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

// decode reads a JSON object into its members: strings as they are, nulls, and anything else as Wrong. The error is
// 400 unless the body is exactly one JSON object in UTF-8, with no repeated name in any object and at most 10,000
// levels, the decoder's limit.
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
