package feed

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging/row"
)

// csvParser turns rows of CSV into cells, in the order of the fields.
type csvParser struct {
	columns []int // of each field; -1 when the file does not have it
	width   int   // how many columns the file has

	split  [][]byte // the cells of a row
	text   []byte   // of cells that were quoted
	source bytes.Reader
	buffer *bufio.Reader // that the reader reads from, so that it can be given row after row
	reader *csv.Reader
}

// cut finds the cells of a row. They stay valid until the next row. Where there is no quote they are what lies between commas,
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

// cutQuoted is cut for a row with quotes.
func (p *csvParser) cutQuoted(line []byte) error {
	if p.reader == nil {
		p.buffer = bufio.NewReader(&p.source)
		p.reader = csv.NewReader(p.buffer)
		p.reader.FieldsPerRecord, p.reader.ReuseRecord = -1, true
	}
	p.text = append(append(p.text[:0], line...), '\n')
	p.source.Reset(p.text)
	p.buffer.Reset(&p.source)
	cells, err := p.reader.Read()
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return whole("cell %d has a quote, though it does not begin with one", len(cells)+1)
	case errors.Is(err, csv.ErrQuote):
		return whole("cell %d has text after its closing quote", len(cells)+1)
	case err != nil:
		return whole("is not CSV: %v", err)
	}
	p.text = p.text[:0]
	for _, cell := range cells {
		at := len(p.text)
		p.text = append(p.text, cell...)
		p.split = append(p.split, p.text[at:])
	}
	return nil
}

// header reads the names of the columns, which must be those of fields or be ignored.
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

// parse implements parser. A line without anything is no row.
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
