package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// api is one document before it is put together.
type api struct {
	name                        string // as the path of the document and the files of failures have it
	title, summary, description string
	tags                        object // the groups of operations, each with its description
	security                    object // the ways to authenticate
	operations                  []operation
	schemas                     wire.Schemas
	// failures are the errors that any operation may answer, by status, each with its headers; the schema of all is failure.
	failures map[int]failed
	failure  string
	keep     time.Duration // of snapshots
	reports  bool          // it answers with rows (H11), of a snapshot that a header names (H12)
}

type object = wire.Object

// operation is one method of one path.
type operation struct {
	method, path, id, tag string
	summary, description  string
	body                  string // the name of the schema that is sent, "" for none
	params                []param
	status                int
	answer                string // the name of the schema, "" for no content
	rows                  bool   // the answer has rows, which CSV and NDJSON show too
	errors                []int
	own                   map[int]failed // what is said of an error other than what the API says of its status
}

// param is a parameter of a path or a query.
type param struct {
	in string
	web.Param
}

// failed is what is said of a status.
type failed struct {
	description string
	headers     []string
}

// bodies are real ones; a test keeps them so. The examples are answers over the demo's data, by the operations' names. The failures
// are errors, by API and status, or by operation and status where an operation says another thing of it.
//
//go:embed examples failures
var bodies embed.FS

// bytes puts the document together.
func (a api) bytes() []byte {
	var names []object
	for i := 0; i < len(a.security); i += 2 {
		names = append(names, object{a.security[i].(string), []string{}})
	}
	var groups []object
	for i := 0; i < len(a.tags); i += 2 {
		groups = append(groups, object{"name", a.tags[i], "description", a.tags[i+1]})
	}
	b, err := object{
		"openapi", "3.1.0",
		"info", object{
			"title", a.title, "summary", a.summary, "description", a.description, "version", Version,
			"contact", object{"name", "Lectern", "url", "https://github.com/lectern-dev/lectern"},
			"license", object{"name", "Apache 2.0", "identifier", "Apache-2.0"},
		},
		"servers", []object{{"url", "/", "description", "this server"}},
		"tags", groups,
		"security", names,
		"paths", a.paths(),
		"components", a.components(),
	}.MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("openapi: %v", err)) // the document is made of constants
	}
	return b
}

// paths are the operations by their paths, those of one path one after the other.
func (a api) paths() object {
	var paths object
	for _, op := range a.operations {
		if n := len(paths); n > 0 && paths[n-2] == op.path {
			paths[n-1] = paths[n-1].(object).With(op.method, a.operation(op))
			continue
		}
		paths = append(paths, op.path, object{op.method, a.operation(op)})
	}
	return paths
}

func (a api) operation(op operation) object {
	o := object{"operationId", op.id, "tags", []string{op.tag}, "summary", op.summary, "description", op.description}
	if len(op.params) > 0 {
		params := []object{}
		for _, p := range op.params {
			params = append(params, object{"name", p.Name, "in", p.in, "description", p.About, "required", p.Required, "schema", p.Schema})
		}
		o = append(o, "parameters", params)
	}
	if op.body != "" {
		o = append(o, "requestBody", object{"required", true, "content", content(op.body, "examples/"+op.id+".request")})
	}
	responses := object{strconv.Itoa(op.status), a.success(op)}
	statuses := op.errors
	if op.method == "get" {
		statuses = append([]int{http.StatusNotModified}, statuses...)
	}
	for _, status := range statuses {
		response := object{"$ref", "#/components/responses/" + responseName(status)}
		if f, ok := op.own[status]; ok {
			response = a.failureOf(op.id, status, f)
		}
		responses = append(responses, strconv.Itoa(status), response)
	}
	return append(o, "responses", responses)
}

// success is the good answer of an operation.
func (a api) success(op operation) object {
	var names []string
	if op.method == "get" {
		names = append(names, a.getHeaders()...)
	}
	if op.rows {
		names = append(names, "X-Total-Rows", "Content-Disposition")
	}
	o := object{"description", http.StatusText(op.status), "headers", headerRefs(op.status, names)}
	if op.answer == "" {
		return o
	}
	media := content(op.answer, "examples/"+op.id)
	if op.rows {
		for _, form := range []string{"text/csv", "application/x-ndjson"} {
			media = append(media, form, object{"schema", wire.Text})
		}
		media = append(media, wire.XLSXType, object{"schema", wire.Text.With("format", "binary")})
	}
	return append(o, "content", media)
}

// content is a body of JSON, by the names of its schema and of its example, which need not be there.
func content(schema, example string) object {
	o := object{"schema", wire.Ref(schema)}
	if b, err := bodies.ReadFile(example + ".json"); err == nil {
		o = append(o, "example", json.RawMessage(b))
	}
	return object{"application/json", o}
}

// responseName names the response of a status among the components.
func responseName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}
