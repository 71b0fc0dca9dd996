package feed

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// cells are a row while it is read, a cell for each field. They are the [row.Visitor] that fills records: of each field it
// reads what the field is declared to be, and keeps the first fault. What it returns as bytes is valid until the next row.
type cells struct {
	fields  row.Schema
	list    [][]byte // nil or empty: null
	csv     bool
	line    int
	wrong   error // nil where the row is good
	scratch []byte
}

// begin takes up the row of a line, which is wrong already where a required field is null.
func (c *cells) begin(line int) {
	c.line, c.wrong, c.scratch = line, nil, c.scratch[:0]
	for i := range c.fields {
		if f := &c.fields[i]; f.Required && c.null(i) {
			c.Fail(f, "is required")
			return
		}
	}
}

// Fail implements row.Visitor. Of several faults the first stands.
func (c *cells) Fail(f *row.Field, reason string) {
	if c.wrong == nil {
		c.wrong = &RowError{Field: f.Name, Reason: reason, Value: c.shown(f.Index)}
	}
}

// shown returns what a field has.
func (c *cells) shown(i int) string {
	if !c.csv && len(c.list[i]) == 0 {
		return "null"
	}
	return shown(c.list[i], !c.csv)
}

// null reports whether a field is missing or empty: no such member or column, a JSON null, an empty JSON string, an empty CSV
// cell.
func (c *cells) null(i int) bool {
	cell := c.list[i]
	return len(cell) == 0 || !c.csv && len(cell) == 2 && cell[0] == '"'
}

// Number implements row.Visitor.
func (c *cells) Number(f *row.Field, _ int64, _ bool) (int64, bool) {
	cell := c.list[f.Index]
	if f.Kind == row.Integer { // as most are
		if n, wrong := parseInt(cell); wrong == "" {
			return n, false
		}
	}
	if c.null(f.Index) {
		return 0, true
	}
	n, wrong := c.number(f, cell)
	if wrong != "" {
		c.Fail(f, wrong)
	}
	return n, false
}

// number reads a cell that is not null as the number that a visitor sees, or says what is wrong with it.
func (c *cells) number(f *row.Field, cell []byte) (n int64, wrong string) {
	switch f.Kind {
	case row.Integer:
		return parseInt(cell)
	case row.Truth:
		return parseTruth(cell)
	case row.Amount: // in NDJSON often a text
		if c.quoted(cell) && decimal.Valid(cell[1:len(cell)-1]) {
			cell = cell[1 : len(cell)-1]
		}
		if !decimal.Valid(cell) {
			return 0, noNumber
		}
		return parseOwn(f, cell)
	}
	text, ok := c.text(cell)
	switch {
	case f.Kind == row.Date && ok:
		return parseDate(text)
	case f.Kind == row.Date:
		return 0, noDate
	case f.Kind == row.Moment && ok:
		t, wrong := parseTime(text)
		return t.UnixMicro(), wrong
	case f.Kind == row.Moment:
		return 0, noTime
	}
	if text, wrong = c.storable(cell); wrong != "" {
		return 0, wrong
	}
	return parseEnum(f, text)
}

// Text implements row.Visitor.
func (c *cells) Text(f *row.Field, _ string, _ bool) (string, bool) {
	return string(c.Bytes(f, nil)), c.null(f.Index)
}

// Bytes implements row.Visitor.
func (c *cells) Bytes(f *row.Field, _ []byte) (text []byte) {
	cell := c.list[f.Index]
	if c.null(f.Index) {
		return nil
	}
	wrong := ""
	switch {
	case f.Kind == row.Figure:
		if text = cell; !decimal.Valid(cell) {
			wrong = noNumber
		}
	case f.Kind == row.Identifier && !c.csv && decimal.Digits(cell):
		text = cell
	case f.Kind == row.Identifier && !c.csv && cell[0] != '"':
		wrong = "must be a string or a whole number"
	default:
		text, wrong = c.storable(cell)
	}
	if f.AtMost > 0 && len(text) > f.AtMost && utf8.RuneCount(text) > f.AtMost {
		wrong = fmt.Sprintf("must have at most %d characters", f.AtMost)
	}
	if wrong != "" {
		c.Fail(f, wrong)
	}
	return text
}

// List implements row.Visitor: a JSON array of integers, or in CSV what semicolons separate.
func (c *cells) List(f *row.Field, _ []int64) (list []int64) {
	cell, separator := c.list[f.Index], []byte{';'}
	if c.null(f.Index) {
		return nil
	}
	if !c.csv {
		if cell[0] != '[' {
			c.Fail(f, "must be a list")
			return nil
		}
		if cell, separator = bytes.TrimSpace(cell[1:len(cell)-1]), []byte{','}; len(cell) == 0 {
			return nil
		}
	}
	for item := range bytes.SplitSeq(cell, separator) {
		if !c.csv {
			item = bytes.TrimSpace(item)
		}
		n, wrong := parseInt(item)
		if wrong != "" {
			c.Fail(f, "each of the list "+wrong)
			return nil
		}
		list = append(list, n)
	}
	return list
}

// quoted reports whether a cell is a JSON string.
func (c *cells) quoted(cell []byte) bool { return !c.csv && cell[0] == '"' }

// text returns what a cell says; of JSON only a string is a text.
func (c *cells) text(cell []byte) (text []byte, ok bool) {
	switch {
	case c.csv:
		return cell, true
	case !c.quoted(cell):
		return nil, false
	case bytes.IndexByte(cell, '\\') < 0:
		return cell[1 : len(cell)-1], true
	}
	start := len(c.scratch)
	c.scratch, _ = jsontext.AppendUnquote(c.scratch, cell) // the decoder has taken it for a string
	return c.scratch[start:], true
}

// storable is text, or says what is wrong with it. A NUL character is: not every store can hold it.
func (c *cells) storable(cell []byte) (text []byte, wrong string) {
	text, ok := c.text(cell)
	switch {
	case !ok:
		return nil, "must be a string"
	case bytes.IndexByte(text, 0) >= 0:
		return nil, "must not have a NUL character"
	}
	return text, ""
}
