// Package explore serves the page at /explore, which shows the numbers of the two reading APIs to a person: charts and tables of a
// school network or of a library network.
//
// The page calls the public API, as any client does, with the key that the person pastes. It also asks the server once which
// network the key is for. The key stays in the tab and is never part of a requested address. A link can hand it over in the
// fragment, which browsers do not send (`/explore#key=…`), and the page removes it from the address at once. The fragment then
// names what is shown (`#period=2026-10&school=7`), so that a person can reload, bookmark and share a view.
//
// Opening the page takes at most ten requests. Everything that it shows is complete and comes from one snapshot (H12). A list that
// is cut, such as the most read books, says so and gives its total.
//
// # Design
//
// uPlot draws the charts. It is embedded as published and has 51 kB; a library that draws SVG is several times as large. A screen
// reader cannot read a canvas. Therefore the arrow keys walk through each chart and read out its points, and each chart has a
// table. Rankings are tables with bars in them: they read well on a phone, and aloud.
package explore

import (
	"context"
	"embed"
	"encoding/json"
	"maps"
	"net/http"
	"path"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/pages/static"
)

// Path is the path of the page, and NetworkPath the path at which the page asks which network a key is for.
const (
	Path        = "/explore"
	NetworkPath = Path + "/network"
)

// Settings are what the page needs from the server besides its APIs.
type Settings struct {
	// SchoolsHistory and LibrariesHistory are the first days that a period may include.
	SchoolsHistory, LibrariesHistory calendar.Date
	// Network returns the network that a key is for, or the zero Network if neither reading API accepts the key.
	Network func(ctx context.Context, key string) (Network, error)
}

// Network is the network that a key is for.
type Network struct {
	Report string        `json:"report"` // "schools" or "libraries"
	Name   string        `json:"name"`
	Today  calendar.Date `json:"-"` // by the clock against which the key was checked
}

// files has the page, its scripts and styles, and uPlot 1.6.32 as published, with its licence.
//
//go:embed page
var files embed.FS

// parts maps paths to the scripts and styles.
var parts = func() static.Files {
	parts := static.Files{}
	for _, name := range []string{
		"explore.js", "schools.js", "pupils.js", "libraries.js", "course.js", "api.js", "days.js", "words.js", "parts.js", "table.js", "chart.js", "download.js",
		"explore.css", "uplot/uPlot.iife.min.js", "uplot/uPlot.min.css",
	} {
		parts[Path+"/"+path.Base(name)] = static.Embedded(files, "page/"+name)
	}
	return parts
}()

// Owns reports whether Handler serves a path.
func Owns(path string) bool {
	return path == Path || path == Path+"/" || path == NetworkPath || parts.Owns(path)
}

// Handler serves the page at the paths that Owns reports.
func Handler(s Settings) http.Handler {
	served := maps.Clone(parts)
	served[Path] = static.Localized(func(lang string) static.File { return render(lang, s) })
	served[Path+"/"] = served[Path]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == NetworkPath {
			s.network(w, r)
			return
		}
		served.ServeHTTP(w, r)
	})
}

// network answers with the network of the request's key, or with null if the key is not accepted. A 401 would be logged as an error
// in the browser's console.
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
		h.Set("Content-Type", static.JSON)
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
		panic(err) // the file is embedded
	}
	return b
}

// render makes the page in one language. Its texts are also in it as JSON, for its scripts.
func render(lang string, s Settings) static.File {
	var words map[string]any
	if err := json.Unmarshal(read("words/"+lang+".json"), &words); err != nil {
		panic(err) // the file is embedded
	}
	return static.Template(string(read("index.html")), map[string]any{
		"Lang": lang, "Words": words, "Schools": s.SchoolsHistory.String(), "Libraries": s.LibrariesHistory.String(),
	})
}
