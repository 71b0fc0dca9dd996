package feed

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging/row"
)

// csvParser splits rows of CSV into cells, in the order of the fields.
type csvParser struct {
	columns []int // of each field; -1 when the file does not have it
	width   int   // how many columns the file has

	split [][]byte // the cells of a row
	text  []byte   // of cells that were quoted
}

// cut finds the cells of a row, which stay valid until the next row. A row without quotes is split at its commas,
// which takes a third of the time.
func (p *csvParser) cut(line []byte) error {
	p.split = p.split[:0]
	if !utf8.Valid(line) {
		return whole("is not valid UTF-8")
	}
	if bytes.IndexByte(line, '"') >= 0 {
		return p.cutQuoted(line)
	}
	for cell := range bytes.SplitSeq(line, []byte{','}) {
		p.split = append(p.split, cell)
	}
	return nil
}

// cutQuoted is cut for a row with quotes. encoding/csv would replace CR LF between quotes by LF, and so read a
// different text than NDJSON has.
func (p *csvParser) cutQuoted(line []byte) error {
	p.text = p.text[:0]
	for rest, more := line, true; more; {
		var cell, behind []byte
		quoted := len(rest) > 0 && rest[0] == '"'
		if quoted {
			start := len(p.text)
			p.text, rest = appendQuoted(p.text, rest[1:])
			cell = p.text[start:]
		}
		behind, rest, more = bytes.Cut(rest, []byte{','})
		switch {
		case quoted && len(behind) > 0:
			return whole("cell %d has text after its closing quote", len(p.split)+1)
		case bytes.IndexByte(behind, '"') >= 0:
			return whole("cell %d has a quote, though it does not begin with one", len(p.split)+1)
		case !quoted:
			cell = behind
		}
		p.split = append(p.split, cell)
	}
	return nil
}

// appendQuoted appends the text of a quoted cell to dst, and returns the rest after the closing quote. text begins
// after the opening quote. The splitter made sure that the closing quote is there.
func appendQuoted(dst, text []byte) (cell, rest []byte) {
	for {
		at := bytes.IndexByte(text, '"')
		if at < 0 {
			return append(dst, text...), nil
		}
		dst, text = append(dst, text[:at]...), text[at+1:]
		if len(text) == 0 || text[0] != '"' {
			return dst, text
		}
		dst, text = append(dst, '"'), text[1:]
	}
}

// header reads the names of the columns. Each must be a field or ignored.
func (p *csvParser) header(line []byte, fields row.Schema, ignored map[string]bool) error {
	if err := p.cut(line); err != nil {
		return err
	}
	var names, strays, missing []string
	for _, cell := range p.split {
		name := string(cell)
		if slices.Contains(names, name) {
			return whole("the header names column %q twice", name)
		}
		names = append(names, name)
		if fields.Field(name) == nil && !ignored[name] {
			strays = append(strays, name)
		}
	}
	if len(strays) > 0 {
		return unknown(strays, fields)
	}
	p.width = len(names)
	for _, f := range fields {
		column := slices.Index(names, f.Name)
		if column < 0 && f.Required {
			missing = append(missing, f.Name)
		}
		p.columns = append(p.columns, column)
	}
	if len(missing) > 0 {
		return whole("the header has no column %s", strings.Join(missing, ", "))
	}
	return nil
}

// parse implements parser.
func (p *csvParser) parse(line []byte, c *cells) (ok bool, wrong error) {
	if len(line) == 0 {
		return false, nil
	}
	if err := p.cut(line); err != nil {
		return true, err
	}
	if len(p.split) != p.width {
		return true, whole("has %d cells, the header %d", len(p.split), p.width)
	}
	for i, column := range p.columns {
		c.list[i] = nil
		if column >= 0 {
			c.list[i] = p.split[column]
		}
	}
	return true, nil
}
