package web

import (
	"bytes"
	"encoding/json"
)

// byteOrderMark tells spreadsheets that the text is UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// appendCSV appends a header line and one line for each row (RFC 4180), in the profile of the pt-BR locale or plain.
func (rows Rows) appendCSV(b []byte, pt bool) []byte {
	c := table{b: b, separator: ',', pt: pt, name: make([]byte, 0, 64)}
	if pt {
		c.separator = ';'
		c.b = append(c.b, byteOrderMark...)
	}
	for i, name := range rows.Columns {
		c.separate(i)
		c.b = append(c.b, name...)
	}
	c.b = append(c.b, "\r\n"...)
	var j JSON
	for i := range rows.Count {
		j = JSON{b: j.b[:0], bare: true}
		rows.row(&j, i)
		c.row(rows.Columns, j.b)
	}
	return c.b
}

// table appends lines of cells. A row comes as the compact JSON object that JSON writes, so that its values have one form in
// all answers; days, instants and amounts stand bare in it, so that no text is mistaken for one. It is read in place: a page has thousands of cells, and a string for each would cost more than the rest.
type table struct {
	b         []byte
	separator byte
	pt        bool
	columns   []string // that are left of the row
	first     bool
	name      []byte // room for the name of a member
}

func (c *table) separate(i int) {
	if i > 0 {
		c.b = append(c.b, c.separator)
	}
}

// row appends one line.
func (c *table) row(columns []string, object []byte) {
	c.columns, c.first = columns, true
	members(c.name[:0], object, c.member)
	for range c.columns { // of an object that is null at the end
		c.cell(nil)
	}
	c.b = append(c.b, "\r\n"...)
}

// member appends the cell of a member; null in place of an object is an empty cell for each of its fields.
func (c *table) member(name, value []byte) {
	for len(c.columns) > 0 {
		column := c.columns[0]
		switch {
		case column == string(name):
			c.columns = c.columns[1:]
			c.cell(value)
			return
		case len(column) > len(name) && column[len(name)] == '.' && column[:len(name)] == string(name):
			c.columns = c.columns[1:]
			c.cell(nil)
		default:
			return
		}
	}
}

// members calls visit with the members of a compact object, those of an object in it as outer.inner, and returns what
// follows the object. prefix stands before the names, and the room after it is written to. Names have no escapes; visit
// must not keep what it is given.
func members(prefix, b []byte, visit func(name, value []byte)) []byte {
	b = b[1:] // {
	for b[0] != '}' {
		if b[0] == ',' {
			b = b[1:]
		}
		end := 1 + bytes.IndexByte(b[1:], '"')
		name := append(prefix, b[1:end]...)
		b = b[end+2:] // ":
		if b[0] == '{' {
			b = members(append(name, '.'), b, visit)
			continue
		}
		n := valueLen(b)
		visit(name, b[:n])
		b = b[n:]
	}
	return b[1:]
}

// valueLen returns the length of the value in front of b, which is no object: a list is taken whole.
func valueLen(b []byte) int {
	switch b[0] {
	case '"':
		return stringLen(b)
	case '[':
		return listLen(b)
	}
	n := 0
	for b[n] != ',' && b[n] != '}' {
		n++
	}
	return n
}

// listLen returns the length of the list in front of b.
func listLen(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += stringLen(b[i:]) - 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// stringLen returns the length of the string in front of b.
func stringLen(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// cell appends a value of a row as a cell. Nothing, or null, is empty.
func (c *table) cell(value []byte) {
	if !c.first {
		c.b = append(c.b, c.separator)
	}
	c.first = false
	switch {
	case len(value) == 0 || value[0] == 'n':
	case value[0] == '"':
		c.text(unquote(value))
	case value[0] == '[':
		c.quoted("", value)
	default:
		c.literal(value)
	}
}

// literal appends a number, a day or an instant, true or false. The pt-BR profile has a decimal comma.
func (c *table) literal(value []byte) {
	start := len(c.b)
	c.b = append(c.b, value...)
	if dot := bytes.IndexByte(value, '.'); c.pt && dot >= 0 {
		c.b[start+dot] = ','
	}
}

// text appends a text. Spreadsheets of the pt-BR profile are kept from taking it for a formula, and from taking it for a
// number, which loses digits of an ISBN, a date or another value.
func (c *table) text(s []byte) {
	switch {
	case c.pt && isFormula(s):
		c.plain("'", s)
	case c.pt && isTaken(s):
		c.asText(s)
	default:
		c.plain("", s)
	}
}

// asText appends a text as a formula that is this text.
func (c *table) asText(s []byte) {
	c.b = append(c.b, `"=""`...)
	for _, b := range s {
		c.b = append(c.b, b)
		if b == '"' { // twice for the formula, and each of both twice for the cell
			c.b = append(c.b, `"""`...)
		}
	}
	c.b = append(c.b, `"""`...)
}

// plain appends a text behind a mark, in quotes where it needs them.
func (c *table) plain(mark string, s []byte) {
	if needsQuotes(s) {
		c.quoted(mark, s)
		return
	}
	c.b = append(append(c.b, mark...), s...)
}

// needsQuotes reports whether a text has what ends a cell, in any of the profiles, or white space at an end, which some
// readers cut.
func needsQuotes(s []byte) bool {
	for _, b := range s {
		if b == '"' || b == ',' || b == ';' || b == '\r' || b == '\n' {
			return true
		}
	}
	return len(bytes.TrimSpace(s)) != len(s)
}

// quoted appends a text behind a mark in quotes, its own ones doubled.
func (c *table) quoted(mark string, s []byte) {
	c.b = append(append(c.b, '"'), mark...)
	for {
		i := bytes.IndexByte(s, '"')
		if i < 0 {
			break
		}
		c.b = append(append(c.b, s[:i+1]...), '"')
		s = s[i+1:]
	}
	c.b = append(append(c.b, s...), '"')
}

// unquote returns the text of a JSON string, in place where that has no escapes.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic(err) // it was written by JSON
	}
	return []byte(s)
}

// Fields returns the columns of a row that is written as JSON: what Rows.Columns has, where no object of it is null.
func Fields(write func(*JSON)) []string {
	var j JSON
	j.Begin()
	write(&j)
	j.End()
	var names []string
	members(nil, j.b, func(name, _ []byte) { names = append(names, string(name)) })
	return names
}
