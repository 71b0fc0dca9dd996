// Package static serves the files of the web pages in the binary: documents, scripts and styles, each plain or gzip, with an entity
// tag. A content security policy keeps each page from sending requests to any other host. The package also has what all pages
// share: their style, their icon and the choice of a language.
//
//	files := page.Files{"/hello": page.Localized(func(lang string) page.File { return page.Template(hello, texts[lang]) })}
//
// It does not know what the pages show.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
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

// Languages are the languages of the pages. A browser that accepts neither gets the first one.
var Languages = []string{"en", "pt-BR"}

var matcher = language.NewMatcher([]language.Tag{language.English, language.BrazilianPortuguese})

// Language returns the language of a request: that of its parameter lang, which the switch on each page sets, or else the one
// that the browser prefers.
func Language(r *http.Request) string {
	_, i := language.MatchStrings(matcher, r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	return Languages[i]
}

// policy lets a page load scripts and styles from this server only, and send requests to it only. Style sheets may embed icons.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// File is a file that is served at a path: its text, its gzip form, and the entity tag of both.
type File struct {
	contentType string
	plain, gzip []byte
	tag         string
	varies      string // the headers on which the choice among the files of one path depends
	language    string // empty for none
}

// New returns the file with a text.
func New(contentType string, plain []byte) File {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // cannot fail: the level exists
	w.Write(plain)                                        // to memory
	w.Close()
	return File{contentType, plain, b.Bytes(), tagOf(plain), "Accept-Encoding", ""}
}

// Template returns the page that an HTML template makes of data. It panics on an error: both are part of the binary.
func Template(text string, data any) File {
	var b bytes.Buffer
	if err := template.Must(template.New("page").Parse(text)).Execute(&b, data); err != nil {
		panic(err)
	}
	return New(HTML, b.Bytes())
}

// unpacked returns the file with a gzip form.
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

// Embedded returns a chooser of a file in the binary, which is stored in its gzip form if its name ends in .gz.
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

// in returns the file marked as one of several in different languages.
func (f File) in(language string) File {
	f.language = language
	f.varies += ", Accept-Language"
	return f
}

// ByAccept returns the file marked as one of several that the header Accept chooses from.
func (f File) ByAccept() File {
	f.varies = "Accept, " + f.varies
	return f
}

func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// Files maps paths to choosers of their files. It serves GET and HEAD, and answers 404 to other paths. A chooser runs when its path
// is requested.
type Files map[string]func(*http.Request) File

// Always returns a chooser of a file that is the same for every request. The file is made once, on the first request.
func Always(file func() File) func(*http.Request) File {
	made := sync.OnceValue(file)
	return func(*http.Request) File { return made() }
}

// Localized returns a chooser among the files of all languages. Each file is made once, when it is first requested.
func Localized(file func(lang string) File) func(*http.Request) File {
	made := map[string]func() File{}
	for _, lang := range Languages {
		made[lang] = sync.OnceValue(func() File { return file(lang).in(lang) })
	}
	return func(r *http.Request) File { return made[Language(r)]() }
}

// Owns reports whether a path has a file.
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
	web.TraceOf(r.Context()).Route = r.URL.Path // there are only a few, so metrics stay small
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
