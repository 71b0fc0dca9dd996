package feed

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	// maxRow is the most bytes that a row may have, its line's end not counted.
	maxRow = 1 << 20
	// batchSize is how many bytes are read before they are cut into rows: enough that handing a batch from one
	// goroutine to another costs nothing beside parsing it.
	batchSize = 256 << 10
)

// span is one row of a batch: its bytes, without the line's end, and its line. A row that could not be cut out has
// only a line and the reason.
type span struct {
	from, to int
	line     int
	bad      string
}

// splitter cuts a file into batches of whole rows.
type splitter struct {
	r    io.Reader
	csv  bool
	line int    // of the next byte, from 1
	rest []byte // read, and not yet in a batch
	drop bool   // the rest of the line belongs to a row that was refused
	eof  bool
	err  error // why nothing more can be read
}

// fill replaces data and rows by the next ones of the file. After the last row it returns io.EOF, or why the file
// could not be read to its end; s.line is then the line that was reached.
func (s *splitter) fill(data []byte, rows []span) ([]byte, []span, error) {
	data, rows = append(data[:0], s.rest...), rows[:0]
	for {
		if s.err == nil && !s.eof {
			data = s.read(data)
		}
		var used int
		rows, used = s.split(data, rows)
		if len(rows) > 0 || s.eof || s.err != nil {
			s.rest = append(s.rest[:0], data[used:]...)
			break
		}
		data = slices.Delete(data, 0, used)
	}
	switch {
	case len(rows) > 0:
		return data, rows, nil
	case s.err != nil:
		return data, rows, s.err
	default:
		return data, rows, io.EOF
	}
}

// first cuts the file's first row that is not empty, for a header, and returns it with its line.
func (s *splitter) first() ([]byte, int, error) {
	for {
		data, rows, err := s.fill(nil, nil)
		if err != nil {
			return nil, s.line, err
		}
		for _, row := range rows {
			if row.bad == "" && row.from == row.to {
				continue
			}
			if row.bad != "" {
				return nil, row.line, errors.New("the header: " + row.bad)
			}
			header := data[row.from:row.to]
			s.rest = bytes.Clone(data[row.to:])
			s.line = row.line + bytes.Count(header, []byte{'\n'})
			s.drop = false
			return header, row.line, nil
		}
	}
}

// read appends a batch's worth of the file to data.
func (s *splitter) read(data []byte) []byte {
	start := len(data)
	data = slices.Grow(data, batchSize)
	n, err := io.ReadFull(s.r, data[start:start+batchSize])
	if ended(err) {
		s.eof = true
	} else {
		s.err = err
	}
	return data[:start+n]
}

// split appends the whole rows of data to rows, and returns how many bytes they have taken.
func (s *splitter) split(data []byte, rows []span) ([]span, int) {
	at := 0
	for at < len(data) {
		if s.drop {
			at += s.skipLine(data[at:])
			continue
		}
		row := s.cut(data[at:])
		switch {
		case row.whole && row.size <= maxRow:
			rows = append(rows, span{from: at, to: at + row.size, line: s.line})
			at += row.size + row.ending
			s.line += row.lines
		case !row.whole && !s.eof && row.size <= maxRow+1: // the last byte may be half of a line's end
			return rows, at
		default:
			// Only its first line is dropped: what follows a quote that never ends is most likely rows.
			rows = append(rows, span{line: s.line, bad: row.refusal()})
			s.drop = true
		}
	}
	return rows, at
}

// skipLine returns how many bytes the line that is dropped still has in data.
func (s *splitter) skipLine(data []byte) int {
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		return len(data)
	}
	s.drop = false
	s.line++
	return n + 1
}

// cut finds the end of the row with which data begins.
func (s *splitter) cut(data []byte) extent {
	if s.csv {
		return cutCSV(data, s.eof)
	}
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		return extent{size: len(data), whole: s.eof}
	}
	return extent{size: n, ending: 1, lines: 1, whole: true}
}

// extent is what is known of a row's bytes: its size without the line's end, the size of that, and how many lines it
// takes. A row is whole when its end has been seen.
type extent struct {
	size, ending, lines int
	whole               bool
}

// refusal says why a row is too long or has no end.
func (r extent) refusal() string {
	if r.size > maxRow {
		return "is longer than 1 MiB"
	}
	return "a quoted cell never ends"
}
