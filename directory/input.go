package directory

import (
	"net/mail"
	"strings"
	"unicode"
)

// maxPhone is the maximum length of a phone, in characters (P7).
const maxPhone = 64

// Entity returns the live entity that the input describes, and its faults. The caller checks the rules that need other
// rows, whether the reference is free and the parent exists, and sets ID and Parent.
func (in EntityInput) Entity(degrees Degrees) (Entity, FieldErrors) {
	var f FieldErrors
	e := Entity{
		Name:   f.given("name", in.Name),
		Degree: f.given("degree", in.Degree),
		INEP:   f.given("inep", in.INEP),
		State:  f.given("state", in.State),
		City:   f.given("city", in.City),
		Ref:    Ref(f.given("reference_id", in.ReferenceID)),
	}
	typeName := f.given("entity_type", in.EntityType)
	var known bool
	if e.Type, known = ParseEntityType(typeName); !known && strings.TrimSpace(typeName) != "" {
		f.Add("entity_type", MsgInvalid)
	}
	for _, fault := range e.Validate(degrees) {
		f.Add(fault.Field, fault.Message)
	}
	f.required("parent_reference_id", f.given("parent_reference_id", in.ParentReferenceID))
	return e, f
}

// Apply returns a stored entity with the input's changes, and the faults of the changes. A field that is not set keeps
// its value. It has no fault even if the value would be refused today, such as a degree that has left the vocabulary.
func (in EntityInput) Apply(was EntityRecord, degrees Degrees) (Entity, FieldErrors) {
	var f FieldErrors
	e := was.Entity
	f.change(&e.Name, "name", in.Name)
	f.change(&e.Degree, "degree", in.Degree)
	f.change(&e.INEP, "inep", in.INEP)
	f.change(&e.State, "state", in.State)
	f.change(&e.City, "city", in.City)
	f.fixed("entity_type", in.EntityType, e.Type.String())
	f.fixed("reference_id", in.ReferenceID, string(e.Ref))
	f.fixed("parent_reference_id", in.ParentReferenceID, string(was.ParentRef))
	sent := in.Members()
	for _, fault := range e.Validate(degrees) {
		if sent[fault.Field].Set {
			f.Add(fault.Field, fault.Message)
		}
	}
	return e, f
}

// Account returns the teacher that the input describes, and its faults. The caller checks the rules that need other
// rows, and sets ID, AccessToken and Entity.
func (in TeacherInput) Account() (Account, FieldErrors) {
	return in.account(Account{Kind: Teacher, Active: true})
}

// Apply returns a stored teacher with the input's changes, and its faults. All five fields are required. The caller
// looks the entity up.
func (in TeacherInput) Apply(was Account) (Account, FieldErrors) {
	a, f := in.account(was)
	f.required("email", a.Email)
	f.required("phone", a.Phone)
	return a, f
}

// account sets the fields of an account, and returns the faults that both a new and a changed teacher can have.
func (in TeacherInput) account(a Account) (Account, FieldErrors) {
	var f FieldErrors
	a.Name = strings.TrimSpace(f.given("name", in.Name))
	a.Email = strings.TrimSpace(f.given("email", in.Email))
	a.Phone = blankToNull(f.given("phone", in.Phone))
	a.Ref = Ref(f.given("reference_id", in.ReferenceID))
	f.required("name", a.Name)
	f.text("name", a.Name, maxText)
	f.text("email", a.Email, maxText)
	if a.Email != "" && !isAddress(a.Email) {
		f.Add("email", MsgInvalid)
	}
	f.text("phone", a.Phone, maxPhone)
	f.ref("reference_id", a.Ref)
	f.required("entity_reference_id", f.given("entity_reference_id", in.EntityReferenceID))
	return a, f
}

// isAddress reports whether a text is just an e-mail address, without a display name, angle brackets, a group or a
// comment.
func isAddress(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.String() == "<"+text+">" && !strings.ContainsFunc(text, unicode.IsControl)
}

// given returns the text of a field, or "" if it was not sent or is null. It adds a fault if the field is not a text.
func (f *FieldErrors) given(field string, in Field) string {
	if in.Wrong {
		f.Add(field, MsgInvalid)
	}
	if !in.Set || in.Null || in.Wrong {
		return ""
	}
	return in.Text
}

// change replaces a stored text by what was sent.
func (f *FieldErrors) change(text *string, field string, in Field) {
	if in.Set {
		*text = f.given(field, in)
	}
}

// fixed adds a fault if a field was sent and differs from the stored text.
func (f *FieldErrors) fixed(field string, in Field, stored string) {
	if in.Set && (in.Null || in.Wrong || in.Text != stored) {
		f.Add(field, MsgUnchanged)
	}
}
