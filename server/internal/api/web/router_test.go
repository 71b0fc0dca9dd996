package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestRouter tests that an unknown path or method is 404 or 405, without redirects or cleaned paths (H4).
func TestRouter(t *testing.T) {
	router := web.NewRouter()
	router.Handler(http.MethodGet, "/v1/users", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	router.Handler(http.MethodGet, "/v1/datasets/:name", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	h := web.Exact(router)
	tests := []struct {
		method, target string
		want           int
	}{
		{"GET", "/v1/users", 200},
		{"GET", "/v1/%75sers", 200},
		{"GET", "/v1/datasets/a", 200},
		{"GET", "/v1/users/", 404},
		{"GET", "/v1//users", 404},
		{"GET", "/V1/Users", 404},
		{"GET", "/v1%2Fusers", 404},
		{"GET", "/v1%2fusers", 404},
		{"GET", "/v1/datasets/a%2Fb", 404},
		{"GET", "/v1/datasets/", 404},
		{"POST", "/v1/users", 405},
		{"HEAD", "/v1/users", 405},
		{"OPTIONS", "/v1/users", 405},
		{"PUT", "/v1/datasets/a", 405},
		{"POST", "/v1/nothing", 404},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.target, nil))
		if w.Code != tt.want || w.Header().Get("Location") != "" {
			t.Errorf("%s %s = %d %v, want %d and no redirect", tt.method, tt.target, w.Code, w.Header(), tt.want)
		}
	}
}

func TestKeyText(t *testing.T) {
	tests := []struct {
		rule    string
		headers []string
		want    string
	}{
		{"none", nil, ""},
		{"X-Api-Key", []string{"X-Api-Key", "good"}, "good"},
		{"Bearer", []string{"Authorization", "Bearer good"}, "good"},
		{"bearer in lower case", []string{"Authorization", "bearer good"}, "good"},
		{"bearer in capitals", []string{"Authorization", "BEARER good"}, "good"},
		{"bearer with two spaces", []string{"Authorization", "Bearer  good"}, "good"},
		{"bearer without a key", []string{"Authorization", "Bearer"}, ""},
		{"another scheme", []string{"Authorization", "Basic good"}, ""},
		{"no scheme", []string{"Authorization", "good"}, ""},
		{"X-Api-Key decides", []string{"X-Api-Key", "one", "Authorization", "Bearer two"}, "one"},
		{"X-Api-Key decides, empty", []string{"X-Api-Key", "", "Authorization", "Bearer two"}, ""},
		{"X-Api-Key twice", []string{"X-Api-Key", "good", "X-Api-Key", "good"}, ""},
		{"Authorization twice", []string{"Authorization", "Bearer good", "Authorization", "Bearer good"}, ""},
	}
	for _, tt := range tests {
		h := make(http.Header)
		for i := 0; i < len(tt.headers); i += 2 {
			h.Add(tt.headers[i], tt.headers[i+1])
		}
		if got := web.KeyText(h); got != tt.want {
			t.Errorf("%s: KeyText = %q, want %q", tt.rule, got, tt.want)
		}
	}
}
