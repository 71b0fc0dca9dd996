package openapi

import "slices"

// What the schools and the libraries API share.

// keySecurity are the two ways to send a key.
var keySecurity = []security{
	{"apiKey", object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-Api-Key"}, {"description", "The key that the operator issued. It decides where both headers are sent."}}},
	{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "The same key as a bearer token."}}},
}

// forms says in which forms the lists come (H11).
const forms = "Lists also answer Accept: text/csv, in the profile of Brazilian spreadsheets with text/csv; profile=pt-BR, and application/x-ndjson, one row a line. "

// failureSchema is the body of every error (H2).
var failureSchema = schema{"Error", record(
	field{name: "statusCode", schema: integer, description: "The status of the answer."},
	field{name: "error", schema: text, description: "The name of the status."},
	field{name: "message", schema: object{{"oneOf", []object{text, list(text)}}}, description: "What is wrong; for 400 one message for each invalid parameter."},
)}

// periodSchema and pageSchema are the parts of meta.
var (
	periodSchema = schema{"Period", record(
		field{name: "startDate", schema: date, description: "First day, after defaults."},
		field{name: "endDate", schema: date, description: "Last day, after defaults."},
	)}
	pageSchema = schema{"Page", record(
		field{name: "page", schema: integer, description: "Number of the page, from 1."},
		field{name: "pageSize", schema: integer, description: "Rows of a full page."},
		field{name: "totalRows", schema: integer, description: "Rows of all pages."},
	)}
)

// failures are the errors of every route of the two APIs.
func reportFailures() map[int]failed {
	return map[int]failed{
		400: {"A parameter is invalid, or is none of the route.", nil},
		401: {"The key is missing, or no key of this API that is good.", []string{"WWW-Authenticate"}},
		403: {"The default user agent of Python's standard URL library; send a User-Agent of your own.", nil},
		404: {"There is no such path.", nil},
		405: {"A method other than GET.", []string{"Allow"}},
		410: {"The state that the pull is answered from is no longer kept. Begin the pull again with its first page, without snapshot.", nil},
		429: {"The requests of this minute are used up.", []string{"Retry-After"}},
		500: {"Something failed here; nothing partial is returned.", nil},
		503: {"The database does not answer for a moment.", []string{"Retry-After"}},
	}
}

// get is a route of rows or records.
func get(path, id, answer, summary, description string, params []param) operation {
	return operation{
		method: "get", path: path, id: id, example: id, summary: summary, description: description,
		params: append(slices.Clone(params), snapshotParam),
		status: 200, answer: answer, errors: []int{400, 401, 403, 404, 405, 410, 429, 500, 503},
	}
}

// snapshotParam stands last in the table of every route.
var snapshotParam = query("snapshot", snapshot,
	"The X-Snapshot of an earlier answer: answers as then, from the same state of the data and with the same defaults of the period.")

// query is a parameter of the query that may be left out.
func query(name string, s object, description string) param {
	return param{name: name, in: "query", schema: s, description: description}
}

// paging are the parameters page and pageSize.
func paging(most int) []param {
	return []param{
		query("page", whole(member{"minimum", 1}, member{"maximum", 100_000}, member{"default", 1}), "Number of the page."),
		query("pageSize", whole(member{"minimum", 1}, member{"maximum", most}, member{"default", 100}), "Rows of a page."),
	}
}

// integerParam, textParam and boolParam are the forms of parameters (H3).
var (
	integerParam = whole(member{"minimum", 0}, member{"maximum", int64(1<<53 - 1)})
	textParam    = object{{"type", "string"}, {"minLength", 1}, {"maxLength", 200}}
	boolParam    = enum("true", "false")
)

// rowsOf is the envelope of a list.
func rowsOf(meta string, row string) object {
	return record(
		field{name: "meta", schema: ref(meta)},
		field{name: "data", schema: record(field{name: "rows", schema: list(ref(row))})},
	)
}
