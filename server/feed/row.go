package feed

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// Field declares a field of a resource: a member of the JSON object, a column of the CSV. A required one may not be
// null, and a CSV file has to have its column.
type Field = row.Field

// Row is one row while it is parsed. Its methods take the index of a field among those given to [Read].
//
// A row keeps its first error: a method that finds a value of the wrong type takes note of it and returns the zero
// value, as it does for a null, so that a parse function reads all it needs and asks at most once, with [Row.Bad].
// What a row returns as []byte is valid until the parse function returns.
type Row struct {
	fields  []Field
	cells   [][]byte // nil or empty: null
	csv     bool
	line    int
	wrong   *fault
	scratch []byte
	record  any       // that Records fills
	fill    *row.Walk // along it
}

// maxID is the most characters of an identifier (F5).
const maxID = 64

// Line returns the line on which the row starts, from 1.
func (r *Row) Line() int { return r.line }

// Bad reports whether something is wrong with the row so far.
func (r *Row) Bad() bool { return r.wrong != nil }

// Fail says that field i is wrong, and why: "must not be negative". Of several faults the first stands.
func (r *Row) Fail(i int, reason string) {
	if r.wrong == nil {
		r.wrong = &fault{field: r.fields[i].Name, reason: reason, value: r.shown(i)}
	}
}

// shown returns what field i has.
func (r *Row) shown(i int) string {
	if !r.csv && len(r.cells[i]) == 0 {
		return "null"
	}
	return shown(r.cells[i], !r.csv)
}

// Null reports whether field i is missing or empty: no such member or column, a JSON null, an empty JSON string, an
// empty CSV cell.
func (r *Row) Null(i int) bool {
	cell := r.cells[i]
	return len(cell) == 0 || !r.csv && len(cell) == 2 && cell[0] == '"'
}

// reset makes the row ready to be parsed.
func (r *Row) reset(line int) { r.line, r.wrong, r.scratch = line, nil, r.scratch[:0] }

// require fails the row at its first required field that is null.
func (r *Row) require() {
	for i := range r.fields {
		if r.fields[i].Required && r.Null(i) {
			r.Fail(i, "is required")
			return
		}
	}
}

// Text returns the string of field i, or "" for a null.
func (r *Row) Text(i int) string { return string(r.Bytes(i)) }

// Bytes is Text without a copy. A NUL character is refused: not every store can hold it.
func (r *Row) Bytes(i int) []byte {
	if r.Null(i) {
		return nil
	}
	text, ok := r.text(r.cells[i])
	switch {
	case !ok:
		r.Fail(i, "must be a string")
		return nil
	case bytes.IndexByte(text, 0) >= 0:
		r.Fail(i, "must not have a NUL character")
		return nil
	}
	return text
}

// text returns what a cell says; of JSON only a string is a text.
func (r *Row) text(cell []byte) ([]byte, bool) {
	switch {
	case r.csv:
		return cell, true
	case cell[0] != '"':
		return nil, false
	case bytes.IndexByte(cell, '\\') < 0:
		return cell[1 : len(cell)-1], true
	}
	start := len(r.scratch)
	scratch, err := jsontext.AppendUnquote(r.scratch, cell)
	if err != nil {
		return nil, false // cannot happen: the decoder has taken it for a string
	}
	r.scratch = scratch
	return scratch[start:], true
}

// ID returns the identifier of field i: a string of at most 64 characters, or a JSON number's digits (F5).
func (r *Row) ID(i int) []byte {
	if !r.csv && decimal.Digits(r.cells[i]) {
		return r.shortened(i, r.cells[i])
	}
	if !r.csv && !r.Null(i) && r.cells[i][0] != '"' {
		r.Fail(i, "must be a string or a whole number")
		return nil
	}
	return r.shortened(i, r.Bytes(i))
}

// shortened refuses an identifier that is too long.
func (r *Row) shortened(i int, id []byte) []byte {
	if len(id) > maxID && utf8.RuneCount(id) > maxID {
		r.Fail(i, "must have at most 64 characters")
		return nil
	}
	return id
}

// Int returns the integer of field i, from 0 to 9007199254740991. A number with decimals or an exponent that is an
// integer all the same, such as 5.0, is taken.
func (r *Row) Int(i int) int64 {
	if r.Null(i) {
		return 0
	}
	n, wrong := parseInt(r.cells[i])
	if wrong != "" {
		r.Fail(i, wrong)
	}
	return n
}

// Number returns field i as the text of a JSON number, or nil for a null. A CSV cell has to be written like one, so
// that NaN, Infinity, +1, .5 and 007 are refused.
func (r *Row) Number(i int) []byte {
	if r.Null(i) {
		return nil
	}
	if !decimal.Valid(r.cells[i]) {
		r.Fail(i, "must be a number")
		return nil
	}
	return r.cells[i]
}

// Decimal returns field i as Number does. In NDJSON it may also be a string that is written like a number: amounts of money
// often are.
func (r *Row) Decimal(i int) []byte {
	if cell := r.cells[i]; !r.csv && !r.Null(i) && cell[0] == '"' && decimal.Valid(cell[1:len(cell)-1]) {
		return cell[1 : len(cell)-1]
	}
	return r.Number(i)
}

// Bool returns the truth of field i: true or false, in CSV by these words.
func (r *Row) Bool(i int) bool {
	if r.Null(i) {
		return false
	}
	switch string(r.cells[i]) {
	case "true":
		return true
	case "false":
		return false
	}
	r.Fail(i, "must be true or false")
	return false
}

// Time returns the time of field i in UTC, or the zero time for a null: ISO 8601 with an offset, such as
// 2026-01-02T03:04:05Z or 2026-01-02T00:04-03:00. Seconds may be left out; a fraction of them has up to nine digits.
func (r *Row) Time(i int) time.Time {
	text := r.when(i, "must be a time with an offset, such as 2026-01-02T03:04:05Z")
	if text == nil {
		return time.Time{}
	}
	t, wrong := parseTime(text)
	if wrong != "" {
		r.Fail(i, wrong)
		return time.Time{}
	}
	return t
}

// Date returns the date of field i, or the zero date for a null: YYYY-MM-DD, or a time, whose day in Brasilia it is.
func (r *Row) Date(i int) calendar.Date {
	text := r.when(i, "must be a date, such as 2026-01-02")
	if text == nil {
		return 0
	}
	if len(text) == len("2026-01-02") {
		d, wrong := parseDate(text)
		if wrong != "" {
			r.Fail(i, wrong)
		}
		return d
	}
	t, wrong := parseTime(text)
	if wrong != "" {
		r.Fail(i, wrong)
		return 0
	}
	return calendar.Day(t)
}

// when returns the text of a date or time.
func (r *Row) when(i int, wrong string) []byte {
	if r.Null(i) {
		return nil
	}
	text, ok := r.text(r.cells[i])
	if !ok {
		r.Fail(i, wrong)
		return nil
	}
	return text
}
