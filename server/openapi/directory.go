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
		operations: append(entityOperations(), teacherOperations()...),
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

// cursors are the parameters of a list.
var cursors = []param{
	{"query", web.Param{Name: "after", Schema: wire.Text, About: "The cursor metadata.after of a page: the page that follows it."}},
	{"query", web.Param{Name: "before", Schema: wire.Text, About: "The cursor metadata.before of a page: the page before it."}},
}

var (
	ofEntity  = reference("reference_id", "The entity's reference.")
	ofTeacher = reference("reference_id", "The teacher's reference.")
)

// read, write and remove are the operations' common parts: their errors, and what they answer with.
func read(path, id, answer, summary, description string, params ...param) operation {
	return operation{method: "get", path: directoryapi.Prefix + path, id: id, tag: group(path), summary: summary, description: description, params: params,
		status: 200, answer: answer, errors: []int{400, 401, 404, 405, 413, 429, 500, 503}}
}

func write(method, path, id string, status int, body, answer, summary, description string, params ...param) operation {
	return operation{method: method, path: directoryapi.Prefix + path, id: id, tag: group(path), summary: summary, description: description, params: params,
		status: status, body: body, answer: answer, errors: []int{400, 401, 404, 405, 413, 415, 422, 429, 500, 503}}
}

func remove(path, id, summary, description string, of param) operation {
	return operation{method: "delete", path: directoryapi.Prefix + path, id: id, tag: group(path), summary: summary, description: description, params: []param{of},
		status: 204, errors: []int{400, 401, 404, 405, 413, 422, 429, 500, 503}}
}

// group is the group of a path, its first segment.
func group(path string) string {
	tag, _, _ := strings.Cut(path[1:], "/")
	return tag
}

func entityOperations() []operation {
	typed := param{"query", web.Param{Name: "entity_type", Required: true, About: "The type of the entities.", Schema: entityTypes}}
	of := reference("entity_reference_id", "The entity's reference.")
	list := read("/entities", "listEntities", "Entities", "List entities", "The entities of one type, by creation, 50 a page.", append([]param{typed}, cursors...)...)
	list.errors = []int{400, 401, 404, 405, 413, 422, 429, 500, 503}
	return []operation{
		list,
		write("post", "/entities", "createEntity", 201, "NewEntity", "EntityDocument", "Create an entity", "All faults come together, one message for each field."),
		read("/entities/{reference_id}", "showEntity", "EntityDocument", "Show an entity", "The entity with the entity above it.", ofEntity),
		write("put", "/entities/{reference_id}", "editEntity", 200, "EntityChange", "EntityDocument", "Edit an entity",
			"A field that is left out keeps its value; an optional one sent as null is cleared.", ofEntity),
		remove("/entities/{reference_id}", "deleteEntity", "Delete an entity",
			"Refused while it has children. Its teachers and readers become inactive, its evaluations are removed, and its reference becomes free.", ofEntity),
		read("/entities/{reference_id}/subtree", "listSubtree", "Entities", "List descendants", "Every entity below the one named, by creation, 50 a page.", append([]param{ofEntity}, cursors...)...),
		read("/entities/{entity_reference_id}/readers", "listReaders", "Accounts", "List readers of an entity", "Those attached to this entity, by creation, 50 a page.", append([]param{of}, cursors...)...),
		read("/entities/{entity_reference_id}/teachers", "listTeachers", "Accounts", "List teachers of an entity", "Those attached to this entity, by creation, 50 a page.", append([]param{of}, cursors...)...),
	}
}

func teacherOperations() []operation {
	return []operation{
		write("post", "/teachers", "createTeacher", 201, "NewTeacher", "TeacherDocument", "Create a teacher", "The answer has the teacher's access token, which never changes."),
		read("/teachers/{reference_id}", "showTeacher", "TeacherDocument", "Show a teacher", "The teacher with e-mail and access token.", ofTeacher),
		write("put", "/teachers/{reference_id}", "editTeacher", 200, "TeacherChange", "TeacherDocument", "Edit a teacher", "All five strings are required. It may move the teacher and change the reference.", ofTeacher),
		remove("/teachers/{reference_id}", "deleteTeacher", "Delete a teacher", "E-mail and phone are erased; the name and what the teacher read stay in the reports.", ofTeacher),
	}
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
