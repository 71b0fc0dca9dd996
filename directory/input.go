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
func (n NewEntity) Entity(degrees Degrees) (Entity, *FieldErrors) {
	f := &FieldErrors{}
	e := Entity{
		Name:   f.given("name", n.Name),
		Degree: f.given("degree", n.Degree),
		INEP:   f.given("inep", n.INEP),
		State:  f.given("state", n.State),
		City:   f.given("city", n.City),
		Ref:    Ref(f.given("reference_id", n.ReferenceID)),
	}
	typeName := f.given("entity_type", n.EntityType)
	var known bool
	if e.Type, known = ParseEntityType(typeName); !known && strings.TrimSpace(typeName) != "" {
		f.Add("entity_type", MsgInvalid)
	}
	f.merge(e.Validate(degrees))
	f.required("parent_reference_id", f.given("parent_reference_id", n.ParentReferenceID))
	return e, f
}

// Apply returns a stored entity as the change makes it, and the faults of the change. A field that is not set keeps its
// value, and has no fault even where it would not be accepted any more, such as a degree that the operator has since
// taken out of the vocabulary.
func (c EntityChange) Apply(was EntityRecord, degrees Degrees) (Entity, *FieldErrors) {
	f := &FieldErrors{}
	e := was.Entity
	f.change(&e.Name, "name", c.Name)
	f.change(&e.Degree, "degree", c.Degree)
	f.change(&e.INEP, "inep", c.INEP)
	f.change(&e.State, "state", c.State)
	f.change(&e.City, "city", c.City)
	f.fixed("entity_type", c.EntityType, e.Type.String())
	f.fixed("reference_id", c.ReferenceID, string(e.Ref))
	f.fixed("parent_reference_id", c.ParentReferenceID, string(was.ParentRef))
	sent := map[string]Field{"name": c.Name, "degree": c.Degree, "inep": c.INEP, "state": c.State, "city": c.City}
	for field, message := range e.Validate(degrees).All() {
		if sent[field].Set {
			f.Add(field, message)
		}
	}
	return e, f
}

// Account returns the teacher that the input makes and its faults, as far as they can be told without the partner's
// other rows: ID, AccessToken and Entity remain to be set.
func (n NewTeacher) Account() (Account, *FieldErrors) {
	f := &FieldErrors{}
	return f.teacher(Account{Kind: Teacher, Active: true}, TeacherChange(n)), f
}

// Apply returns a stored teacher as the change makes it, and its faults; all five fields are required. The entity
// remains to be looked up.
func (c TeacherChange) Apply(was Account) (Account, *FieldErrors) {
	f := &FieldErrors{}
	a := f.teacher(was, c)
	f.required("email", a.Email)
	f.required("phone", a.Phone)
	return a, f
}

// teacher puts what was sent into an account. Faults that both inputs can have are added.
func (f *FieldErrors) teacher(a Account, c TeacherChange) Account {
	a.Name = strings.TrimSpace(f.given("name", c.Name))
	a.Email = strings.TrimSpace(f.given("email", c.Email))
	a.Phone = blankToNull(f.given("phone", c.Phone))
	a.Ref = Ref(f.given("reference_id", c.ReferenceID))
	f.required("name", a.Name)
	f.text("name", a.Name)
	f.text("email", a.Email)
	if a.Email != "" && !isAddress(a.Email) {
		f.Add("email", MsgInvalid)
	}
	f.textOf("phone", a.Phone, maxPhone)
	f.ref("reference_id", a.Ref)
	f.required("entity_reference_id", f.given("entity_reference_id", c.EntityReferenceID))
	return a
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

// merge adds the faults of others.
func (f *FieldErrors) merge(others *FieldErrors) {
	for field, message := range others.All() {
		f.Add(field, message)
	}
}
