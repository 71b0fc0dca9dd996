package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// api is one document before it is put together.
type api struct {
	title, summary, description string
	security                    []security
	operations                  []operation
	schemas                     []schema
	// failures are the errors that any operation may answer, by status, each with its headers; the schema of all is failure.
	failures map[int]failed
	failure  string
}

// security is a way to authenticate.
type security struct {
	name   string
	scheme object
}

// operation is one method of one path.
type operation struct {
	method, path, id, tag string
	summary, body         string // body is the name of the schema that is sent, "" for none
	description           string
	params                []param
	status                int
	answer                string // the name of the schema, "" for no content
	rows                  bool   // the answer has rows, which CSV and NDJSON show too
	errors                []int
	own                   map[int]failed // what is said of an error other than what the API says of its status
	example               string         // the file of a real answer, and of a body sent: see examples
}

// param is a parameter of a path or a query.
type param struct {
	name, in, description string
	required              bool
	schema                object
}

// schema is a named schema.
type schema struct {
	name string
	object
}

// field is a member of a record. It is always there, unless it is optional.
type field struct {
	name        string
	schema      object
	description string
	optional    bool
}

// failed is what is said of a status.
type failed struct {
	description string
	headers     []string
}

// examples are real answers over the demo's data, by the operations' names; a test keeps them so.
//
//go:embed examples
var examples embed.FS

