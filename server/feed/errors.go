package feed

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Pos is the place of a row: the file's name without its folder, and the line, from 1, on which the row starts.
type Pos struct {
	File string
	Line int
}

// RowError says what is wrong with a row. Field is empty when the fault is the row's as a whole.
type RowError struct {
	File          string
	Line          int
	Field, Reason string
	// Value is what the field, or the row as a whole, has: the text of NDJSON, of CSV in quotes, its first 80 characters. It is
	// in no error's text, which may go to a log, but in a [Report]. It is empty where the fault was found after the row was read.
	Value string
}

// Error returns `segments.ndjson line 12: field wpm: must not be negative`, or without the field's part.
func (e *RowError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s line %d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s line %d: field %s: %s", e.File, e.Line, e.Field, e.Reason)
}

// fault is what is wrong in a row whose place is known elsewhere. Where there are unknown names it is none of the row, but of
// the file.
type fault struct {
	field, reason, value string
	unknown              []string
}

func (f *fault) Error() string {
	if f.field == "" {
		return f.reason
	}
	return "field " + f.field + ": " + f.reason
}

// at returns the fault with its place.
func (f *fault) at(p Pos) *RowError {
	return &RowError{File: p.File, Line: p.Line, Field: f.field, Reason: f.reason, Value: f.value}
}

// Bad returns an error that a sink gives back to refuse its row: [Read] adds the place and treats it as a fault found
// while parsing. An empty field means the row as a whole.
func Bad(field, reason string) error { return &fault{field: field, reason: reason} }

// asFault returns the fault within err, or nil.
func asFault(err error) *fault {
	f, _ := errors.AsType[*fault](err)
	return f
}

// maxShown is the most characters of a value that are shown.
const maxShown = 80

// shown returns a value as it is shown: of JSON what was written, of other texts what was written in quotes.
func shown(text []byte, json bool) string {
	cut := len(text)
	for i, n := 0, 0; i < len(text); n++ {
		if n == maxShown {
			cut = i
			break
		}
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	more := ""
	if cut < len(text) {
		more = "…"
	}
	if json {
		return string(text[:cut]) + more
	}
	return strconv.Quote(string(text[:cut])) + more
}
