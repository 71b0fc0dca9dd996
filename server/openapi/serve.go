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

//go:embed page
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

// assets are the files by their paths.
var assets = sync.OnceValue(func() map[string]asset {
	const script, style, document = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "application/json"
	return map[string]asset{
		"/docs":                      newAsset("text/html; charset=utf-8", file("index.html")),
		"/docs/":                     newAsset("text/html; charset=utf-8", file("index.html")),
		"/docs/docs.js":              newAsset(script, file("docs.js")),
		"/docs/docs.css":             newAsset(style, file("docs.css")),
		"/docs/swagger-ui-bundle.js": packed(script, file("swagger-ui/swagger-ui-bundle.js.gz")),
		"/docs/swagger-ui.css":       packed(style, file("swagger-ui/swagger-ui.css.gz")),
		"/openapi/directory.json":    newAsset(document, Directory()),
		"/openapi/schools.json":      newAsset(document, Schools()),
		"/openapi/libraries.json":    newAsset(document, Libraries()),
	}
})

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

// packed is an asset that is embedded in its gzip form.
func packed(contentType string, zipped []byte) asset {
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

func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool {
	_, ok := assets()[path]
	return ok
}

// Handler serves the documents and the page (H10) at the paths that it Owns.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	a, ok := assets()[r.URL.Path]
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET is supported", http.StatusMethodNotAllowed)
		return
	}
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
