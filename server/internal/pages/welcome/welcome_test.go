package welcome_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/pages/welcome"
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
			if portuguese := strings.Contains(res.Body.String(), "bibliotecas"); portuguese != (tt.want == "pt-BR") {
				t.Errorf("for %q = %s, want it in %s", tt.languages, res.Body, tt.want)
			}
		}
	}
}

// TestForms checks that a browser gets HTML and curl gets text, both small and with the same number of links.
func TestForms(t *testing.T) {
	links := regexp.MustCompile(`/(explore|docs|openapi/\w+\.json)\b`)
	for _, tt := range []struct{ accept, want string }{
		{browser, "text/html; charset=utf-8"}, {"*/*", "text/plain; charset=utf-8"}, {"", "text/plain; charset=utf-8"},
	} {
		res := send("GET", tt.accept, "")
		if got := res.Header().Get("Content-Type"); got != tt.want || res.Body.Len() > 2000 {
			t.Errorf("for %q = %s of %d bytes, want %s of 2000 at most", tt.accept, got, res.Body.Len(), tt.want)
		}
		found := links.FindAllString(res.Body.String(), -1)
		slices.Sort(found)
		if found = slices.Compact(found); len(found) != 5 {
			t.Errorf("for %q the links are %q, want those of two pages and of three documents", tt.accept, found)
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

// TestPolicy checks that the page runs no script and loads nothing from another host.
func TestPolicy(t *testing.T) {
	res := send("GET", browser, "pt")
	if policy := res.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy = %s", policy)
	}
	if found := regexp.MustCompile(`<script|<style|\sstyle=|https?:`).FindString(res.Body.String()); found != "" {
		t.Errorf("the page contains %q, want no inline code and no external address: %s", found, res.Body)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Vary": "Accept, Accept-Encoding, Accept-Language", "Referrer-Policy": "no-referrer",
	} {
		if got := res.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

// TestSwitch checks that the page's language switch overrides the browser's preference.
func TestSwitch(t *testing.T) {
	for query, want := range map[string]string{"?lang=pt-BR": "pt-BR", "?lang=en": "en", "?lang=x": "en"} {
		r := httptest.NewRequest("GET", "/"+query, nil)
		r.Header.Set("Accept-Language", "en")
		w := httptest.NewRecorder()
		welcome.Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Content-Language"); got != want {
			t.Errorf("/%s = %q, want %q", query, got, want)
		}
	}
}
