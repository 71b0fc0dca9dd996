package directory

import (
	"strings"
	"unicode/utf8"
)

// Validate brings an entity into the form in which it is kept and returns its faults. It changes e: the name is
// trimmed, the state put in upper case, an inep dropped where the entity is no school (P3), and an optional text that
// is blank is null.
//
// It checks, in this order, name, entity_type, degree (against the partner's vocabulary), inep, state, city and
// reference_id. The parent and whether the reference is taken are the caller's to check. A reference of nothing but
// spaces counts as blank, like every required text (P4), though [ParseRef] has nothing against it.
func (e *Entity) Validate(degrees Degrees) (f FieldErrors) {
	e.normalise()
	f.text("name", e.Name)
	f.required("name", e.Name)
	f.entityType(e.Type)
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
	f.text("city", e.City)
	f.ref("reference_id", e.Ref)
	return f
}

// normalise gives the fields the form in which they are kept.
func (e *Entity) normalise() {
	e.Name = strings.TrimSpace(e.Name)
	e.INEP, e.State, e.City = blankToNull(e.INEP), blankToNull(e.State), blankToNull(e.City)
	if e.Type != School {
		e.INEP = ""
	}
	if len(e.State) == 2 { // two bytes, so that no letter beyond ASCII becomes one of A-Z
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

// isState reports whether a text is two letters A-Z (P3). Which of them are states is not for this service to know.
func isState(text string) bool {
	return len(text) == 2 && isCapital(text[0]) && isCapital(text[1])
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

// required adds the fault of a text that is blank.
func (f *FieldErrors) required(field, text string) {
	if strings.TrimSpace(text) == "" {
		f.Add(field, MsgBlank)
	}
}

// text adds the fault of a text that cannot be stored or is too long.
func (f *FieldErrors) text(field, text string) { f.textOf(field, text, maxText) }

// textOf is text for a bound of its own, in characters.
func (f *FieldErrors) textOf(field, text string, most int) {
	switch {
	case CheckText(text) != nil:
		f.Add(field, MsgInvalid)
	case tooLong(text, most):
		f.Add(field, MsgAtMost(most))
	}
}

func (f *FieldErrors) entityType(t EntityType) {
	switch {
	case t == 0:
		f.Add("entity_type", MsgBlank)
	case t > Class:
		f.Add("entity_type", MsgInvalid)
	}
}

func (f *FieldErrors) ref(field string, ref Ref) {
	f.required(field, string(ref))
	f.text(field, string(ref))
	if _, err := ParseRef(string(ref)); err != nil {
		f.Add(field, MsgInvalid)
	}
}

// CheckText returns ErrText when one of the texts cannot be stored.
func CheckText(texts ...string) error {
	for _, t := range texts {
		if strings.IndexByte(t, 0) >= 0 || !utf8.ValidString(t) {
			return ErrText
		}
	}
	return nil
}
