package directoryapi

import (
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

var (
	ofType = web.Param{Name: "entity_type", Required: true, About: "The type of the entities.", Schema: entityTypes}
	// cursors are the parameters of a list.
	cursors = []web.Param{
		{Name: "after", Schema: wire.Text, About: "The cursor metadata.after of a page: returns the next page."},
		{Name: "before", Schema: wire.Text, About: "The cursor metadata.before of a page: returns the previous page."},
	}
)

// Reference is what the document says of a parameter of a path.
func Reference(name, about string) web.Param {
	return web.Param{Name: name, Required: true, About: about, Schema: reference}
}

// Schemas adds the schemas of the good answers, and of the bodies that are sent.
func Schemas(s *wire.Schemas) {
	s.Add("EntityDocument", entityDocument(directory.EntityRecord{}))
	s.Add("Entities", list{}.entityPage(directory.Page[directory.EntityRecord]{}))
	s.Add("TeacherDocument", teacherDocument(directory.AccountRecord{}))
	s.Add("Accounts", list{}.accountPage(directory.Page[directory.AccountRecord]{}))
	city := wire.OrNull(atMost(255))
	anyCase := wire.OrNull(wire.Pattern("^([A-Za-z]{2})?$")) // an empty one is none
	const letters, stored = "Two letters A-Z; kept in upper case.", "Must be the stored one."
	code := wire.Field{Name: "inep", Schema: wire.OrNull(wire.Text), Optional: true, About: "1 to 8 digits. Only schools have it; it is stored as null for others."}
	degree := wire.Field{Name: "degree", Schema: wire.Text.With("minLength", 1), About: "A degree of the partner's vocabulary."}
	s.Put("NewEntity", sent(true,
		wire.Field{Name: "name", Schema: reference}, wire.Field{Name: "entity_type", Schema: entityTypes}, degree, code,
		wire.Field{Name: "state", Schema: anyCase, Optional: true, About: letters},
		wire.Field{Name: "city", Schema: city, Optional: true},
		wire.Field{Name: "reference_id", Schema: reference},
		wire.Field{Name: "parent_reference_id", Schema: reference, About: "The entity one level above; for a network, the partner's own reference."},
	))
	s.Put("EntityChange", sent(false,
		wire.Field{Name: "name", Schema: reference}, degree, code,
		wire.Field{Name: "state", Schema: anyCase, About: letters},
		wire.Field{Name: "city", Schema: city},
		wire.Field{Name: "entity_type", Schema: entityTypes, About: stored},
		wire.Field{Name: "reference_id", Schema: reference, About: stored},
		wire.Field{Name: "parent_reference_id", Schema: reference, About: stored},
	))
	s.Put("NewTeacher", teacherSent(true))
	s.Put("TeacherChange", teacherSent(false))
}

// sent is the schema of a body: fields that are not known are ignored, and none need be there where they are not required.
func sent(required bool, fields ...wire.Field) wire.Object {
	o := wire.Record(fields...)
	if !required {
		o = o[:4:4]
	} else {
		o = o[:6:6]
	}
	return o.With("additionalProperties", true)
}

// atMost is a text of so many characters.
func atMost(characters int) wire.Object { return wire.Text.With("maxLength", characters) }

// teacherSent is what is sent of a teacher; to create one, e-mail and phone may be left out, and otherwise not even blank.
func teacherSent(optional bool) wire.Object {
	email, phone := atMost(255).With("format", "email"), atMost(64)
	if optional {
		email, phone = wire.OrNull(email), wire.OrNull(phone)
	} else {
		email, phone = email.With("minLength", 1), phone.With("minLength", 1)
	}
	return sent(true,
		wire.Field{Name: "name", Schema: reference},
		wire.Field{Name: "email", Schema: email, Optional: optional, About: "One address."},
		wire.Field{Name: "phone", Schema: phone, Optional: optional, About: "Free text."},
		wire.Field{Name: "reference_id", Schema: reference},
		wire.Field{Name: "entity_reference_id", Schema: reference, About: "The entity to which the teacher is attached."},
	)
}
