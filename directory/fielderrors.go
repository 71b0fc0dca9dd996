package directory

import (
	"fmt"
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

// FieldError is what is wrong with a field, which is named as in the API, such as `reference_id`.
type FieldError struct{ Field, Message string }

// FieldErrors are the faults of one record, found all at once: one a field, in the order in which the fields were looked at
// (P4). Return them as an error through [FieldErrors.Err].
type FieldErrors []FieldError

// Add puts in a field's message, unless the field has one already.
func (f *FieldErrors) Add(field, message string) {
	if f.Message(field) == "" {
		*f = append(*f, FieldError{field, message})
	}
}

// Message returns a field's message, or an empty text.
func (f FieldErrors) Message(field string) string {
	for _, e := range f {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

// Err returns f as an error, nil where there is no fault.
func (f FieldErrors) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// Error returns all faults in one line, such as `name can't be blank; degree is invalid`.
func (f FieldErrors) Error() string {
	texts := make([]string, len(f))
	for i, e := range f {
		texts[i] = e.Field + " " + e.Message
	}
	return strings.Join(texts, "; ")
}
