package wire

import (
	"bytes"
	"encoding/json"
)

// Object is a JSON object as names and values in turn, in the order in which a person reads them. Schemas are such, and what
// else is in a document of OpenAPI.
type Object []any

// MarshalJSON implements json.Marshaler. Nothing is escaped for HTML: descriptions have <, > and &.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, part := range o {
		b.WriteString([]string{",", ":"}[i%2])
		if err := enc.Encode(part); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the newline
	}
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	b.Bytes()[0] = '{'
	b.WriteByte('}')
	return b.Bytes(), nil
}

// With returns the object with names and values added.
func (o Object) With(more ...any) Object {
	return append(o[:len(o):len(o)], more...)
}
