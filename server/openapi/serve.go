package openapi

import (
	"embed"
	"maps"
	"net/http"

	"github.com/lectern-dev/lectern/server/internal/pages/static"
)

// docs has the page at /docs, the viewer swagger-ui 5.35.0, and the files of @noble/hashes 2.4.0 that an HMAC needs. Both are as
// published, with their licences.
//
//go:embed all:page
var docs embed.FS

//go:embed page/index.html
var index string

// words are the texts of the page around the viewer. The viewer and the documents are in English only.
type words struct {
	Lang, Title, Pages, Explore, Docs, APIs, Schools, Libraries, Directory, InEnglish      string
	Credentials, Key, KeyPlaceholder, KeyHint                                              string
	KeyID, KeyIDPlaceholder, Secret, SecretPlaceholder, SignatureHint, Noscript, Documents string
	OtherLang, OtherName                                                                   string
}

// languages has the texts in each of static.Languages.
var languages = map[string]words{
	"en": {
		Lang: "en", Title: "Lectern: the three APIs", Pages: "Pages", Explore: "Numbers", Docs: "APIs",
		APIs: "APIs", Schools: "Schools reading", Libraries: "Libraries reporting", Directory: "Partner directory",
		Credentials: "Credentials", Key: "Key", KeyPlaceholder: "sent as X-Api-Key",
		KeyHint: "Open a route, then press “Try it out” and “Execute”. The key stays in this page.",
		KeyID:   "Access key id", KeyIDPlaceholder: "such as 1-1", Secret: "Secret", SecretPlaceholder: "stays in this page",
		SignatureHint: "Open a route, then press “Try it out” and “Execute”. This page signs each call and does not send the secret.",
		Noscript:      "This page needs JavaScript.", Documents: "The OpenAPI documents",
		OtherLang: "pt-BR", OtherName: "Português",
	},
	"pt-BR": {
		Lang: "pt-BR", Title: "Lectern: as três APIs", Pages: "Páginas", Explore: "Números", Docs: "APIs",
		APIs: "APIs", Schools: "Leitura nas escolas", Libraries: "Uso das bibliotecas", Directory: "Diretório de parceiros",
		InEnglish:   "As descrições abaixo estão em inglês.",
		Credentials: "Credenciais", Key: "Chave", KeyPlaceholder: "enviada como X-Api-Key",
		KeyHint: "Abra uma rota e pressione “Try it out” e “Execute”. A chave fica só nesta página.",
		KeyID:   "Id da chave de acesso", KeyIDPlaceholder: "por exemplo, 1-1", Secret: "Segredo", SecretPlaceholder: "fica só nesta página",
		SignatureHint: "Abra uma rota e pressione “Try it out” e “Execute”. Esta página assina cada chamada e não envia o segredo.",
		Noscript:      "Esta página precisa de JavaScript.", Documents: "Os documentos OpenAPI",
		OtherLang: "en", OtherName: "English",
	},
}

var frame = static.Localized(func(lang string) static.File { return static.Template(index, languages[lang]) })

// files maps the paths of the page and its parts to their files, and documents those of the OpenAPI documents.
var (
	files = static.Files{
		"/docs":                       frame,
		"/docs/":                      frame,
		"/docs/docs.js":               embedded("docs.js"),
		"/docs/docs.css":              embedded("docs.css"),
		"/docs/swagger-ui-bundle.js":  embedded("swagger-ui/swagger-ui-bundle.js.gz"),
		"/docs/swagger-ui.css":        embedded("swagger-ui/swagger-ui.css.gz"),
		"/docs/noble-hashes/hmac.js":  embedded("noble-hashes/hmac.js"),
		"/docs/noble-hashes/sha2.js":  embedded("noble-hashes/sha2.js"),
		"/docs/noble-hashes/utils.js": embedded("noble-hashes/utils.js"),
		"/docs/noble-hashes/_md.js":   embedded("noble-hashes/_md.js"),
		"/docs/noble-hashes/_u64.js":  embedded("noble-hashes/_u64.js"),
	}
	documents = map[string]func(Settings) []byte{
		"/openapi/directory.json": Directory,
		"/openapi/schools.json":   Schools,
		"/openapi/libraries.json": Libraries,
	}
)

func embedded(name string) func(*http.Request) static.File {
	return static.Embedded(docs, "page/"+name)
}

// Owns reports whether Handler serves a path.
func Owns(path string) bool { return files[path] != nil || documents[path] != nil }

// Handler serves the documents and the page (H10) at the paths that Owns reports. Each is made when it is first requested.
func Handler(s Settings) http.Handler {
	served := maps.Clone(files)
	for path, document := range documents {
		served[path] = static.Always(func() static.File { return static.New(static.JSON, document(s)) })
	}
	return served
}
