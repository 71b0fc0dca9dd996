package feed

import (
	"bytes"
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
// quote is taken as far as the next of the two, for splitCSV to refuse.
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

// splitCSV appends the cells of a row, as cutCSV cut it, to cells. Cells with doubled quotes are rewritten in scratch.
func splitCSV(cells [][]byte, row, scratch []byte) ([][]byte, []byte, *fault) {
	for {
		cell, rest, more := nextCell(row)
		if bytes.IndexByte(cell, '"') >= 0 {
			var wrong string
			if cell, scratch, wrong = unquoteCSV(cell, scratch); wrong != "" {
				return cells, scratch, &fault{reason: fmt.Sprintf("cell %d %s", len(cells)+1, wrong)}
			}
		}
		cells = append(cells, cell)
		if !more {
			return cells, scratch, nil
		}
		row = rest
	}
}

// nextCell cuts the first cell, quotes included, from a row; more says whether a comma followed it.
func nextCell(row []byte) (cell, rest []byte, more bool) {
	from := 0
	if len(row) > 0 && row[0] == '"' {
		from = quoteEnd(row, 1) + 1 // cutCSV has seen that quote
	}
	n := bytes.IndexByte(row[from:], ',')
	if n < 0 {
		return row, nil, false
	}
	return row[:from+n], row[from+n+1:], true
}

// unquoteCSV returns the content of a cell that has quotes.
func unquoteCSV(cell, scratch []byte) (content, rest []byte, wrong string) {
	if cell[0] != '"' {
		return nil, scratch, "has a quote, though it does not begin with one"
	}
	if closing := quoteEnd(cell, 1); closing != len(cell)-1 {
		return nil, scratch, "has text after its closing quote"
	}
	content = cell[1 : len(cell)-1]
	if bytes.IndexByte(content, '"') < 0 {
		return content, scratch, ""
	}
	start := len(scratch)
	for len(content) > 0 {
		n := bytes.IndexByte(content, '"')
		if n < 0 {
			n = len(content) - 1
		}
		scratch = append(scratch, content[:n+1]...)
		content = content[min(n+2, len(content)):]
	}
	return scratch[start:], scratch, ""
}

// csvParser turns rows of CSV into cells, in the order of the fields.
type csvParser struct {
	columns []int // of each field; -1 when the file does not have it
	width   int   // how many columns the file has
	cells   [][]byte
	scratch []byte
}

// header reads the names of the columns, which must be those of fields or be ignored.
func (p *csvParser) header(line []byte, fields []Field, ignored map[string]bool) *fault {
	if !utf8.Valid(line) {
		return &fault{reason: "is not valid UTF-8"}
	}
	names, _, wrong := splitCSV(nil, line, nil)
	if wrong != nil {
		return wrong
	}
	column := make(map[string]int, len(names))
	var unknown []string
	for i, name := range names {
		if _, twice := column[string(name)]; twice {
			return &fault{reason: fmt.Sprintf("the header names column %q twice", name)}
		}
		column[string(name)] = i
		if !known(fields, string(name)) && !ignored[string(name)] {
			unknown = append(unknown, string(name))
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
	p.cells, p.scratch, wrong = splitCSV(p.cells[:0], line, p.scratch[:0])
	switch {
	case wrong != nil:
		return true, wrong
	case len(p.cells) != p.width:
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
