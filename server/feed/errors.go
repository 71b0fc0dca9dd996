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

// RowError is a fault of a row. Field is empty if the fault concerns the row as a whole.
type RowError struct {
	File          string
	Line          int
	Field, Reason string
	// Value is the value of the field, or the whole row: the text of NDJSON, or of CSV in quotes, cut to 80 characters. It is
	// only in a [Report], never in an error's text, which may be logged. It is empty if the fault was found after the row was read.
	Value string
}

// Error returns `segments.ndjson line 12: field wpm: must not be negative`, without the part of the field if there is
// none.
func (e *RowError) Error() string {
	field := ""
	if e.Field != "" {
		field = "field " + e.Field + ": "
	}
	return fmt.Sprintf("%s line %d: %s%s", e.File, e.Line, field, e.Reason)
}

// whole returns a fault of a row as a whole, without its place.
func whole(format string, args ...any) error { return &RowError{Reason: fmt.Sprintf(format, args...)} }

// placed adds the place to a fault.
func placed(wrong error, at Pos) error {
	switch e := wrong.(type) {
	case *UnknownError:
		e.Pos = at
	case *RowError:
		e.File, e.Line = at.File, at.Line
	}
	return wrong
}

// UnknownError is the error for members or columns with unknown names (F3). Mostly a field is misspelt and would be
// null in all rows, so the error concerns the file and cannot be skipped.
type UnknownError struct {
	Pos
	Names   []string // as they are written
	Nearest string   // the field that is most like the first of the names, or empty
	Fields  []string // the fields of the file
}

// unknown returns the error for names that are not fields of a file, without its place.
func unknown(names []string, fields row.Schema) error {
	e := &UnknownError{Names: names, Fields: fields.Names()}
	e.Nearest = nearest(names[0], e.Fields)
	return e
}

// nearest returns the first of the fields with the fewest edits from a name, in any case. It returns an empty string
// if more than half of the longer name would have to change.
func nearest(name string, fields []string) (near string) {
	fewest := math.MaxInt
	for _, field := range fields {
		if d := edits(strings.ToLower(name), strings.ToLower(field)); 2*d <= max(len(name), len(field)) && d < fewest {
			near, fewest = field, d
		}
	}
	return near
}

// edits counts the bytes to add, remove or replace to turn a into b.
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

// Error returns `books.csv line 1: field titel: is unknown; write title`, or lists the fields if none is near.
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

// names lists names on one line.
func names(list []string) string {
	shown := slices.Clone(list)
	for i, name := range list {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) {
			shown[i] = strconv.Quote(name)
		}
	}
	return strings.Join(shown, ", ")
}

// maxShown is the largest number of characters of a value that is shown.
const maxShown = 80

// shown returns a value as errors show it: JSON as it is written, other texts in quotes.
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
