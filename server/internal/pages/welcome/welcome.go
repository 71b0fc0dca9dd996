// Package welcome serves the page at `/`, which says what this server is and links to the numbers and to the APIs. It is in English
// or Portuguese, as HTML for browsers and as text for other clients.
package welcome

import (
	"bytes"
	_ "embed"
	"net/http"
	"strings"
	"text/template"

	"github.com/lectern-dev/lectern/server/internal/pages/static"
)

// Path is the path of the page.
const Path = "/"

// words are the texts of the page in one language.
type words struct {
	Lang, What, Pages, Explore, ExploreHint, Docs, DocsHint, Documents, Schools, Libraries, Directory, Key string
	OtherLang, OtherName                                                                                   string
}

// languages has the texts in each of static.Languages.
var languages = map[string]words{
	"en": {
		Lang:    "en",
		What:    "Reading data of schools and libraries, over three HTTP APIs.",
		Pages:   "Pages",
		Explore: "Numbers", ExploreHint: "Charts and tables of a school network or a library network. You need its key.",
		Docs: "APIs", DocsHint: "Read what each call answers, and try it.",
		Documents: "OpenAPI 3.1 documents",
		Schools:   "schools", Libraries: "libraries", Directory: "partner directory",
		Key:       "Every call needs a key. The operator of this server issues keys.",
		OtherLang: "pt-BR", OtherName: "Português",
	},
	"pt-BR": {
		Lang:    "pt-BR",
		What:    "Dados de leitura de escolas e bibliotecas, em três APIs HTTP.",
		Pages:   "Páginas",
		Explore: "Números", ExploreHint: "Gráficos e tabelas de uma rede de escolas ou de bibliotecas. É preciso ter a chave dela.",
		Docs: "APIs", DocsHint: "Leia o que cada chamada responde e experimente (em inglês).",
		Documents: "Documentos OpenAPI 3.1 (em inglês)",
		Schools:   "escolas", Libraries: "bibliotecas", Directory: "diretório de parceiros",
		Key:       "Toda chamada precisa de uma chave, emitida por quem opera este servidor.",
		OtherLang: "en", OtherName: "English",
	},
}

//go:embed page.html
var pageHTML string

//go:embed page.txt
var pageText string

// html and text choose the page in the language of a request, for browsers and for other clients.
var (
	html = static.Localized(func(lang string) static.File { return static.Template(pageHTML, languages[lang]).ByAccept() })
	text = static.Localized(func(lang string) static.File {
		var b bytes.Buffer
		if err := template.Must(template.New("text").Parse(pageText)).Execute(&b, languages[lang]); err != nil {
			panic(err) // template and texts are constants
		}
		return static.New(static.Text, b.Bytes()).ByAccept()
	})
)

// Handler serves the page to GET and HEAD.
func Handler() http.Handler {
	return static.Files{Path: func(r *http.Request) static.File {
		if strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
			return html(r)
		}
		return text(r)
	}}
}
