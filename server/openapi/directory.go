package openapi

import (
	"strings"

	"github.com/lectern-dev/lectern/server/internal/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// directory is the partner directory.
func directory(s Settings) api {
	return api{
		name:    "directory",
		title:   "Partner directory",
		summary: "Networks, schools, classes and teachers that a partner keeps.",
		description: "Every request is signed: `Authorization: APIAuth-HMAC-SHA256 <access_key_id>:<signature>`, the signature being base64(HMAC(secret, `METHOD,content-type,content-hash,path?query,date`)). " +
			"Date is sent as Date, or as X-Date from a browser, and is good for 900 seconds; a body goes with X-Authorization-Content-SHA256, the base64 SHA-256 of it. The page /docs signs calls by itself, and `lectern sign` prints signed headers for curl. " +
			allowance(s.DirectoryRate, "for each key") + "References are percent-encoded in paths.",
		security: object{"signature", object{
			"type", "apiKey", "in", "header", "name", "Authorization", "description", "APIAuth-HMAC-SHA256 <access_key_id>:<signature>",
		}},
		tags: object{
			"entities", "Networks, their schools and the classes of these, and who is attached to them.",
			"teachers", "The teachers that the partner keeps.",
		},
		operations: directoryOperations(),
		failures: map[int]failed{
			400: {"The body is no JSON object, or was cut off, or a cursor is not one of this list.", nil},
			401: {"No live key signed the request, or its Date is more than 900 seconds off.", []string{"WWW-Authenticate"}},
			404: {"There is no such path, or the partner has no such record.", nil},
			405: {"The path has no such method.", []string{"Allow"}},
			413: {"The body has more than 1 MiB.", nil},
			415: {"The body's content type is not application/json.", nil},
			422: {"A field is not accepted, or the entity has children; one list of messages for each field.", nil},
			429: {"The requests of this minute are used up.", []string{"Retry-After"}},
			500: {"Something failed here.", nil},
			503: {"The database does not answer for a moment, a write waited too long for its turn, or the bodies of requests fill the memory that there is for them. A write may have been carried out.", []string{"Retry-After"}},
		},
		failure: "Problem",
		schemas: directorySchemas(),
	}
}

// refs are the texts that are references, and names.
var refs = wire.Text.With("minLength", 1, "maxLength", 255)

// reference is a parameter of a path.
func reference(name, description string) param {
	return param{"path", web.Param{Name: name, Required: true, About: description, Schema: refs}}
}

// paged are the parameters of a list, after its own.
func paged(own param) []param {
	return []param{
		own,
		{"query", web.Param{Name: "after", Schema: wire.Text, About: "The cursor metadata.after of a page: the page that follows it."}},
		{"query", web.Param{Name: "before", Schema: wire.Text, About: "The cursor metadata.before of a page: the page before it."}},
	}
}

// directoryOperations are the routes. What a method has in common, status and errors, is filled in.
func directoryOperations() []operation {
	entity, teacher := []param{reference("reference_id", "The entity's reference.")}, []param{reference("reference_id", "The teacher's reference.")}
	typed := param{"query", web.Param{Name: "entity_type", Required: true, About: "The type of the entities.", Schema: entityTypes}}
	of := reference("entity_reference_id", "The entity's reference.")
	const (
		one     = "/entities/{reference_id}"
		below   = "/entities/{entity_reference_id}"
		someone = "/teachers/{reference_id}"
	)
	all := []operation{
		{method: "get", path: "/entities", id: "listEntities", params: paged(typed), answer: "Entities", errors: []int{400, 401, 404, 405, 413, 422, 429, 500, 503},
			summary: "List entities", description: "The entities of one type, by creation, 50 a page."},
		{method: "post", path: "/entities", id: "createEntity", body: "NewEntity", answer: "EntityDocument",
			summary: "Create an entity", description: "All faults come together, one message for each field."},
		{method: "get", path: one, id: "showEntity", params: entity, answer: "EntityDocument",
			summary: "Show an entity", description: "The entity with the entity above it."},
		{method: "put", path: one, id: "editEntity", params: entity, body: "EntityChange", answer: "EntityDocument",
			summary: "Edit an entity", description: "A field that is left out keeps its value; an optional one sent as null is cleared."},
		{method: "delete", path: one, id: "deleteEntity", params: entity, summary: "Delete an entity",
			description: "Refused while it has children. Its teachers and readers become inactive, its evaluations are removed, and its reference becomes free."},
		{method: "get", path: one + "/subtree", id: "listSubtree", params: paged(entity[0]), answer: "Entities",
			summary: "List descendants", description: "Every entity below the one named, by creation, 50 a page."},
		{method: "get", path: below + "/readers", id: "listReaders", params: paged(of), answer: "Accounts",
			summary: "List readers of an entity", description: "Those attached to this entity, by creation, 50 a page."},
		{method: "get", path: below + "/teachers", id: "listTeachers", params: paged(of), answer: "Accounts",
			summary: "List teachers of an entity", description: "Those attached to this entity, by creation, 50 a page."},
		{method: "post", path: "/teachers", id: "createTeacher", body: "NewTeacher", answer: "TeacherDocument",
			summary: "Create a teacher", description: "The answer has the teacher's access token, which never changes."},
		{method: "get", path: someone, id: "showTeacher", params: teacher, answer: "TeacherDocument",
			summary: "Show a teacher", description: "The teacher with e-mail and access token."},
		{method: "put", path: someone, id: "editTeacher", params: teacher, body: "TeacherChange", answer: "TeacherDocument",
			summary: "Edit a teacher", description: "All five strings are required. It may move the teacher and change the reference."},
		{method: "delete", path: someone, id: "deleteTeacher", params: teacher,
			summary: "Delete a teacher", description: "E-mail and phone are erased; the name and what the teacher read stay in the reports."},
	}
	for i := range all {
		op := &all[i]
		op.tag, _, _ = strings.Cut(op.path[1:], "/")
		op.path = directoryapi.Prefix + op.path
		m := methods[op.method]
		op.status = m.status
		if op.errors == nil {
			op.errors = m.errors
		}
	}
	return all
}

// methods are the status and the errors of the operations of a method.
var methods = map[string]struct {
	status int
	errors []int
}{
	"get":    {200, []int{400, 401, 404, 405, 413, 429, 500, 503}},
	"post":   {201, []int{400, 401, 404, 405, 413, 415, 422, 429, 500, 503}},
	"put":    {200, []int{400, 401, 404, 405, 413, 415, 422, 429, 500, 503}},
	"delete": {204, []int{400, 401, 404, 405, 413, 422, 429, 500, 503}},
}

var entityTypes = wire.Enum("network", "school", "class")

// directorySchemas are those of errors, of answers and of bodies that are sent.
func directorySchemas() (all wire.Schemas) {
	all.Put("Problem", wire.Record(wire.Field{Name: "errors", Schema: object{
		"type", "object", "description", "The field `detail` with a text, or on 422 a list of messages for each field.",
		"additionalProperties", object{"oneOf", []object{wire.Text, wire.ListOf(wire.Text)}},
	}}))
	directoryapi.Schemas(&all)
	city := wire.OrNull(atMost(255))
	const letters, stored = "Two letters A-Z; kept in upper case.", "Accepted when it is the stored one."
	code := wire.Field{Name: "inep", Schema: wire.OrNull(wire.Text), Optional: true, About: "1 to 8 digits; of a school alone, and stored as null for others."}
	degree := wire.Field{Name: "degree", Schema: wire.Text.With("minLength", 1), About: "A degree of the partner's vocabulary."}
	all.Put("NewEntity", sent(true,
		wire.Field{Name: "name", Schema: refs}, wire.Field{Name: "entity_type", Schema: entityTypes}, degree, code,
		wire.Field{Name: "state", Schema: wire.OrNull(wire.Text), Optional: true, About: letters},
		wire.Field{Name: "city", Schema: city, Optional: true},
		wire.Field{Name: "reference_id", Schema: refs},
		wire.Field{Name: "parent_reference_id", Schema: refs, About: "The entity one level above; for a network the partner's own reference."},
	))
	all.Put("EntityChange", sent(false,
		wire.Field{Name: "name", Schema: refs}, degree, code,
		wire.Field{Name: "state", Schema: wire.OrNull(wire.Text), About: letters},
		wire.Field{Name: "city", Schema: city},
		wire.Field{Name: "entity_type", Schema: entityTypes, About: stored},
		wire.Field{Name: "reference_id", Schema: refs, About: stored},
		wire.Field{Name: "parent_reference_id", Schema: refs, About: stored},
	))
	all.Put("NewTeacher", teacherSent(true))
	all.Put("TeacherChange", teacherSent(false))
	return all
}

// sent is the schema of a body: fields that are not known are ignored, and none need be there where they are not required.
func sent(required bool, fields ...wire.Field) object {
	o := wire.Record(fields...)
	if !required {
		o = o[:4:4]
	} else {
		o = o[:6:6]
	}
	return o.With("additionalProperties", true)
}

// atMost is a text of so many characters.
func atMost(characters int) object { return wire.Text.With("maxLength", characters) }

// teacherSent is what is sent of a teacher; to create one, e-mail and phone may be left out, and otherwise not even blank.
func teacherSent(optional bool) object {
	email, phone := atMost(255), atMost(64)
	if optional {
		email, phone = wire.OrNull(email), wire.OrNull(phone)
	} else {
		email, phone = email.With("minLength", 1), phone.With("minLength", 1)
	}
	return sent(true,
		wire.Field{Name: "name", Schema: refs},
		wire.Field{Name: "email", Schema: email, Optional: optional, About: "One address."},
		wire.Field{Name: "phone", Schema: phone, Optional: optional, About: "Free text."},
		wire.Field{Name: "reference_id", Schema: refs},
		wire.Field{Name: "entity_reference_id", Schema: refs, About: "The entity that the teacher is to be attached to."},
	)
}
