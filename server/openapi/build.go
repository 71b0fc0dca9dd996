package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// api is one document before it is put together.
type api struct {
	name                        string // as the path of the document and the files of failures have it
	title, summary, description string
	tags                        object // the groups of operations, each with its description
	security                    []security
	operations                  []operation
	schemas                     []schema
	// failures are the errors that any operation may answer, by status, each with its headers; the schema of all is failure.
	failures map[int]failed
	failure  string
	pulls    bool // answers name their state, and the parameter snapshot asks for it (H12)
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

// failures are the bodies of real errors, by API and status, or by operation and status where an operation says another thing of
// it; a test keeps them so.
//
//go:embed failures
var failures embed.FS

// bytes puts the document together.
func (a api) bytes() []byte {
	d := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", a.title}, {"summary", a.summary}, {"description", a.description}, {"version", "1"},
			{"contact", object{{"name", "Lectern"}, {"url", "https://github.com/lectern-dev/lectern"}}},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "this server"}}}},
		{"tags", a.groups()},
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

// groups are the groups of operations with their descriptions.
func (a api) groups() []object {
	var groups []object
	for _, t := range a.tags {
		groups = append(groups, object{{"name", t.name}, {"description", t.value}})
	}
	return groups
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
			response = a.failureOf(op.id, status, f)
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
		names = append(names, a.getHeaders()...)
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
			member{"text/csv; profile=pt-BR", object{{"schema", text}}},
			member{"application/x-ndjson", object{{"schema", text}}})
	}
	return append(o, member{"content", media})
}

// example is a file of examples as it is.
func example(name string) (json.RawMessage, bool) {
	b, err := examples.ReadFile("examples/" + name + ".json")
	return b, err == nil
}

// failureExample is a file of failures as it is.
func failureExample(of string, status int) (json.RawMessage, bool) {
	b, err := failures.ReadFile(fmt.Sprintf("failures/%s.%d.json", of, status))
	return b, err == nil
}

// responseName names the response of a status among the components.
func responseName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}
