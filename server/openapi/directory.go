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
		summary: "Networks, schools, classes and teachers of a partner.",
		description: "Every request is signed: `Authorization: APIAuth-HMAC-SHA256 <access_key_id>:<signature>`, where the signature is base64(HMAC(secret, `METHOD,content-type,content-hash,path?query,date`)). " +
			"Send the date as Date, or as X-Date from a browser; it is valid for 900 seconds. With a body, send X-Authorization-Content-SHA256, its SHA-256 in base64. The page /docs signs calls for you, and `lectern sign` prints signed headers for curl. " +
			allowance(s.DirectoryRate, "for each key") + "References are percent-encoded in paths.",
		security: object{"signature", object{
			"type", "apiKey", "in", "header", "name", "Authorization", "description", "APIAuth-HMAC-SHA256 <access_key_id>:<signature>",
		}},
		tags: object{
			"entities", "Networks, their schools and classes, and the accounts that are attached to them.",
			"teachers", "The partner's teachers.",
		},
		operations: directoryOperations(),
		failures: map[int]failed{
			400: {"The body is not a complete JSON object, or a cursor is not of this list.", nil},
			401: {"The request is not signed by a valid key, or its date differs by more than 900 seconds.", []string{"WWW-Authenticate"}},
			404: {"There is no such path, or the partner has no such record.", nil},
			405: {"The path has no such method.", []string{"Allow"}},
			413: {"The body has more than 1 MiB.", nil},
			415: {"The body's content type is not application/json.", nil},
			422: {"A field is invalid, or the entity has children: a list of messages for each field.", nil},
			429: {"The requests of this minute are used up.", []string{"Retry-After"}},
			500: {"Something failed here.", nil},
			503: {"The database does not answer at the moment, a write waited too long for another one, or too many large bodies arrive at once. A write may have been made.", []string{"Retry-After"}},
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
