package welcome_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/welcome"
)

func send(method, accept, languages string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Language", languages)
	w := httptest.NewRecorder()
	welcome.Handler().ServeHTTP(w, r)
	return w
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestLanguages(t *testing.T) {
	for _, tt := range []struct{ languages, want string }{
		{"", "en"},
		{"en-GB,en;q=0.9", "en"},
		{"pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"},
		{"pt-PT", "pt-BR"},
		{"en;q=0.8,pt;q=0.9", "pt-BR"},
		{"en;q=0.9,pt;q=0.8", "en"},
		{"ja", "en"},
		{"ja,pt;q=0.1", "pt-BR"},
		{";;q=x,", "en"},
	} {
		for _, accept := range []string{browser, "*/*"} {
			res := send("GET", accept, tt.languages)
			if got := res.Header().Get("Content-Language"); res.Code != 200 || got != tt.want {
				t.Errorf("for %q = %d in %q, want %q", tt.languages, res.Code, got, tt.want)
			}
			if said := strings.Contains(res.Body.String(), "bibliotecas"); said != (tt.want == "pt-BR") {
				t.Errorf("for %q = %s, want it in %s", tt.languages, res.Body, tt.want)
			}
		}
	}
}

// TestForms holds that a browser gets HTML and curl a text, both small and with the same links.
func TestForms(t *testing.T) {
	links := regexp.MustCompile(`/(explore|docs|lectern#pulling|openapi/\w+\.json)\b`)
	for _, tt := range []struct{ accept, want string }{
		{browser, "text/html; charset=utf-8"}, {"*/*", "text/plain; charset=utf-8"}, {"", "text/plain; charset=utf-8"},
	} {
		res := send("GET", tt.accept, "")
		if got := res.Header().Get("Content-Type"); got != tt.want || res.Body.Len() > 2000 {
			t.Errorf("for %q = %s of %d bytes, want %s of 2000 at most", tt.accept, got, res.Body.Len(), tt.want)
		}
		if n := len(links.FindAllString(res.Body.String(), -1)); n != 6 {
			t.Errorf("for %q there are %d links, want those of two pages, of the recipes and of three documents: %s", tt.accept, n, res.Body)
		}
		if head := send("HEAD", tt.accept, ""); head.Code != 200 || head.Header().Get("Content-Length") != res.Header().Get("Content-Length") {
			t.Errorf("HEAD for %q = %d, %v", tt.accept, head.Code, head.Header())
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if res := send(method, browser, ""); res.Code != http.StatusMethodNotAllowed || res.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s = %d, Allow %q, want 405", method, res.Code, res.Header().Get("Allow"))
		}
	}
}

// TestPolicy holds that the page may do nothing but have the one style that is in it.
func TestPolicy(t *testing.T) {
	res := send("GET", browser, "pt")
	style := regexp.MustCompile(`<style>(.*)</style>`).FindStringSubmatch(res.Body.String())
	if style == nil {
		t.Fatalf("the page has no style: %s", res.Body)
	}
	sum := sha256.Sum256([]byte(style[1]))
	policy := res.Header().Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
	} {
		if !strings.Contains(policy+";", want+";") {
			t.Errorf("policy = %s, want %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(res.Body.String(), "<script") {
		t.Errorf("the page runs what it should not: %s", policy)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Vary": "Accept, Accept-Language", "Referrer-Policy": "no-referrer"} {
		if got := res.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
