package feed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lectern-dev/lectern/paging/row"
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
	field := ""
	if e.Field != "" {
		field = "field " + e.Field + ": "
	}
	return fmt.Sprintf("%s line %d: %s%s", e.File, e.Line, field, e.Reason)
}

// whole is a fault of a row as a whole, whose place is to be filled in.
func whole(format string, args ...any) error { return &RowError{Reason: fmt.Sprintf(format, args...)} }

// placed fills in the place of what is wrong with a row.
func placed(wrong error, at Pos) error {
	switch e := wrong.(type) {
	case *UnknownError:
		e.Pos = at
	case *RowError:
		e.File, e.Line = at.File, at.Line
	}
	return wrong
}

// UnknownError says that a file has members or columns of names that it does not know (F3): mostly a field is misspelt, and
// would be null. It is the fault of who writes the feed and not of one row, so that it cannot be skipped.
type UnknownError struct {
	Pos
	Names   []string // as the row or the header has them
	Nearest string   // the field that the first of the names is near to, or nothing
	Fields  []string // what the file knows
}

// unknown returns the error for names beside the fields of a file, whose place is to be filled in.
func unknown(names []string, fields row.Schema) error {
	e := &UnknownError{Names: names, Fields: fields.Names()}
	e.Nearest = nearest(names[0], e.Fields)
	return e
}

// nearest returns the first of the fields with the fewest edits between it and a name, whatever their case, or nothing where more than
// half of the longer one would have to change.
func nearest(name string, fields []string) (near string) {
	fewest := math.MaxInt
	for _, field := range fields {
		if d := edits(strings.ToLower(name), strings.ToLower(field)); 2*d <= max(len(name), len(field)) && d < fewest {
			near, fewest = field, d
		}
	}
	return near
}

// edits counts the bytes to add, leave out or replace that make a of b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, replaced)
		}
	}
	return row[len(b)]
}

// Error returns `books.csv line 1: field titel: is unknown; write title`, or lists the fields where none is near.
func (e *UnknownError) Error() string {
	advice := "; write " + e.Nearest
	if e.Nearest == "" {
		advice = "; the fields are " + strings.Join(e.Fields, ", ")
	}
	also := ""
	if len(e.Names) > 1 {
		also = " (also unknown: " + names(e.Names[1:]) + ")"
	}
	return fmt.Sprintf("%s line %d: field %s: is unknown%s%s", e.File, e.Line, names(e.Names[:1]), advice, also)
}

// names lists names as they can be shown on a line.
func names(list []string) string {
	shown := slices.Clone(list)
	for i, name := range list {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) {
			shown[i] = strconv.Quote(name)
		}
	}
	return strings.Join(shown, ", ")
}

// maxShown is the most characters of a value that are shown.
const maxShown = 80

// shown returns a value as it is shown: of JSON what was written, of other texts what was written in quotes.
func shown(text []byte, json bool) string {
	list, more := string(text), ""
	n := 0
	for i := range list {
		if n++; n > maxShown {
			list, more = list[:i], "…"
			break
		}
	}
	if json {
		return list + more
	}
	return strconv.Quote(list) + more
}
