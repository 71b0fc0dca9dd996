package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer writes the members of records in one of the forms. Names must be plain ASCII; they are not escaped.
type Writer struct {
	b    []byte
	form form
	// more is set if the next value follows another one on the same level.
	more bool
	// of tables
	blank       bool   // the cells are those of an object that is null
	skip        int    // as many members come that have their cells already
	prefix      string // of the columns
	row, column int    // of a sheet's cell, from 1
	widths      []int  // of a sheet's columns, in characters
	// of schemas
	schemas *Schemas
	record  *record
}

// form is what becomes of a member.
type form uint8

const (
	asJSON   form = iota
	asCells       // its value is a cell
	asSheet       // its value is a typed cell
	asHeader      // its name is the cell
	asSchema      // its description is a property
)

// AppendJSON appends a JSON object with the members that a function writes.
func AppendJSON(b []byte, members func(*Writer)) []byte {
	w := Writer{b: b}
	w.braces(func() { members(&w) })
	return w.b
}

// open begins a member, and reports whether its value is to be written; where not, tell notes it for a schema.
func (w *Writer) open(name string) bool {
	if w.skip > 0 {
		w.skip--
		return false
	}
	switch w.form {
	case asJSON:
		b := w.b
		if w.more {
			b = append(b, ',', '"')
		} else {
			b = append(b, '"')
			w.more = true
		}
		b = append(b, name...)
		w.b = append(b, '"', ':')
		return true
	case asCells:
		w.separate()
		return !w.blank
	case asSheet:
		w.column++
		return !w.blank
	case asHeader:
		w.separate()
		w.b = append(append(w.b, w.prefix...), name...)
	}
	return false
}

// separate begins the next cell.
func (w *Writer) separate() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}

// null writes the value of a member that has none: nothing, in a cell.
func (w *Writer) null() {
	if w.form == asJSON {
		w.b = append(w.b, "null"...)
	}
}

// mark writes the quote before and after what is a string in JSON, and no text.
func (w *Writer) mark() {
	if w.form == asJSON {
		w.b = append(w.b, '"')
	}
}

func (w *Writer) braces(members func()) {
	w.b = append(w.b, '{')
	w.more = false
	members()
	w.b = append(w.b, '}')
	w.more = true
}

// Object writes a member that is an object, with the members that a function writes. Where its schema has a name, it is one of
// the named schemas.
func (w *Writer) Object(name, schema, about string, members func()) {
	switch w.form {
	case asJSON:
		w.open(name)
		w.braces(members)
	case asCells, asSheet:
		members()
	case asHeader:
		outer := w.prefix
		w.prefix += name + "."
		members()
		w.prefix = outer
	case asSchema:
		w.tell(name, w.schemaOf(schema, members), about)
	}
}

// Maybe writes a member that is an object, or null for nil.
func Maybe[T any](w *Writer, name, schema string, v *T, write func(*Writer, *T), about string) {
	switch {
	case w.form == asJSON && v == nil:
		w.open(name)
		w.null()
		return
	case w.form == asSchema:
		w.tellNull(name, w.schemaOf(schema, func() { write(w, new(T)) }), about)
		return
	case v == nil: // a column for each member all the same
		outer := w.blank
		w.blank = true
		defer func() { w.blank = outer }()
		v = new(T)
	}
	w.Object(name, schema, about, func() { write(w, v) })
}

// empty writes an empty cell for each member that a function writes, but for the first ones. In JSON it writes nothing.
func (w *Writer) empty(first int, members func()) {
	if w.form == asJSON {
		return
	}
	outer := w.blank
	w.blank, w.skip = true, first
	members()
	w.blank = outer
}

// List writes a member that is a list of objects. It is never null.
func List[T any](w *Writer, name, schema string, list []T, write func(*Writer, *T), about string) {
	if !w.open(name) {
		w.tell(name, ListOf(w.schemaOf(schema, func() { write(w, new(T)) })), about)
		return
	}
	w.list(len(list), func(i int) { w.braces(func() { write(w, &list[i]) }) })
}

// list writes the value of a member that is a list. In a cell it is JSON too.
func (w *Writer) list(n int, item func(i int)) {
	outer, start := w.form, len(w.b)
	w.form = asJSON
	w.b = append(w.b, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		item(i)
	}
	w.b = append(w.b, ']')
	w.form, w.more = outer, true
	if outer != asJSON {
		list := string(w.b[start:])
		w.b = w.b[:start]
		if outer == asSheet {
			w.textCell(textStyle, list)
		} else {
			w.quoted(list)
		}
	}
}

// text writes the value of a member that is a text. In JSON nothing is escaped for HTML (H7), and bytes that are not UTF-8 show as
// U+FFFD.
func (w *Writer) text(s string) {
	switch {
	case w.form == asJSON:
		w.b, _ = jsontext.AppendQuote(w.b, s)
	case w.form == asSheet:
		w.textCell(textStyle, s)
	case needsQuotes(s):
		w.quoted(s)
	default:
		w.b = append(w.b, s...)
	}
}

// needsQuotes reports whether a text has what ends a cell, for readers of semicolons too, or white space at an end, which some
// readers cut.
func needsQuotes(s string) bool {
	return strings.ContainsAny(s, "\",;\r\n") || len(strings.TrimSpace(s)) != len(s)
}

// quoted appends a text in quotes, its own ones doubled.
func (w *Writer) quoted(s string) {
	w.b = append(append(append(w.b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
