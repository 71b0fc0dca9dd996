package directory

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Validate normalises an entity and returns its faults. It trims the name, converts the state to upper case, drops the
// inep of an entity that is not a school (P3), and makes a blank optional text empty.
//
// It checks name, entity_type, degree (against the partner's vocabulary), inep, state, city and reference_id, in this
// order. The caller checks the parent, and whether the reference is free. Like every required text a reference of
// spaces counts as blank (P4), though [ParseRef] accepts it.
func (e *Entity) Validate(degrees Degrees) (f FieldErrors) {
	e.normalise()
	f.text("name", e.Name, maxText)
	f.required("name", e.Name)
	switch {
	case e.Type == 0:
		f.Add("entity_type", MsgBlank)
	case e.Type > Class:
		f.Add("entity_type", MsgInvalid)
	}
	f.required("degree", e.Degree)
	if _, ok := degrees.Degree(e.Degree); !ok {
		f.Add("degree", MsgInvalid)
	}
	if e.INEP != "" && !isINEP(e.INEP) {
		f.Add("inep", MsgInvalid)
	}
	if e.State != "" && !isState(e.State) {
		f.Add("state", MsgInvalid)
	}
	f.text("city", e.City, maxText)
	f.ref("reference_id", e.Ref)
	return f
}

// normalise converts the fields to the form in which they are stored.
func (e *Entity) normalise() {
	e.Name = strings.TrimSpace(e.Name)
	e.INEP, e.State, e.City = blankToNull(e.INEP), blankToNull(e.State), blankToNull(e.City)
	if e.Type != School {
		e.INEP = ""
	}
	if len(e.State) == 2 { // in bytes, so that no letter beyond ASCII becomes one of A-Z
		e.State = strings.ToUpper(e.State)
	}
}

func blankToNull(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// isINEP reports whether a text is 1 to 8 digits.
func isINEP(text string) bool {
	return len(text) >= 1 && len(text) <= 8 && strings.Trim(text, "0123456789") == ""
}

// isState reports whether a text is two letters A-Z. Whether a state has that name is not checked (P3).
func isState(text string) bool {
	return len(text) == 2 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// required adds a fault if a text is blank.
func (f *FieldErrors) required(field, text string) {
	if strings.TrimSpace(text) == "" {
		f.Add(field, MsgBlank)
	}
}

// text adds a fault if a text cannot be stored or has too many characters.
func (f *FieldErrors) text(field, text string, most int) {
	switch {
	case CheckText(text) != nil:
		f.Add(field, MsgInvalid)
	case tooLong(text, most):
		f.Add(field, MsgAtMost(most))
	}
}

func (f *FieldErrors) ref(field string, ref Ref) {
	f.required(field, string(ref))
	f.text(field, string(ref), maxText)
	if _, err := ParseRef(string(ref)); err != nil {
		f.Add(field, MsgInvalid)
	}
}

// CheckText returns ErrText if one of the texts cannot be stored.
func CheckText(texts ...string) error {
	for _, t := range texts {
		if strings.IndexByte(t, 0) >= 0 || !utf8.ValidString(t) {
			return ErrText
		}
	}
	return nil
}

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

// FieldError is a fault of a field. Field is its name in the API, such as `reference_id`.
type FieldError struct{ Field, Message string }

// FieldErrors are all faults of a record, at most one of each field, in the order in which the fields were checked
// (P4). [FieldErrors.Err] returns them as an error.
type FieldErrors []FieldError

// Add adds a fault, unless the field has one already.
func (f *FieldErrors) Add(field, message string) {
	if f.Message(field) == "" {
		*f = append(*f, FieldError{field, message})
	}
}

// Message returns the message of a field's fault, or "".
func (f FieldErrors) Message(field string) string {
	for _, e := range f {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

// Err returns f as an error, or nil if there is no fault.
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
