package openapi

import (
	"embed"
	"net/http"

	"github.com/lectern-dev/lectern/server/internal/page"
)

// docs is the page with what it is made of: the viewer swagger-ui 5.35.0, and of @noble/hashes 2.4.0 what an HMAC needs, each
// with its licence and as it was published.
//
//go:embed all:page
var docs embed.FS

// sources make the files, by their paths.
var sources = map[string]func(Settings) page.File{
	"/docs":                       embedded(page.HTML, "index.html"),
	"/docs/":                      embedded(page.HTML, "index.html"),
	"/docs/docs.js":               embedded(page.Script, "docs.js"),
	"/docs/docs.css":              embedded(page.Style, "docs.css"),
	"/docs/swagger-ui-bundle.js":  packed(page.Script, "swagger-ui/swagger-ui-bundle.js.gz"),
	"/docs/swagger-ui.css":        packed(page.Style, "swagger-ui/swagger-ui.css.gz"),
	"/docs/noble-hashes/hmac.js":  embedded(page.Script, "noble-hashes/hmac.js"),
	"/docs/noble-hashes/sha2.js":  embedded(page.Script, "noble-hashes/sha2.js"),
	"/docs/noble-hashes/utils.js": embedded(page.Script, "noble-hashes/utils.js"),
	"/docs/noble-hashes/_md.js":   embedded(page.Script, "noble-hashes/_md.js"),
	"/docs/noble-hashes/_u64.js":  embedded(page.Script, "noble-hashes/_u64.js"),
	"/openapi/directory.json":     described(Directory),
	"/openapi/schools.json":       described(Schools),
	"/openapi/libraries.json":     described(Libraries),
}

// embedded is an embedded file of the page.
func embedded(contentType, name string) func(Settings) page.File {
	return func(Settings) page.File { return page.New(contentType, file(name)) }
}

// described is a document.
func described(document func(Settings) []byte) func(Settings) page.File {
	return func(s Settings) page.File { return page.New(page.JSON, document(s)) }
}

// packed is a file that is embedded in its gzip form.
func packed(contentType, name string) func(Settings) page.File {
	return func(Settings) page.File { return page.Unpacked(contentType, file(name)) }
}

// file returns an embedded file of the page.
func file(name string) []byte {
	b, err := docs.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool { return sources[path] != nil }

// Handler serves the documents and the page (H10) at the paths that it Owns. Each is made when it is first asked for.
func Handler(s Settings) http.Handler {
	files := page.Files{}
	for path, source := range sources {
		files[path] = page.Always(func() page.File { return source(s) })
	}
	return files
}
