package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/server/internal/web"
)

// page is the page with what it is made of: the viewer swagger-ui 5.35.0, and of @noble/hashes 2.4.0 what an HMAC needs, each
// with its licence and as it was published.
//
//go:embed all:page
var page embed.FS

// asset is a file that Handler serves: its text, its gzip form, and its entity tags.
type asset struct {
	contentType string
	plain, gzip []byte
	tag         string
}

// policy lets the page ask nothing but this server. The viewer has icons in its style sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// sources make the files, by their paths.
var sources = map[string]func(Settings) asset{
	"/docs":                       embedded(html, "index.html"),
	"/docs/":                      embedded(html, "index.html"),
	"/docs/docs.js":               embedded(script, "docs.js"),
	"/docs/docs.css":              embedded(style, "docs.css"),
	"/docs/swagger-ui-bundle.js":  packed(script, "swagger-ui/swagger-ui-bundle.js.gz"),
	"/docs/swagger-ui.css":        packed(style, "swagger-ui/swagger-ui.css.gz"),
	"/docs/noble-hashes/hmac.js":  embedded(script, "noble-hashes/hmac.js"),
	"/docs/noble-hashes/sha2.js":  embedded(script, "noble-hashes/sha2.js"),
	"/docs/noble-hashes/utils.js": embedded(script, "noble-hashes/utils.js"),
	"/docs/noble-hashes/_md.js":   embedded(script, "noble-hashes/_md.js"),
	"/docs/noble-hashes/_u64.js":  embedded(script, "noble-hashes/_u64.js"),
	"/openapi/directory.json":     described(Directory),
	"/openapi/schools.json":       described(Schools),
	"/openapi/libraries.json":     described(Libraries),
}

const (
	html   = "text/html; charset=utf-8"
	script = "text/javascript; charset=utf-8"
	style  = "text/css; charset=utf-8"
)

// embedded is an embedded file of the page.
func embedded(contentType, name string) func(Settings) asset {
	return func(Settings) asset { return newAsset(contentType, file(name)) }
}

// described is a document.
func described(document func(Settings) []byte) func(Settings) asset {
	return func(s Settings) asset { return newAsset("application/json", document(s)) }
}

// packed is a file that is embedded in its gzip form.
func packed(contentType, name string) func(Settings) asset {
	return func(Settings) asset {
		zipped := file(name)
		r, err := gzip.NewReader(bytes.NewReader(zipped))
		if err != nil {
			panic(err) // it is embedded
		}
		plain, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		return asset{contentType, plain, zipped, tagOf(plain)}
	}
}

// file returns an embedded file of the page.
func file(name string) []byte {
	b, err := page.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

func newAsset(contentType string, plain []byte) asset {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // of a level that exists
	w.Write(plain)                                        // to memory
	w.Close()
	return asset{contentType, plain, b.Bytes(), tagOf(plain)}
}

func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool { return sources[path] != nil }

// handler serves assets by their paths.
type handler map[string]func() asset

// Handler serves the documents and the page (H10) at the paths that it Owns. Each is made when it is first asked for.
func Handler(s Settings) http.Handler {
	h := handler{}
	for path, source := range sources {
		h[path] = sync.OnceValue(func() asset { return source(s) })
	}
	return h
}

// ServeHTTP implements http.Handler.
func (files handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	made, ok := files[r.URL.Path]
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET is supported", http.StatusMethodNotAllowed)
		return
	}
	a := made()
	web.TraceOf(r.Context()).Route = r.URL.Path // one of a few
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", a.tag)
	body := a.plain
	if web.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = a.gzip
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
