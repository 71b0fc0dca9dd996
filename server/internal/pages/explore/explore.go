// Package explore serves the page at /explore, which shows a person the numbers of the two reading APIs: charts with their
// tables, of a school network or of a library network.
//
// The page asks the public API, as any client does, with the key that the person pastes, and the server once whose the key is. The
// key stays in the tab: no address that is sent has it. A link hands it over in the fragment, which no server sees
// (`/explore#key=…`), and the page removes it from the address at once. The fragment then names what is shown
// (`#period=2026-10&school=7`), so that a person can reload, bookmark and share a view.
//
// Opening takes ten requests at most, and all that the page shows is of one snapshot (H12) and whole. A list that is cut, such as
// the most read books, says so with its total.
//
// # Design
//
// Charts are uPlot's, embedded as published: 51 kB, where a library that draws SVG takes several times as many. A canvas says
// nothing to those who cannot see it, so a person can walk each chart with the arrow keys, which read out a point, and each chart
// has its table. Rankings are tables with bars in them: they read well on a phone, and aloud.
package explore

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"path"
	"sync"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/pages/page"
)

// Path is where the page is; NetworkPath is where it asks whose a key is.
const (
	Path        = "/explore"
	NetworkPath = Path + "/network"
)

// Settings are what the page needs from the server besides its APIs.
type Settings struct {
	// SchoolsHistory and LibrariesHistory are the first days that a period may have.
	SchoolsHistory, LibrariesHistory calendar.Date
	// Network returns the network that a key is for, and the zero Network if the key is not good for a reading API.
	Network func(ctx context.Context, key string) (Network, error)
}

// Network is the network that a key is for.
type Network struct {
	Report string        `json:"report"` // "schools" or "libraries"
	Name   string        `json:"name"`
	Today  calendar.Date `json:"-"` // of the clock that judged the key
}

// files is the page with what it is made of: uPlot 1.6.32, as it was published and with its licence, and our own.
//
//go:embed page
var files embed.FS

// parts are the scripts and styles, by their paths.
var parts = func() page.Files {
	parts := page.Files{}
	for _, name := range []string{
		"explore.js", "schools.js", "pupils.js", "libraries.js", "course.js", "api.js", "days.js", "words.js", "parts.js", "table.js", "chart.js", "download.js",
		"explore.css", "uplot/uPlot.iife.min.js", "uplot/uPlot.min.css",
	} {
		parts[Path+"/"+path.Base(name)] = page.Embedded(files, "page/"+name)
	}
	return parts
}()

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool {
	return path == Path || path == Path+"/" || path == NetworkPath || parts.Owns(path)
}

// Handler serves the page at the paths that it Owns.
func Handler(s Settings) http.Handler {
	served := maps.Clone(parts)
	served[Path] = localized(s)
	served[Path+"/"] = served[Path]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == NetworkPath {
			s.network(w, r)
			return
		}
		served.ServeHTTP(w, r)
	})
}

// network tells the page whose its key is: null for a key that is not good. That is no 401, which a browser would log as an error.
func (s Settings) network(w http.ResponseWriter, r *http.Request) {
	web.TraceOf(r.Context()).Route = NetworkPath
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		http.Error(w, "only GET is supported", http.StatusMethodNotAllowed)
		return
	}
	err := web.Retry(r, func() error {
		n, err := s.Network(r.Context(), web.KeyText(r.Header))
		if err != nil {
			return err
		}
		var told any
		if n != (Network{}) {
			told = struct {
				Network
				Today string `json:"today"`
			}{n, n.Today.String()}
		}
		h := w.Header()
		h.Set("Content-Type", page.JSON)
		h.Set("Cache-Control", "no-store")
		return json.NewEncoder(w).Encode(told)
	})
	if err != nil {
		web.Fail(w, r, err)
	}
}

// read returns an embedded file.
func read(name string) []byte {
	b, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

// localized is the page in the language of a request.
func localized(s Settings) func(*http.Request) page.File {
	pages := sync.OnceValue(func() map[string]page.File {
		made := map[string]page.File{}
		for _, lang := range page.Languages {
			made[lang] = render(lang, s).In(lang)
		}
		return made
	})
	return func(r *http.Request) page.File { return pages()[page.Language(r)] }
}

// render makes the page in one language. Its words are also in it as JSON, for its scripts.
func render(lang string, s Settings) page.File {
	var words map[string]any
	if err := json.Unmarshal(read("words/"+lang+".json"), &words); err != nil {
		panic(err) // it is embedded
	}
	var b bytes.Buffer
	err := template.Must(template.New("page").Parse(string(read("index.html")))).Execute(&b, map[string]any{
		"Lang": lang, "Words": words, "Schools": s.SchoolsHistory.String(), "Libraries": s.LibrariesHistory.String(),
	})
	if err != nil {
		panic(err) // it is made of constants
	}
	return page.New(page.HTML, b.Bytes())
}
