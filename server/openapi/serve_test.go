package openapi_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/openapi"
)

// files maps all paths of Handler to their content types.
var files = map[string]string{
	"/docs":                       "text/html; charset=utf-8",
	"/docs/docs.js":               "text/javascript; charset=utf-8",
	"/docs/docs.css":              "text/css; charset=utf-8",
	"/docs/swagger-ui-bundle.js":  "text/javascript; charset=utf-8",
	"/docs/swagger-ui.css":        "text/css; charset=utf-8",
	"/docs/noble-hashes/hmac.js":  "text/javascript; charset=utf-8",
	"/docs/noble-hashes/sha2.js":  "text/javascript; charset=utf-8",
	"/docs/noble-hashes/utils.js": "text/javascript; charset=utf-8",
	"/docs/noble-hashes/_md.js":   "text/javascript; charset=utf-8",
	"/docs/noble-hashes/_u64.js":  "text/javascript; charset=utf-8",
	"/openapi/directory.json":     "application/json",
	"/openapi/schools.json":       "application/json",
	"/openapi/libraries.json":     "application/json",
}

func send(method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	openapi.Handler(settings).ServeHTTP(w, r)
	return w
}

func TestFiles(t *testing.T) {
	for path, contentType := range files {
		plain, zipped := send("GET", path), send("GET", path, "Accept-Encoding", "br, gzip")
		h := plain.Header()
		if plain.Code != 200 || h.Get("Content-Type") != contentType || plain.Body.Len() == 0 || h.Get("Content-Encoding") != "" {
			t.Errorf("GET %s = %d with %v, want %s", path, plain.Code, h, contentType)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if h.Get(name) != want {
				t.Errorf("GET %s: %s = %q, want %q", path, name, h.Get(name), want)
			}
		}
		if vary, localized := h.Get("Vary"), path == "/docs"; !strings.HasPrefix(vary, "Accept-Encoding") || strings.Contains(vary, "Accept-Language") != localized {
			t.Errorf("GET %s: Vary = %q", path, vary)
		}
		if zipped.Code != 200 || zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Fatalf("GET %s for gzip = %d with %v", path, zipped.Code, zipped.Header())
		}
		if got := unzip(t, zipped.Body); got != plain.Body.String() {
			t.Errorf("GET %s: the gzip form is another text", path)
		}
		if head := send("HEAD", path); head.Code != 200 || head.Body.Len() != 0 {
			t.Errorf("HEAD %s = %d with %d bytes", path, head.Code, head.Body.Len())
		}
	}
}

// TestLanguages tests that the page has the language of the lang parameter, or else the one that the browser prefers.
func TestLanguages(t *testing.T) {
	for _, tt := range []struct{ query, accept, want string }{
		{"", "", "en"},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"},
		{"", "ja", "en"},
		{"?api=libraries&lang=pt-BR", "en", "pt-BR"},
		{"?lang=en", "pt", "en"},
	} {
		w := send("GET", "/docs"+tt.query, "Accept-Language", tt.accept)
		body := w.Body.String()
		if w.Code != 200 || w.Header().Get("Content-Language") != tt.want || !strings.Contains(body, `<html lang="`+tt.want+`">`) {
			t.Errorf("/docs%s for %q = %d in %q, want %s", tt.query, tt.accept, w.Code, w.Header().Get("Content-Language"), tt.want)
		}
		if strings.Contains(body, "Chave") != (tt.want == "pt-BR") || strings.Contains(body, "Secret") != (tt.want == "en") {
			t.Errorf("/docs%s for %q = %s, want all of it in %s", tt.query, tt.accept, body, tt.want)
		}
		if empty := regexp.MustCompile(`=""|<(a|label|title)[^>]*>\s*<`).FindString(body); empty != "" {
			t.Errorf("/docs%s has an empty text: %s", tt.query, empty)
		}
	}
	if en, pt := send("GET", "/docs"), send("GET", "/docs?lang=pt-BR"); en.Header().Get("ETag") == pt.Header().Get("ETag") {
		t.Error("both languages have one entity tag")
	}
}

func unzip(t *testing.T, r io.Reader) string {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestContentSecurityPolicy checks that the page runs scripts of this server only, and sends requests to it only.
func TestContentSecurityPolicy(t *testing.T) {
	for path := range files {
		policy := send("GET", path).Header().Get("Content-Security-Policy")
		directives := map[string]string{}
		for d := range strings.SplitSeq(policy, ";") {
			name, sources, _ := strings.Cut(strings.TrimSpace(d), " ")
			directives[name] = sources
		}
		for name, want := range map[string]string{
			"default-src": "'none'", "script-src": "'self'", "connect-src": "'self'", "frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'none'",
		} {
			if directives[name] != want {
				t.Errorf("GET %s: %s = %q, want %q", path, name, directives[name], want)
			}
		}
	}
}

func TestNotModified(t *testing.T) {
	for path := range files {
		tag := send("GET", path).Header().Get("ETag")
		if tag == "" || tag != send("GET", path, "Accept-Encoding", "gzip").Header().Get("ETag") {
			t.Errorf("GET %s: ETag = %q, and another one of the gzip form", path, tag)
		}
		if w := send("GET", path, "If-None-Match", tag); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("GET %s with its tag = %d with %d bytes, want 304 and none", path, w.Code, w.Body.Len())
		}
		if w := send("GET", path, "If-None-Match", `W/"other"`); w.Code != 200 {
			t.Errorf("GET %s with another tag = %d, want 200", path, w.Code)
		}
	}
}

// TestGzipIsNotForced checks that the server sends gzip only to a client that accepts it.
func TestGzipIsNotForced(t *testing.T) {
	for accept, want := range map[string]string{
		"": "", "br": "", "gzip;q=0": "", "gzip; q=0.5": "gzip", "gzip": "gzip", "deflate,gzip": "gzip", "*": "gzip", "*, gzip;q=0": "", "zstd": "",
	} {
		if got := send("GET", "/docs", "Accept-Encoding", accept).Header().Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: Content-Encoding = %q, want %q", accept, got, want)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	for path := range files {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			if w := send(method, path); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s = %d, Allow %q, want 405 and GET, HEAD", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

// TestNothingIsMadeAhead checks that no document is made before its first request. One takes thousands of allocations.
func TestNothingIsMadeAhead(t *testing.T) {
	r, w := httptest.NewRequest("GET", "/api-platform/schools/v1/users", nil), httptest.NewRecorder()
	ahead := testing.AllocsPerRun(10, func() { openapi.Owns("/docs"); openapi.Handler(settings).ServeHTTP(w, r) })
	if document := testing.AllocsPerRun(10, func() { openapi.Schools(settings) }); ahead > 200 || document < 2000 {
		t.Errorf("a request that is none of these takes %v allocations, a document %v; want at most 200, and thousands", ahead, document)
	}
}

func TestOwns(t *testing.T) {
	for path := range files {
		if !openapi.Owns(path) {
			t.Errorf("Owns(%s) = false", path)
		}
	}
	for _, path := range []string{"", "/", "/docs/x", "/docs/index.html", "/docs/swagger-ui/LICENSE", "/openapi", "/openapi/", "/openapi/schools", "/openapi/x.json",
		"/Docs", "/docs/../docs", "/api-platform/schools/v1/users"} {
		if openapi.Owns(path) {
			t.Errorf("Owns(%s) = true", path)
		}
		if path != "" {
			if w := send("GET", path); w.Code != 404 {
				t.Errorf("GET %s = %d, want 404", path, w.Code)
			}
		}
	}
}
