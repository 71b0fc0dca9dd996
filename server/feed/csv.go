package feed

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// cutCSV finds the end of the row with which data begins: the first line's end outside of a quoted cell.
func cutCSV(data []byte, eof bool) extent {
	for at := 0; ; {
		end, open := cellEnd(data, at)
		switch {
		case open, end == len(data) && !eof:
			return extent{size: len(data)}
		case end == len(data):
			return wholeRow(data, 0)
		case data[end] == '\n':
			return wholeRow(data[:end], 1)
		}
		at = end + 1
	}
}

// wholeRow returns what is known of a row that ends at the end of line, with a line feed after it or none.
func wholeRow(line []byte, feeds int) extent {
	size := len(bytes.TrimSuffix(line, []byte{'\r'}))
	return extent{
		size: size, ending: len(line) - size + feeds,
		lines: bytes.Count(line, []byte{'\n'}) + feeds, whole: true,
	}
}

// cellEnd returns the place of the comma or the line feed that ends the cells from the given one to the next quoted
// one, or len(data) when neither was seen; open when that is because a quote is not closed. What follows a closing
// quote is taken as far as the next of the two, for the reader to refuse.
func cellEnd(data []byte, from int) (end int, open bool) {
	if from < len(data) && data[from] == '"' {
		closing := quoteEnd(data, from+1)
		if closing < 0 {
			return len(data), true
		}
		from = closing + 1
	}
	for i := from; i < len(data); i++ {
		if c := data[i]; c == '\n' || c == ',' && i+1 < len(data) && data[i+1] == '"' {
			return i, false
		}
	}
	return len(data), false
}

// quoteEnd returns the place of the quote that closes a cell whose content begins at from, or -1.
func quoteEnd(data []byte, from int) int {
	for {
		n := bytes.IndexByte(data[from:], '"')
		if n < 0 {
			return -1
		}
		from += n
		if from+1 == len(data) || data[from+1] != '"' {
			return from
		}
		from += 2
	}
}

// csvParser turns rows of CSV into cells, in the order of the fields.
type csvParser struct {
	columns []int // of each field; -1 when the file does not have it
	width   int   // how many columns the file has

	cells  [][]byte
	text   []byte // of cells that were quoted
	source bytes.Reader
	buffer *bufio.Reader // that the reader reads from, so that it can be given row after row
	reader *csv.Reader
}

// split finds the cells of a row, as cutCSV cut it. They stay valid until the next row. Where there is no quote they are what
// lies between commas, which takes a third of the time.
func (p *csvParser) split(row []byte) *fault {
	p.cells = p.cells[:0]
	if bytes.IndexByte(row, '"') >= 0 {
		return p.splitQuoted(row)
	}
	for cell := range bytes.SplitSeq(row, []byte{','}) {
		p.cells = append(p.cells, cell)
	}
	return nil
}

// splitQuoted is split for a row with quotes.
func (p *csvParser) splitQuoted(row []byte) *fault {
	if p.reader == nil {
		p.buffer = bufio.NewReader(&p.source)
		p.reader = csv.NewReader(p.buffer)
		p.reader.FieldsPerRecord, p.reader.ReuseRecord = -1, true
	}
	p.text = append(append(p.text[:0], row...), '\n')
	p.source.Reset(p.text)
	p.buffer.Reset(&p.source)
	cells, err := p.reader.Read()
	switch cell := len(cells) + 1; {
	case errors.Is(err, csv.ErrBareQuote):
		return &fault{reason: fmt.Sprintf("cell %d has a quote, though it does not begin with one", cell)}
	case errors.Is(err, csv.ErrQuote):
		return &fault{reason: fmt.Sprintf("cell %d has text after its closing quote", cell)}
	case err != nil:
		return &fault{reason: "is not CSV: " + err.Error()}
	}
	p.text = p.text[:0]
	for _, cell := range cells {
		at := len(p.text)
		p.text = append(p.text, cell...)
		p.cells = append(p.cells, p.text[at:])
	}
	return nil
}

// header reads the names of the columns, which must be those of fields or be ignored.
func (p *csvParser) header(line []byte, fields []Field, ignored map[string]bool) *fault {
	if !utf8.Valid(line) {
		return &fault{reason: "is not valid UTF-8"}
	}
	if wrong := p.split(line); wrong != nil {
		return wrong
	}
	var names []string
	for _, cell := range p.cells {
		names = append(names, string(cell))
	}
	column := make(map[string]int, len(names))
	var unknown []string
	for i, name := range names {
		if _, twice := column[name]; twice {
			return &fault{reason: fmt.Sprintf("the header names column %q twice", name)}
		}
		column[name] = i
		if !known(fields, name) && !ignored[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return &fault{unknown: unknown}
	}
	p.width = len(names)
	p.columns = p.columns[:0]
	var missing []string
	for _, f := range fields {
		i, ok := column[f.Name]
		if !ok {
			i = -1
		}
		if !ok && f.Required {
			missing = append(missing, f.Name)
		}
		p.columns = append(p.columns, i)
	}
	if len(missing) > 0 {
		return &fault{reason: "the header has no column " + strings.Join(missing, ", ")}
	}
	return nil
}

// parse reads one line into the row's cells. A line without anything is no row.
func (p *csvParser) parse(line []byte, r *Row) (ok bool, wrong *fault) {
	if len(line) == 0 {
		return false, nil
	}
	if !utf8.Valid(line) {
		return true, &fault{reason: "is not valid UTF-8"}
	}
	if wrong := p.split(line); wrong != nil {
		return true, wrong
	}
	if len(p.cells) != p.width {
		return true, &fault{reason: fmt.Sprintf("has %d cells, the header %d", len(p.cells), p.width)}
	}
	for i, column := range p.columns {
		r.cells[i] = nil
		if column >= 0 {
			r.cells[i] = p.cells[column]
		}
	}
	return true, nil
}
