package explore_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
)

var handler = explore.Handler(explore.Settings{SchoolsHistory: calendar.MustParse("2026-01-01"), LibrariesHistory: calendar.MustParse("2026-07-21")})

func send(method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestLanguages(t *testing.T) {
	for asked, want := range map[string]string{"": "en", "en-GB,en;q=0.9": "en", "pt-BR,pt;q=0.9,en;q=0.8": "pt-BR", "pt-PT": "pt-BR", "ja": "en", "en;q=0.8,pt;q=0.9": "pt-BR"} {
		w := send("GET", "/explore", "Accept-Language", asked)
		body := w.Body.String()
		if w.Code != 200 || !strings.Contains(body, `<html lang="`+want+`">`) || strings.Contains(body, "Veja os números") != (want == "pt-BR") {
			t.Errorf("for %q = %d %.300s, want it in %s", asked, w.Code, body, want)
		}
		if vary := w.Header().Get("Vary"); vary != "Accept-Encoding, Accept-Language" {
			t.Errorf("Vary = %q", vary)
		}
		if !strings.Contains(body, `data-schools-history="2026-01-01" data-libraries-history="2026-07-21"`) {
			t.Errorf("page = %.300s, want the first days of both histories", body)
		}
	}
	if en, pt := send("GET", "/explore"), send("GET", "/explore", "Accept-Language", "pt"); en.Header().Get("ETag") == pt.Header().Get("ETag") {
		t.Error("both languages have the same entity tag")
	}
}

// TestPolicy checks that the page runs and styles only what this server sends as files, and requests nothing elsewhere.
func TestPolicy(t *testing.T) {
	w := send("GET", "/explore")
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
	} {
		if !strings.Contains(policy+";", want+";") {
			t.Errorf("policy = %s, want %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy = %s", policy)
	}
	if inline := regexp.MustCompile(`(?i)\sstyle=|<style|\son\w+=|<script>|https?:`).FindAllString(w.Body.String(), -1); inline != nil {
		t.Errorf("the page contains %q, want no inline code and no external address", inline)
	}
}

// links matches the files that the page and its scripts request.
var links = regexp.MustCompile(`(?:src="|href="|from ")(?:/explore/|\./)([\w.]+)"`)

// TestFiles checks that every embedded script and style is served and requested, and that every requested file exists.
func TestFiles(t *testing.T) {
	asked := map[string]bool{}
	for _, m := range links.FindAllStringSubmatch(send("GET", "/explore").Body.String(), -1) {
		asked[m[1]] = true
	}
	walk(t, func(path, text string) {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			asked[m[1]] = true
		}
	})
	walk(t, func(path, text string) {
		name := filepath.Base(path)
		if ext := filepath.Ext(path); ext != ".js" && ext != ".css" {
			return
		}
		if w := send("GET", "/explore/"+name); w.Code != 200 || w.Body.String() != text || !asked[name] || !explore.Owns("/explore/"+name) {
			t.Errorf("%s = %d of %d bytes, requested: %v, want it requested and as embedded", name, w.Code, w.Body.Len(), asked[name])
		}
		delete(asked, name)
	})
	if len(asked) > 0 {
		t.Errorf("requested but missing: %v", slices.Collect(maps.Keys(asked)))
	}
	for _, path := range []string{"/explore/x.js", "/explore/index.html", "/explore/words/en.json", "/explore/uplot/LICENSE", "/explorer", "/", ""} {
		if explore.Owns(path) {
			t.Errorf("Owns(%q) = true, want false", path)
		}
	}
	if w := send("POST", "/explore"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST = %d, Allow %q, want 405 and GET, HEAD", w.Code, w.Header().Get("Allow"))
	}
}

// walk calls a function with each file of the page.
func walk(t *testing.T, do func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("page", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		do(path, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWords checks that both languages have the same texts, placeholders and forms, and that each text is used.
func TestWords(t *testing.T) {
	en, pt := words(t, "en"), words(t, "pt-BR")
	var used strings.Builder
	walk(t, func(path, text string) {
		if filepath.Ext(path) != ".json" {
			used.WriteString(text)
		}
	})
	var made []string // patterns of the names that scripts compose
	for _, m := range regexp.MustCompile("say\\(`(.*?)`").FindAllStringSubmatch(used.String(), -1) {
		made = append(made, regexp.MustCompile(`\$\{.*?\}`).ReplaceAllString(m[1], `\w+`))
	}
	isMade := regexp.MustCompile("^(" + strings.Join(made, "|") + ")$")
	places := regexp.MustCompile(`\{\w+\}`)
	for name, text := range en {
		other, ok := pt[name]
		if !ok {
			t.Errorf("%s is not in Portuguese", name)
			continue
		}
		for form, s := range text {
			a, b := places.FindAllString(s, -1), places.FindAllString(other[form], -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) || other[form] == "" {
				t.Errorf("%s %s = %q and %q, want the same placeholders", name, form, s, other[form])
			}
		}
		if !regexp.MustCompile(`["'.]`+name+`\b`).MatchString(used.String()) && !isMade.MatchString(name) {
			t.Errorf("%s is not used", name)
		}
	}
	for name := range pt {
		if en[name] == nil {
			t.Errorf("%s is not in English", name)
		}
	}
	for _, m := range regexp.MustCompile(`\bsay\("(\w+)"`).FindAllStringSubmatch(used.String(), -1) {
		if en[m[1]] == nil {
			t.Errorf("text %s does not exist", m[1])
		}
	}
}

// words returns the texts of a language, each by its forms.
func words(t *testing.T, lang string) map[string]map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("page", "words", lang+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for name, v := range raw {
		found[name] = map[string]string{}
		switch v := v.(type) {
		case string:
			found[name]["other"] = v
		case map[string]any:
			for form, s := range v {
				found[name][form] = s.(string)
			}
		}
	}
	return found
}

// TestNetwork checks that the page learns whose a key is, and that a wrong key is not an error.
func TestNetwork(t *testing.T) {
	handler := explore.Handler(explore.Settings{Network: func(_ context.Context, key string) (explore.Network, error) {
		switch key {
		case "good":
			return explore.Network{Report: "libraries", Name: "Rede", Today: calendar.MustParse("2026-11-23")}, nil
		case "bad":
			return explore.Network{}, nil
		}
		return explore.Network{}, errors.New("no database")
	}})
	for key, want := range map[string]string{"good": `{"report":"libraries","name":"Rede","today":"2026-11-23"}`, "bad": "null"} {
		r := httptest.NewRequest("GET", explore.NetworkPath, nil)
		r.Header.Set("X-Api-Key", key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := strings.TrimSpace(w.Body.String()); w.Code != 200 || got != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("with a %s key = %d %s, want %s", key, w.Code, got, want)
		}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", explore.NetworkPath, nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "database") {
		t.Errorf("without a database = %d %s, want 500", w.Code, w.Body)
	}
}
