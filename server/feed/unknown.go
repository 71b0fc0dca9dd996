package feed

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lectern-dev/lectern/server/internal/nearest"
)

// UnknownError says that a file has members or columns of names that it does not know (F3): mostly a field is misspelt, and
// would be null. It is the fault of who writes the feed and not of one row, so that it cannot be skipped.
type UnknownError struct {
	Pos
	Names   []string // as the row or the header has them
	Nearest string   // the field that the first of the names is near to, or nothing
	Fields  []string // what the file knows
}

// newUnknownError returns the error for names beside the fields of a file.
func newUnknownError(at Pos, names []string, fields []Field) *UnknownError {
	e := &UnknownError{Pos: at, Names: names}
	for _, f := range fields {
		e.Fields = append(e.Fields, f.Name)
	}
	e.Nearest, _ = nearest.Name(names[0], e.Fields)
	return e
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
	shown := make([]string, len(list))
	for i, name := range list {
		if shown[i] = name; name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) {
			shown[i] = fmt.Sprintf("%q", name)
		}
	}
	return strings.Join(shown, ", ")
}

// known reports whether a field has the name.
func known(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
}
