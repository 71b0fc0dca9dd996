package feed

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
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
	e.Nearest = nearest(names[0], e.Fields)
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

// nearest returns the field that a name was most likely meant to be: that with the fewest edits between them, if they are
// no more than a third of the longer name. Case and what joins words do not count: book_id is bookId.
func nearest(name string, fields []string) string {
	best, fewest := "", 0
	a := letters(name)
	for _, field := range fields {
		b := letters(field)
		if d := edits(a, b); 3*d <= max(len(a), len(b)) && (best == "" || d < fewest) {
			best, fewest = field, d
		}
	}
	return best
}

// letters returns a name's letters and digits in lower case, at most 64 of them: no field is as long.
func letters(name string) (kept []rune) {
	for _, r := range name {
		if len(kept) < 64 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			kept = append(kept, unicode.ToLower(r))
		}
	}
	return kept
}

// edits returns how many letters have to be put in, taken out, replaced or swapped with their neighbour to make b of a.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := range a {
		for j := range b {
			d := rows[i][j]
			if a[i] != b[j] {
				d = 1 + min(d, rows[i][j+1], rows[i+1][j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}
