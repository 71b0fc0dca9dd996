// Package explore serves the page at /explore, which shows a person the numbers of the two reading APIs: charts with their
// tables, of the schools or of a library network, as the key tells.
//
// The page asks the public API alone, as any client does, with the key that the person pastes. The key stays in the tab: it is
// in no address that is sent, and a link hands it over in the fragment, which no server sees (`/explore#key=…&report=schools`).
// All that is shown is of one snapshot (H12). A first look costs ten requests at most; what that leaves out is said, and asked
// for when the person wants it. Texts are in English or Portuguese, by the browser's language.
//
// # Design
//
// Charts by day and month are uPlot's, embedded as it was published: 51 kB, where a library that draws SVG takes several times as
// many. A canvas says nothing to who cannot see it, so each chart can be walked with the arrow keys, which read out a point, and has
// its table. Rankings are tables with bars in them: they read on a phone, and aloud, as they are.
package explore

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"path"
	"sync"

	"golang.org/x/text/language"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/page"
)

// Path is where the page is.
const Path = "/explore"

// Settings are what the page knows of the server besides its APIs.
type Settings struct {
	// SchoolsHistory and LibrariesHistory are the first days that a period may have.
	SchoolsHistory, LibrariesHistory calendar.Date
}

// files is the page with what it is made of: uPlot 1.6.32, as it was published and with its licence, and our own.
//
//go:embed page
var files embed.FS

// parts are the scripts and styles, by their paths.
var parts = func() page.Files {
	parts := page.Files{}
	for _, name := range []string{
		"explore.js", "schools.js", "libraries.js", "course.js", "api.js", "pages.js", "days.js", "words.js", "parts.js", "chart.js", "download.js",
		"explore.css", "uplot/uPlot.iife.min.js", "uplot/uPlot.min.css",
	} {
		parts[Path+"/"+path.Base(name)] = page.Embedded(files, "page/"+name)
	}
	return parts
}()

// The languages of the page; the first one is for who asks for none of them.
var (
	languages = []string{"en", "pt-BR"}
	matcher   = language.NewMatcher([]language.Tag{language.English, language.BrazilianPortuguese})
)

// Owns reports whether a path is one that Handler serves.
func Owns(path string) bool { return path == Path || path == Path+"/" || parts[path] != nil }

// Handler serves the page at the paths that it Owns.
func Handler(s Settings) http.Handler {
	served := maps.Clone(parts)
	served[Path] = localized(s)
	served[Path+"/"] = served[Path]
	return served
}

// read returns an embedded file.
func read(name string) []byte {
	b, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

// localized is the page in the language that a request asks for.
func localized(s Settings) func(*http.Request) page.File {
	pages := sync.OnceValue(func() (made []page.File) {
		for _, lang := range languages {
			made = append(made, render(lang, s).ByLanguage())
		}
		return made
	})
	return func(r *http.Request) page.File {
		_, i := language.MatchStrings(matcher, r.Header.Get("Accept-Language"))
		return pages()[i]
	}
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
