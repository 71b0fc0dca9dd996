package openapi

import (
	"embed"
	"maps"
	"net/http"

	"github.com/lectern-dev/lectern/server/internal/pages/page"
)

// docs is the page with what it is made of: the viewer swagger-ui 5.35.0, and of @noble/hashes 2.4.0 what an HMAC needs, each
// with its licence and as it was published.
//
//go:embed all:page
var docs embed.FS

// files are the page's, by their paths, and documents the others.
var (
	files = page.Files{
		"/docs":                       embedded("index.html"),
		"/docs/":                      embedded("index.html"),
		"/docs/docs.js":               embedded("docs.js"),
		"/docs/docs.css":              embedded("docs.css"),
		"/docs/swagger-ui-bundle.js":  embedded("swagger-ui/swagger-ui-bundle.js.gz"),
		"/docs/swagger-ui.css":        embedded("swagger-ui/swagger-ui.css.gz"),
		"/docs/noble-hashes/hmac.js":  embedded("noble-hashes/hmac.js"),
		"/docs/noble-hashes/sha2.js":  embedded("noble-hashes/sha2.js"),
		"/docs/noble-hashes/utils.js": embedded("noble-hashes/utils.js"),
		"/docs/noble-hashes/_md.js":   embedded("noble-hashes/_md.js"),
		"/docs/noble-hashes/_u64.js":  embedded("noble-hashes/_u64.js"),
	}
	documents = map[string]func(Settings) []byte{
		"/openapi/directory.json": Directory,
		"/openapi/schools.json":   Schools,
		"/openapi/libraries.json": Libraries,
	}
)

func embedded(name string) func(*http.Request) page.File { return page.Embedded(docs, "page/"+name) }

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool { return files[path] != nil || documents[path] != nil }

// Handler serves the documents and the page (H10) at the paths that it Owns. Each is made when it is first asked for.
func Handler(s Settings) http.Handler {
	served := maps.Clone(files)
	for path, document := range documents {
		served[path] = page.Always(func() page.File { return page.New(page.JSON, document(s)) })
	}
	return served
}
