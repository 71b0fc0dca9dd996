// Package welcome serves the page at `/`, which says what this server is and leads to the numbers and to the APIs: in English or
// Portuguese, as HTML for browsers and as text for everyone else.
package welcome

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	texttemplate "text/template"

	"github.com/lectern-dev/lectern/server/internal/pages/page"
)

// Path is where the page is.
const Path = "/"

// words are the texts of the page in one language.
type words struct {
	Lang, What, Pages, Explore, ExploreHint, Docs, DocsHint, Documents, Schools, Libraries, Directory, Key string
	OtherLang, OtherName                                                                                   string
}

// languages are those of the page, in the order of page.Languages.
var languages = []words{
	{
		Lang:    "en",
		What:    "Reading data of schools and libraries, over three HTTP APIs.",
		Pages:   "Pages",
		Explore: "The numbers", ExploreHint: "Charts and tables of a school network or a library network. You need its key.",
		Docs: "The APIs", DocsHint: "Read what each call answers, and try it.",
		Documents: "OpenAPI 3.1 documents",
		Schools:   "schools", Libraries: "libraries", Directory: "partner directory",
		Key:       "Every call needs a key. The operator of this server issues keys.",
		OtherLang: "pt-BR", OtherName: "Português",
	},
	{
		Lang:    "pt-BR",
		What:    "Dados de leitura de escolas e bibliotecas, em três APIs HTTP.",
		Pages:   "Páginas",
		Explore: "Os números", ExploreHint: "Gráficos e tabelas de uma rede de escolas ou de bibliotecas. É preciso ter a chave dela.",
		Docs: "As APIs", DocsHint: "Leia o que cada chamada responde e experimente (em inglês).",
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

// form is the page in one language, for browsers and for all others.
type form struct{ html, text page.File }

var forms = sync.OnceValue(func() map[string]form {
	made := map[string]form{}
	for _, w := range languages {
		var html, text bytes.Buffer
		if err := template.Must(template.New("html").Parse(pageHTML)).Execute(&html, w); err != nil {
			panic(err) // it is made of constants
		}
		if err := texttemplate.Must(texttemplate.New("text").Parse(pageText)).Execute(&text, w); err != nil {
			panic(err)
		}
		made[w.Lang] = form{page.New(page.HTML, html.Bytes()).In(w.Lang).ByAccept(), page.New(page.Text, text.Bytes()).In(w.Lang).ByAccept()}
	}
	return made
})

// Handler serves the page to GET and HEAD.
func Handler() http.Handler {
	return page.Files{Path: func(r *http.Request) page.File {
		chosen := forms()[page.Language(r)]
		if strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
			return chosen.html
		}
		return chosen.text
	}}
}
