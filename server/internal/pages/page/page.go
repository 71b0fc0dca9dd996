// Package page serves the files of the pages that are part of the binary: scripts, styles and documents, each plain or gzip,
// with an entity tag, and under a policy that lets a page ask nothing but this server. It also has what all pages share: their
// style, their icon and the choice of a language.
//
// It does not know what the pages show.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// HTML, Text and JSON are content types of files.
const (
	HTML = "text/html; charset=utf-8"
	Text = "text/plain; charset=utf-8"
	JSON = "application/json"
)

var contentTypes = map[string]string{
	".html": HTML, ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

//go:embed look.css icon.svg
var look embed.FS

// Look is the style and the icon of all pages.
var Look = Files{"/page/look.css": Embedded(look, "look.css"), "/page/icon.svg": Embedded(look, "icon.svg")}

// Languages are those of the pages. A browser that accepts neither gets the first one.
var Languages = []string{"en", "pt-BR"}

var matcher = language.NewMatcher([]language.Tag{language.English, language.BrazilianPortuguese})

// Language returns the language of a request: that of its parameter lang, which a page's own switch sets, else the one that the
// browser prefers.
func Language(r *http.Request) string {
	_, i := language.MatchStrings(matcher, r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	return Languages[i]
}

// policy lets a page run and ask nothing but what this server sends. Style sheets may have their icons in them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// File is what is served at a path: its text, its gzip form, and the entity tag of both.
type File struct {
	contentType string
	plain, gzip []byte
	tag         string
	varies      string // the headers that choose it among others of its path
	language    string // empty for none
}

// New returns a file of a text.
func New(contentType string, plain []byte) File {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // of a level that exists
	w.Write(plain)                                        // to memory
	w.Close()
	return File{contentType, plain, b.Bytes(), tagOf(plain), "Accept-Encoding", ""}
}

// unpacked returns a file of its gzip form.
func unpacked(contentType string, zipped []byte) File {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic(err) // it is embedded
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return File{contentType, plain, zipped, tagOf(plain), "Accept-Encoding", ""}
}

// Embedded is for a file that is embedded in the binary, in its gzip form where its name ends in .gz.
func Embedded(files embed.FS, name string) func(*http.Request) File {
	return Always(func() File {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		plain, zipped := strings.CutSuffix(name, ".gz")
		if zipped {
			return unpacked(contentTypes[path.Ext(plain)], b)
		}
		return New(contentTypes[path.Ext(plain)], b)
	})
}

// In returns the file as one of several in different languages.
func (f File) In(language string) File {
	f.language, f.varies = language, "Accept-Encoding, Accept-Language"
	return f
}

// ByAccept returns the file as one of several, chosen by Accept.
func (f File) ByAccept() File {
	f.varies = "Accept, " + f.varies
	return f
}

func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// Files serves files to GET and HEAD, by their paths; 404 elsewhere. A file is chosen, and may be made, when it is asked for.
type Files map[string]func(*http.Request) File

// Always is for a file that is the same for every request. It is made once, when it is first asked for.
func Always(file func() File) func(*http.Request) File {
	made := sync.OnceValue(file)
	return func(*http.Request) File { return made() }
}

// Owns reports whether a path is one of a file.
func (files Files) Owns(path string) bool { return files[path] != nil }

// ServeHTTP implements http.Handler.
func (files Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	choose, ok := files[r.URL.Path]
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
	choose(r).serve(w, r)
}

func (f File) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", f.varies)
	h.Set("ETag", f.tag)
	if f.language != "" {
		h.Set("Content-Language", f.language)
	}
	body := f.plain
	if web.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = f.gzip
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