// The types of the specifications.
var (
	integer  = object{{"type", "integer"}, {"minimum", 0}}
	text     = object{{"type", "string"}}
	boolean  = object{{"type", "boolean"}}
	date     = object{{"type", "string"}, {"format", "date"}}
	instant  = object{{"type", "string"}, {"format", "date-time"}, {"pattern", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`}}
	local    = object{{"type", "string"}, {"pattern", `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`}}
	month    = object{{"type", "string"}, {"pattern", `^\d{4}-\d\d$`}}
	money    = object{{"type", "string"}, {"pattern", `^(0|\d+\.\d\d)$`}}
	share    = object{{"type", "number"}, {"minimum", 0}}
	fraction = object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}
	percent  = object{{"type", "number"}, {"minimum", 0}, {"maximum", 100}}
)

// ref refers to a named schema.
func ref(name string) object { return object{{"$ref", "#/components/schemas/" + name}} }

// list is an array.
func list(items object) object { return object{{"type", "array"}, {"items", items}} }

// enum is one of the values.
func enum(values ...string) object { return object{{"type", "string"}, {"enum", values}} }

// orNull is a type, a reference or an enum that may also be null.
func orNull(o object) object {
	if o[0].name == "$ref" {
		return object{{"oneOf", []object{o, {{"type", "null"}}}}}
	}
	n := object{{"type", []any{o[0].value, "null"}}}
	for _, m := range o[1:] {
		if values, ok := m.value.([]string); ok && m.name == "enum" {
			all := []any{}
			for _, v := range values {
				all = append(all, v)
			}
			m.value = append(all, nil)
		}
		n = append(n, m)
	}
	return n
}

// record is an object with the fields and no others.
func record(fields ...field) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		s := f.schema
		if f.description != "" {
			s = s.with(member{"description", f.description})
		}
		properties = append(properties, member{f.name, s})
		if !f.optional {
			required = append(required, f.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
}

// bytes puts the document together.
func (a api) bytes() []byte {
	d := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", a.title}, {"summary", a.summary}, {"description", a.description}, {"version", "1"},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "this server"}}}},
		{"tags", a.tags()},
		{"security", a.securities()},
		{"paths", a.paths()},
		{"components", a.components()},
	}
	b, err := encode(d)
	if err != nil {
		panic(fmt.Sprintf("openapi: %v", err)) // the document is made of constants
	}
	return b
}

func (a api) securities() []object {
	var all []object
	for _, s := range a.security {
		all = append(all, object{{s.name, []string{}}})
	}
	return all
}

// tags are the groups of operations, in the order in which they come.
func (a api) tags() []object {
	var tags []object
	for i, op := range a.operations {
		if i == 0 || a.operations[i-1].tag != op.tag {
			tags = append(tags, object{{"name", op.tag}})
		}
	}
	return tags
}

// tagged puts operations into a group.
func tagged(tag string, ops []operation) []operation {
	for i := range ops {
		ops[i].tag = tag
	}
	return ops
}

func (a api) paths() object {
	var paths object
	for _, op := range a.operations {
		if n := len(paths); n > 0 && paths[n-1].name == op.path {
			paths[n-1].value = append(paths[n-1].value.(object), member{op.method, a.operation(op)})
			continue
		}
		paths = append(paths, member{op.path, object{{op.method, a.operation(op)}}})
	}
	return paths
}

func (a api) operation(op operation) object {
	o := object{{"operationId", op.id}, {"tags", []string{op.tag}}, {"summary", op.summary}, {"description", op.description}}
	if len(op.params) > 0 {
		params := []object{}
		for _, p := range op.params {
			params = append(params, object{
				{"name", p.name}, {"in", p.in}, {"description", p.description}, {"required", p.required}, {"schema", p.schema},
			})
		}
		o = append(o, member{"parameters", params})
	}
	if op.body != "" {
		content := object{{"schema", ref(op.body)}}
		if e, ok := example(op.example + ".request"); ok {
			content = append(content, member{"example", e})
		}
		o = append(o, member{"requestBody", object{{"required", true}, {"content", object{{"application/json", content}}}}})
	}
	responses := object{{strconv.Itoa(op.status), a.success(op)}}
	statuses := op.errors
	if op.method == "get" {
		statuses = append([]int{http.StatusNotModified}, statuses...)
	}
	for _, status := range statuses {
		response := object{{"$ref", "#/components/responses/" + responseName(status)}}
		if f, ok := op.own[status]; ok {
			response = a.failureOf(status, f)
		}
		responses = append(responses, member{strconv.Itoa(status), response})
	}
	return append(o, member{"responses", responses})
}

// success is the good answer of an operation.
func (a api) success(op operation) object {
	o := object{{"description", http.StatusText(op.status)}}
	var names []string
	if op.method == "get" {
		names = append(names, cacheHeaders...)
	}
	if op.rows {
		names = append(names, "X-Total-Rows")
	}
	o = append(o, member{"headers", headerRefs(op.status, names)})
	if op.answer == "" {
		return o
	}
	content := object{{"schema", ref(op.answer)}}
	if e, ok := example(op.example); ok {
		content = append(content, member{"example", e})
	}
	media := object{{"application/json", content}}
	if op.rows {
		media = append(media,
			member{"text/csv", object{{"schema", text}}},
			member{"application/x-ndjson", object{{"schema", text}}})
	}
	return append(o, member{"content", media})
}

// example is a file of examples as it is.
func example(name string) (json.RawMessage, bool) {
	b, err := examples.ReadFile("examples/" + name + ".json")
	return b, err == nil
}

// responseName names the response of a status among the components.
func responseName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

// cacheHeaders are those of a GET that is answered well (H8).
var cacheHeaders = []string{"ETag", "Cache-Control", "Vary"}

// rateHeaders are those of H6.
var rateHeaders = []string{"x-ratelimit-limit-public-default", "x-ratelimit-remaining-public-default", "x-ratelimit-reset-public-default"}

// headers are all headers that answers have, but for those that HTTP has for every body.
var headers = object{
	{"X-Request-Id", always("Identifies the request in the server's log.", text)},
	{"ETag", always("Names the answer: sent again as If-None-Match, it is answered with 304 and no body as long as the answer is the same.", text)},
	{"Cache-Control", always("Who may keep the answer: the client alone, who asks each time whether it is still the one.", text)},
	{"Vary", always("The headers of the request that the answer depends on.", text)},
	{"X-Total-Rows", header("The total number of rows, where the answer is CSV or NDJSON.", integer)},
	{"Retry-After", always("Seconds after which the call may be made again.", integer)},
	{"Allow", always("The methods of the path.", text)},
	{"WWW-Authenticate", always("The name of the scheme to authenticate with.", text)},
	{rateHeaders[0], header("Requests a minute; absent where there is no limit.", integer)},
	{rateHeaders[1], header("Requests that are left of the minute.", integer)},
	{rateHeaders[2], header("Seconds until the next minute, rounded up.", integer)},
}

func header(description string, s object) object {
	return object{{"description", description}, {"schema", s}}
}

// always is a header that no answer of its kind is without.
func always(description string, s object) object {
	return object{{"description", description}, {"required", true}, {"schema", s}}
}

// headerRefs refers to the headers of a status: those named, and those that every answer of it has.
func headerRefs(status int, names []string) object {
	all := append([]string{"X-Request-Id"}, names...)
	if !beforeRate[status] {
		all = append(all, rateHeaders...)
	}
	refs := object{}
	for _, n := range all {
		refs = append(refs, member{n, object{{"$ref", "#/components/headers/" + n}}})
	}
	return refs
}

// beforeRate are the statuses of the checks that stand before the rate (H5, P10), whose answers do not tell it.
var beforeRate = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusMethodNotAllowed: true, http.StatusRequestEntityTooLarge: true,
}

func (a api) components() object {
	schemes, schemas := object{}, object{}
	for _, s := range a.security {
		schemes = append(schemes, member{s.name, s.scheme})
	}
	for _, s := range a.schemas {
		schemas = append(schemas, member{s.name, s.object})
	}
	same := cacheHeaders
	if a.hasRows() {
		same = append(same[:len(same):len(same)], "X-Total-Rows")
	}
	responses := object{{responseName(http.StatusNotModified), object{
		{"description", "The answer that If-None-Match names is still the one."},
		{"headers", headerRefs(http.StatusNotModified, same)},
	}}}
	for _, status := range slices.Sorted(maps.Keys(a.failures)) {
		responses = append(responses, member{responseName(status), a.failureOf(status, a.failures[status])})
	}
	return object{{"schemas", schemas}, {"responses", responses}, {"headers", a.headers()}, {"securitySchemes", schemes}}
}

// failureOf is an answer that is an error.
func (a api) failureOf(status int, f failed) object {
	return object{
		{"description", f.description},
		{"headers", headerRefs(status, f.headers)},
		{"content", object{{"application/json", object{{"schema", ref(a.failure)}}}}},
	}
}

func (a api) hasRows() bool {
	return slices.ContainsFunc(a.operations, func(op operation) bool { return op.rows })
}

// headers are the headers that the answers of this API have.
func (a api) headers() object {
	used := slices.Concat(cacheHeaders, rateHeaders, []string{"X-Request-Id"})
	for _, f := range a.failures {
		used = append(used, f.headers...)
	}
	if a.hasRows() {
		used = append(used, "X-Total-Rows")
	}
	kept := object{}
	for _, h := range headers {
		if slices.Contains(used, h.name) {
			kept = append(kept, h)
		}
	}
	return kept
}
