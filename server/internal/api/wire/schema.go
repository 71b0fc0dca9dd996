package wire

import (
	"bytes"
	"encoding/json"
	"slices"
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

// The schemas of the values of the specifications. Numbers have a format: a generator that finds none may choose one with too
// few digits.
var (
	Integer    = Whole("minimum", 0)
	Text       = Object{"type", "string"}
	Boolean    = Object{"type", "boolean"}
	Day        = Object{"type", "string", "format", "date"}
	Instant    = Object{"type", "string", "format", "date-time", "pattern", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`}
	Local      = Pattern(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`)
	Money      = Pattern(`^(0|\d+\.\d\d)$`)
	Share      = number("minimum", 0)
	Fraction   = number("minimum", 0, "maximum", 1)
	Percentage = number("minimum", 0, "maximum", 100)
)

// Whole is a whole number with its limits.
func Whole(limits ...any) Object {
	return Object{"type", "integer", "format", "int64"}.With(limits...)
}

// within is a whole number from the first limit to the second, or one that is not below 0.
func within(limits []int64) Object {
	if len(limits) == 0 {
		return Integer
	}
	return Whole("minimum", limits[0], "maximum", limits[1])
}

// number is a number with decimals, and its limits.
func number(limits ...any) Object {
	return Object{"type", "number", "format", "double"}.With(limits...)
}

// Pattern is a text that a regular expression describes.
func Pattern(expression string) Object { return Object{"type", "string", "pattern", expression} }

// Enum is one of the texts.
func Enum(values ...string) Object { return Object{"type", "string", "enum", values} }

// ListOf is a list.
func ListOf(items Object) Object { return Object{"type", "array", "items", items} }

// Ref refers to a named schema.
func Ref(name string) Object { return Object{"$ref", "#/components/schemas/" + name} }

// OrNull is a type, a reference or an enum that may also be null.
func OrNull(o Object) Object {
	if o[0] == "$ref" {
		return Object{"oneOf", []Object{o, {"type", "null"}}}
	}
	n := Object{"type", []any{o[1], "null"}}
	for _, part := range o[2:] {
		if values, ok := part.([]string); ok { // of an enum
			all := []any{}
			for _, v := range values {
				all = append(all, v)
			}
			part = append(all, nil)
		}
		n = append(n, part)
	}
	return n
}

// Record is an object with the fields and no others.
func Record(fields ...Field) Object {
	properties, required := Object{}, []string{}
	for _, f := range fields {
		s := f.Schema
		if f.About != "" {
			s = s.With("description", f.About)
		}
		properties = append(properties, f.Name, s)
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return Object{"type", "object", "properties", properties, "required", required, "additionalProperties", false}
}

// Field is a member of a record. It is always there, unless it is optional.
type Field struct {
	Name     string
	Schema   Object
	About    string
	Optional bool
}

// Schemas are named schemas, in the order in which they were begun. The zero value has none.
type Schemas struct{ named Object }

// Add adds the schema of the record whose members a function writes, and the named schemas in it.
func (s *Schemas) Add(name string, members func(*Writer)) {
	w := Writer{form: asSchema, schemas: s}
	w.schemaOf(name, func() { members(&w) })
}

// Put adds a schema.
func (s *Schemas) Put(name string, schema Object) { s.named = append(s.named, name, schema) }

// All returns the schemas by their names.
func (s *Schemas) All() Object { return s.named }

// record is a record of which the schema is being made.
type record struct {
	fields   []Field
	optional bool // the next field is
}

// schemaOf returns the schema of the record whose members a function writes, or a reference to it if it has a name. It returns nil
// unless a schema is being made.
func (w *Writer) schemaOf(name string, members func()) Object {
	if w.form != asSchema {
		return nil
	}
	outer := w.record
	defer func() { w.record = outer }()
	if name == "" {
		w.record = new(record)
		members()
		return Record(w.record.fields...)
	}
	if slices.Contains(w.schemas.named, any(name)) {
		return Ref(name)
	}
	w.schemas.Put(name, nil)
	at := len(w.schemas.named) - 1
	w.record = new(record)
	members()
	w.schemas.named[at] = Record(w.record.fields...)
	return Ref(name)
}

// tell notes a member for the schema, where one is being made.
func (w *Writer) tell(name string, schema Object, about string) {
	if w.form != asSchema {
		return
	}
	w.record.fields = append(w.record.fields, Field{name, schema, about, w.record.optional})
	w.record.optional = false
}

// tellNull notes a member that may be null.
func (w *Writer) tellNull(name string, schema Object, about string) {
	if w.form == asSchema {
		w.tell(name, OrNull(schema), about)
	}
}

// Optional reports whether to write a member that may be missing. The schema always has it.
func (w *Writer) Optional(there bool) bool {
	if w.form != asSchema {
		return there
	}
	w.record.optional = true
	return true
}
