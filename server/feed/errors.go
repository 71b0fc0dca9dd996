package feed

import (
	"errors"
	"fmt"
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
}

// Error returns `segments.ndjson line 12: field wpm: must not be negative`, or without the field's part.
func (e *RowError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s line %d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s line %d: field %s: %s", e.File, e.Line, e.Field, e.Reason)
}

// fault is what is wrong in a row whose place is known elsewhere.
type fault struct{ field, reason string }

func (f *fault) Error() string {
	if f.field == "" {
		return f.reason
	}
	return "field " + f.field + ": " + f.reason
}

// at returns the fault with its place.
func (f *fault) at(p Pos) *RowError {
	return &RowError{File: p.File, Line: p.Line, Field: f.field, Reason: f.reason}
}

// Bad returns an error that a sink gives back to refuse its row: [Read] adds the place and treats it as a fault found
// while parsing. An empty field means the row as a whole.
func Bad(field, reason string) error { return &fault{field, reason} }

// asFault returns the fault within err, or nil.
func asFault(err error) *fault {
	f, _ := errors.AsType[*fault](err)
	return f
}
