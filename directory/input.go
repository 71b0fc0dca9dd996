package directory

import (
	"net/mail"
	"strings"
	"unicode"
)

// maxPhone is the most characters of a phone (P7).
const maxPhone = 64

// Entity returns the live entity that the input makes and its faults, as far as they can be told without the partner's
// other rows: whether the reference is free and where the parent is remain to be checked, and ID and Parent to be set.
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

// Apply returns a stored entity as the change makes it, and the faults of the change. A field that is not set keeps its
// value, and has no fault even where it would not be accepted any more, such as a degree that the operator has since
// taken out of the vocabulary.
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

// Account returns the teacher that the input makes and its faults, as far as they can be told without the partner's
// other rows: ID, AccessToken and Entity remain to be set.
func (in TeacherInput) Account() (Account, FieldErrors) {
	return in.account(Account{Kind: Teacher, Active: true})
}

// Apply returns a stored teacher as the change makes it, and its faults; all five fields are required. The entity
// remains to be looked up.
func (in TeacherInput) Apply(was Account) (Account, FieldErrors) {
	a, f := in.account(was)
	f.required("email", a.Email)
	f.required("phone", a.Phone)
	return a, f
}

// account puts what was sent into an account, with the faults that it can have new and changed.
func (in TeacherInput) account(a Account) (Account, FieldErrors) {
	var f FieldErrors
	a.Name = strings.TrimSpace(f.given("name", in.Name))
	a.Email = strings.TrimSpace(f.given("email", in.Email))
	a.Phone = blankToNull(f.given("phone", in.Phone))
	a.Ref = Ref(f.given("reference_id", in.ReferenceID))
	f.required("name", a.Name)
	f.text("name", a.Name)
	f.text("email", a.Email)
	if a.Email != "" && !isAddress(a.Email) {
		f.Add("email", MsgInvalid)
	}
	f.textOf("phone", a.Phone, maxPhone)
	f.ref("reference_id", a.Ref)
	f.required("entity_reference_id", f.given("entity_reference_id", in.EntityReferenceID))
	return a, f
}

// isAddress reports whether a text is one e-mail address alone: without a display name, angle brackets around it, a group
// or a comment.
func isAddress(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.String() == "<"+text+">" && !strings.ContainsFunc(text, unicode.IsControl)
}

// given returns the text of a field, empty where it was not sent or is null, and adds the fault of one that is no text.
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

// fixed adds the fault of a field that was sent and is not what is stored.
func (f *FieldErrors) fixed(field string, in Field, stored string) {
	if in.Set && (in.Null || in.Wrong || in.Text != stored) {
		f.Add(field, MsgUnchanged)
	}
}
