// Package welcome serves the page at `/`, which says what answers here and leads to the numbers, to the APIs and to recipes for
// pulling: in English or Portuguese, as HTML for browsers and as text for everyone else.
package welcome

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	texttemplate "text/template"

	"golang.org/x/text/language"

	"github.com/lectern-dev/lectern/server/internal/web"
)

// Path is where the page is.
const Path = "/"

// words are the texts of the page in one language.
type words struct {
	Lang, What, Explore, Docs, Recipes, Documents, Schools, Libraries, Directory, Key string
}

// languages are those of the page; the first one is for who asks for none of them.
var languages = []words{
	{
		Lang:    "en",
		What:    "Reading data of schools and libraries, over three HTTP APIs.",
		Explore: "Look at the numbers", Docs: "Read and try the APIs", Recipes: "Pull them with Python, Power Query or a spreadsheet",
		Documents: "The documents of the APIs (OpenAPI 3.1)",
		Schools:   "schools", Libraries: "libraries", Directory: "partner directory",
		Key: "Every call needs a key, which the operator of this server issues.",
	},
	{
		Lang:    "pt-BR",
		What:    "Dados de leitura de escolas e bibliotecas, em três APIs HTTP.",
		Explore: "Ver os números", Docs: "Ler e experimentar as APIs (em inglês)", Recipes: "Buscá-los com Python, Power Query ou uma planilha (em inglês)",
		Documents: "Os documentos das APIs (OpenAPI 3.1, em inglês)",
		Schools:   "escolas", Libraries: "bibliotecas", Directory: "diretório de parceiros",
		Key: "Toda chamada precisa de uma chave, emitida por quem opera este servidor.",
	},
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.BrazilianPortuguese})

//go:embed page.html
var pageHTML string

//go:embed page.txt
var pageText string

// style is the page's own, named in its policy by its hash.
const style = ":root{color-scheme:light dark}body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}" +
	"ul{padding:0;list-style:none}"

// policy lets the page load and do nothing but show its style.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
}()

// The page by the place of its language.
var htmlPages, textPages = func() (html, text [][]byte) {
	h := template.Must(template.New("html").Parse(strings.ReplaceAll(pageHTML, "STYLE", style)))
	t := texttemplate.Must(texttemplate.New("text").Parse(pageText))
	for _, w := range languages {
		var a, b bytes.Buffer
		if err := h.Execute(&a, w); err != nil {
			panic(err) // it is made of constants
		}
		if err := t.Execute(&b, w); err != nil {
			panic(err)
		}
		html, text = append(html, a.Bytes()), append(text, b.Bytes())
	}
	return html, text
}()

// Handler serves the page to GET and HEAD.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	web.TraceOf(r.Context()).Route = Path
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET is supported", http.StatusMethodNotAllowed)
		return
	}
	_, i := language.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	page, kind := textPages[i], "text/plain"
	if strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
		page, kind = htmlPages[i], "text/html"
	}
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Content-Language", languages[i].Lang)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept, Accept-Language")
	h.Set("Content-Length", strconv.Itoa(len(page)))
	w.Write(page) // of HEAD, net/http sends the headers alone
}
