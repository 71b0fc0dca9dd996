package openapi

import (
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
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

// directoryOperations are those of the API.
func directoryOperations() (all []operation) {
	for _, d := range directoryapi.Operations() {
		tag, _, _ := strings.Cut(d.Path[1:], "/")
		op := operation{
			method: strings.ToLower(d.Method), path: directoryapi.Prefix + d.Path, id: d.ID, tag: tag, summary: d.Summary, description: d.About,
			body: d.Body, status: http.StatusOK, answer: d.Answer, errors: []int{400, 401, 404, 405, 413},
		}
		if _, rest, ok := strings.Cut(d.Path, "{"); ok {
			name, _, _ := strings.Cut(rest, "}")
			op.params = append(op.params, param{"path", directoryapi.Reference(name, named[tag])})
		}
		validated := d.Method != http.MethodGet
		for _, p := range d.Params {
			op.params, validated = append(op.params, param{"query", p}), validated || p.Required
		}
		switch d.Method {
		case http.MethodPost:
			op.status = http.StatusCreated
		case http.MethodDelete:
			op.status = http.StatusNoContent
		}
		if d.Body != "" {
			op.errors = append(op.errors, http.StatusUnsupportedMediaType)
		}
		if validated {
			op.errors = append(op.errors, http.StatusUnprocessableEntity)
		}
		op.errors = append(op.errors, 429, 500, 503)
		all = append(all, op)
	}
	return all
}

// named says what the reference in a path is, by the path's group.
var named = map[string]string{"entities": "The entity's reference.", "teachers": "The teacher's reference."}

// directorySchemas are those of errors, of answers and of bodies.
func directorySchemas() (all wire.Schemas) {
	all.Put("Problem", wire.Record(wire.Field{Name: "errors", Schema: object{
		"type", "object", "description", "The field `detail` with a text, or on 422 a list of messages for each field.",
		"additionalProperties", object{"oneOf", []object{wire.Text, wire.ListOf(wire.Text)}},
	}}))
	directoryapi.Schemas(&all)
	return all
}
