package directory

import (
	"fmt"
	"iter"
	"strings"
)

// The messages of validation, as Ecto words them (P4, P5); see also [MsgAtMost].
const (
	MsgBlank     = "can't be blank"
	MsgInvalid   = "is invalid"
	MsgTaken     = "has already been taken"
	MsgMissing   = "does not exist"
	MsgUnchanged = "can't be changed"
)

// MsgAtMost returns the message for a text of more than n characters.
func MsgAtMost(n int) string { return fmt.Sprintf("should be at most %d character(s)", n) }

// FieldErrors are the faults of one record, found all at once: one message a field, in the order in which the fields
// were looked at (P4). The zero FieldErrors has none. Fields are named as in the API, such as `reference_id`.
//
// A nil *FieldErrors also has none; return it as an error through [FieldErrors.Err], which keeps nil nil.
type FieldErrors struct {
	faults []fault
}

type fault struct{ field, message string }

// Add puts in a field's message, unless the field has one already.
func (f *FieldErrors) Add(field, message string) {
	if f.Message(field) == "" {
		f.faults = append(f.faults, fault{field, message})
	}
}

// Len returns the number of fields with a fault.
func (f *FieldErrors) Len() int {
	if f == nil {
		return 0
	}
	return len(f.faults)
}

// First returns the first fault, or two empty texts.
func (f *FieldErrors) First() (field, message string) {
	if f.Len() == 0 {
		return "", ""
	}
	return f.faults[0].field, f.faults[0].message
}

// Message returns a field's message, or an empty text.
func (f *FieldErrors) Message(field string) string {
	for name, message := range f.All() {
		if name == field {
			return message
		}
	}
	return ""
}

// All yields the fields and their messages.
func (f *FieldErrors) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range f.Len() {
			if !yield(f.faults[i].field, f.faults[i].message) {
				return
			}
		}
	}
}

// Err returns f as an error, nil where there is no fault.
func (f *FieldErrors) Err() error {
	if f.Len() == 0 {
		return nil
	}
	return f
}

// Error returns all faults in one line, such as `name can't be blank; degree is invalid`.
func (f *FieldErrors) Error() string {
	var b strings.Builder
	for field, message := range f.All() {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(field + " " + message)
	}
	return b.String()
}
