package openapi

const directoryBase = "/api/v2/partners"

// directory is the partner directory.
func directory(s Settings) api {
	return api{
		name:    "directory",
		title:   "Partner directory",
		summary: "Networks, schools, classes and teachers that a partner keeps.",
		description: "Every request is signed: `Authorization: APIAuth-HMAC-SHA256 <access_key_id>:<signature>`, the signature being base64(HMAC(secret, `METHOD,content-type,content-hash,path?query,date`)). " +
			"Date is sent as Date, or as X-Date from a browser, and is good for 900 seconds; a body goes with X-Authorization-Content-SHA256, the base64 SHA-256 of it. The page /docs signs calls by itself, and `lectern sign` prints signed headers for curl. " +
			allowance(s.DirectoryRate, "for each key") + "References are percent-encoded in paths.",
		security: []security{{"signature", object{
			{"type", "apiKey"}, {"in", "header"}, {"name", "Authorization"},
			{"description", "APIAuth-HMAC-SHA256 <access_key_id>:<signature>"},
		}}},
		tags: object{
			{"entities", "Networks, their schools and the classes of these, and who is attached to them."},
			{"teachers", "The teachers that the partner keeps."},
		},
		operations: append(tagged("entities", entityOperations()), tagged("teachers", teacherOperations())...),
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

// reference is a parameter of a path.
func reference(name, description string) param {
	return param{name: name, in: "path", required: true, description: description, schema: object{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}}
}

// cursors are the parameters of a list.
var cursors = []param{
	query("after", text, "The cursor metadata.after of a page: the page that follows it."),
	query("before", text, "The cursor metadata.before of a page: the page before it."),
}

var (
	ofEntity  = reference("reference_id", "The entity's reference.")
	ofTeacher = reference("reference_id", "The teacher's reference.")
)

// read, write and remove are the operations' common parts: their errors, and what they answer with.
func read(path, id, answer, summary, description string, params ...param) operation {
	return operation{method: "get", path: directoryBase + path, id: id, example: id, summary: summary, description: description, params: params,
		status: 200, answer: answer, errors: []int{400, 401, 404, 405, 413, 429, 500, 503}}
}

func write(method, path, id string, status int, body, answer, summary, description string, params ...param) operation {
	return operation{method: method, path: directoryBase + path, id: id, example: id, summary: summary, description: description, params: params,
		status: status, body: body, answer: answer, errors: []int{400, 401, 404, 405, 413, 415, 422, 429, 500, 503}}
}

func remove(path, id, summary, description string, of param) operation {
	return operation{method: "delete", path: directoryBase + path, id: id, summary: summary, description: description, params: []param{of},
		status: 204, errors: []int{400, 401, 404, 405, 413, 422, 429, 500, 503}}
}

func entityOperations() []operation {
	typed := param{name: "entity_type", in: "query", required: true, description: "The type of the entities.", schema: enum("network", "school", "class")}
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

func directorySchemas() []schema {
	named := object{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}
	refs := object{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}
	state := object{{"type", "string"}, {"pattern", "^[A-Z]{2}$"}}
	inep := object{{"type", "string"}, {"pattern", `^\d{1,8}$`}}
	code := field{name: "inep", schema: orNull(text), optional: true, description: "1 to 8 digits; of a school alone, and stored as null for others."}
	degree := field{name: "degree", schema: object{{"type", "string"}, {"minLength", 1}}, description: "A degree of the partner's vocabulary."}
	entityType := enum("network", "school", "class")
	entity := []field{
		{name: "name", schema: text},
		{name: "entity_type", schema: entityType},
		{name: "degree", schema: orNull(text), description: "Degree, of the partner's vocabulary: I, 1 to 9, M, M1 to M3, F unless the operator replaced it."},
		{name: "inep", schema: orNull(inep), description: "Official code of a school; null for others."},
		{name: "state", schema: orNull(state), description: "Two letters."},
		{name: "city", schema: orNull(text)},
		{name: "reference_id", schema: refs, description: "The partner's own reference."},
	}
	account := func(more ...field) []field {
		fields := []field{
			{name: "access_token", schema: orNull(text), description: "Access code, made by the service."},
			{name: "entity_reference_id", schema: orNull(text), description: "The entity that the account is attached to."},
			{name: "name", schema: orNull(text)},
		}
		return append(append(fields, more...),
			field{name: "phone", schema: orNull(text)},
			field{name: "reference_id", schema: refs},
			field{name: "active", schema: boolean})
	}
	document := func(data string) object {
		return record(field{name: "data", schema: ref(data)}, field{name: "errors", schema: object{{"type", "null"}}}, field{name: "pagination", schema: object{{"type", "null"}}})
	}
	page := func(entry string) object {
		return record(field{name: "entries", schema: list(ref(entry))}, field{name: "metadata", schema: ref("Metadata")})
	}
	sent := func(required bool, more ...field) object {
		o := record(more...)
		o[3].value = true // fields that are not known are ignored
		if !required {
			return append(o[:2:2], o[3])
		}
		return o
	}
	return []schema{
		{"Problem", record(field{name: "errors", schema: object{
			{"type", "object"}, {"description", "The field `detail` with a text, or on 422 a list of messages for each field."},
			{"additionalProperties", object{{"oneOf", []object{text, list(text)}}}},
		}})},
		{"Entity", record(entity...)},
		{"EntityRecord", record(append(entity[:len(entity):len(entity)], field{name: "parent_reference_id", schema: orNull(text), description: "The entity above; for a network the partner's own reference."})...)},
		{"EntityDocument", document("EntityRecord")},
		{"Entities", page("Entity")},
		{"Teacher", record(account(field{name: "email", schema: orNull(text)})...)},
		{"TeacherDocument", document("Teacher")},
		{"Account", record(account()...)},
		{"Accounts", page("Account")},
		{"Metadata", record(
			field{name: "after", schema: orNull(text), description: "Cursor of the last entry; null on the last page."},
			field{name: "before", schema: orNull(text), description: "Cursor of the first entry; null on the first page."},
			field{name: "limit", schema: integer, description: "Entries of a full page."},
		)},
		{"NewEntity", sent(true,
			field{name: "name", schema: named},
			field{name: "entity_type", schema: entityType},
			degree, code,
			field{name: "state", schema: orNull(text), optional: true, description: "Two letters A-Z; kept in upper case."},
			field{name: "city", schema: orNull(atMost(255)), optional: true},
			field{name: "reference_id", schema: refs},
			field{name: "parent_reference_id", schema: refs, description: "The entity one level above; for a network the partner's own reference."},
		)},
		{"EntityChange", sent(false,
			field{name: "name", schema: named},
			degree, code,
			field{name: "state", schema: orNull(text), description: "Two letters A-Z; kept in upper case."},
			field{name: "city", schema: orNull(atMost(255))},
			field{name: "entity_type", schema: entityType, description: "Accepted when it is the stored one."},
			field{name: "reference_id", schema: refs, description: "Accepted when it is the stored one."},
			field{name: "parent_reference_id", schema: refs, description: "Accepted when it is the stored one."},
		)},
		{"NewTeacher", sent(true, teacherFields(true)...)},
		{"TeacherChange", sent(true, teacherFields(false)...)},
	}
}

// atMost is a text of so many characters.
func atMost(characters int) object { return object{{"type", "string"}, {"maxLength", characters}} }

// teacherFields are what is sent of a teacher; to create one, e-mail and phone may be left out, and otherwise not even blank.
func teacherFields(optional bool) []field {
	named := object{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}
	email, phone := atMost(255), atMost(64)
	if optional {
		email, phone = orNull(email), orNull(phone)
	} else {
		email, phone = email.with(member{"minLength", 1}), phone.with(member{"minLength", 1})
	}
	return []field{
		{name: "name", schema: named},
		{name: "email", schema: email, optional: optional, description: "One address."},
		{name: "phone", schema: phone, optional: optional, description: "Free text."},
		{name: "reference_id", schema: named},
		{name: "entity_reference_id", schema: named, description: "The entity that the teacher is to be attached to."},
	}
}
