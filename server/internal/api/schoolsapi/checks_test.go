package schoolsapi_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
)

const prefix = schoolsapi.Prefix

// TestOrderOfChecks tests the order of the checks (H5). Each of the first rows breaks the check that it names and every
// later one, so only that order gives the wanted status.
func TestOrderOfChecks(t *testing.T) {
	tests := []struct {
		rule, method, target string
		headers              []string
		want                 int
		message              string
	}{
		{"path before method and key", "POST", prefix + "/books?x=1", []string{"A", "b"}, 404, `"Cannot POST /api-platform/schools/v1/books"`},
		{"method before key", "POST", prefix + "/users?x=1", []string{"A", "b"}, 405, `"only GET is supported"`},
		{"key before parameters", "GET", prefix + "/users?x=1", []string{"X-Api-Key", "bad"}, 401, `"missing or invalid API key"`},
		{"parameters last", "GET", prefix + "/users?x=1", nil, 400, `["property x should not exist"]`},

		{"trailing slash", "GET", prefix + "/users/", nil, 404, `"Cannot GET /api-platform/schools/v1/users/"`},
		{"double slash", "GET", prefix + "//users", nil, 404, `"Cannot GET /api-platform/schools/v1//users"`},
		{"dot segments", "GET", prefix + "/x/../users", nil, 404, `"Cannot GET /api-platform/schools/v1/x/../users"`},
		{"capitals", "GET", prefix + "/Users", nil, 404, `"Cannot GET /api-platform/schools/v1/Users"`},
		{"an escaped slash is no slash", "GET", "/api-platform/schools/v1%2fusers", nil, 404, `"Cannot GET /api-platform/schools/v1%2fusers"`},
		{"only the prefix", "GET", prefix, nil, 404, `"Cannot GET /api-platform/schools/v1"`},

		{"HEAD", "HEAD", prefix + "/users", nil, 405, `"only GET is supported"`},
		{"OPTIONS", "OPTIONS", prefix + "/users", nil, 405, `"only GET is supported"`},
		{"PUT", "PUT", prefix + "/readings", nil, 405, `"only GET is supported"`},
		{"a nonstandard method", "BREW", prefix + "/engagements", nil, 405, `"only GET is supported"`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			w := send(newAPI(&fixed{}, 1), tt.method, tt.target, tt.headers...)
			want := `{"statusCode":` + strconv.Itoa(tt.want) + `,"error":"` + http.StatusText(tt.want) + `","message":` + tt.message + `}`
			if w.Code != tt.want || w.Body.String() != want {
				t.Errorf("%s %s = %d %s, want %d %s", tt.method, tt.target, w.Code, w.Body, tt.want, want)
			}
			if allow := w.Header().Get("Allow"); (allow == "GET") != (tt.want == 405) {
				t.Errorf("Allow = %q at %d", allow, tt.want)
			}
			if loc := w.Header().Get("Location"); loc != "" {
				t.Errorf("Location = %q, want no redirect", loc)
			}
		})
	}
}

func TestKeyHeaders(t *testing.T) {
	tests := []struct {
		rule    string
		headers []string
		want    int
	}{
		{"none", []string{"A", "b"}, 401},
		{"X-Api-Key", []string{"X-Api-Key", "good"}, 200},
		{"header names in any case", []string{"x-api-key", "good"}, 200},
		{"Bearer", []string{"Authorization", "Bearer good"}, 200},
		{"bearer in lower case", []string{"Authorization", "bearer good"}, 200},
		{"bearer in capitals", []string{"Authorization", "BEARER good"}, 200},
		{"bearer with two spaces", []string{"Authorization", "Bearer  good"}, 200},
		{"bearer without a key", []string{"Authorization", "Bearer"}, 401},
		{"another scheme", []string{"Authorization", "Basic good"}, 401},
		{"no scheme", []string{"Authorization", "good"}, 401},
		{"X-Api-Key decides, good", []string{"X-Api-Key", "good", "Authorization", "Bearer bad"}, 200},
		{"X-Api-Key decides, bad", []string{"X-Api-Key", "bad", "Authorization", "Bearer good"}, 401},
		{"X-Api-Key decides, empty", []string{"X-Api-Key", "", "Authorization", "Bearer good"}, 401},
		{"X-Api-Key twice", []string{"X-Api-Key", "good", "X-Api-Key", "good"}, 401},
		{"keys compare exactly", []string{"X-Api-Key", "GOOD"}, 401},
		{"the database does not answer", []string{"X-Api-Key", "broken"}, 500},
	}
	for _, tt := range tests {
		if w := get(newAPI(&fixed{}, 0), "/users", tt.headers...); w.Code != tt.want {
			t.Errorf("%s = %d, want %d", tt.rule, w.Code, tt.want)
		}
	}
}

// TestRateHeaders tests that only requests that pass the checks before the rate use the budget and show it (H5, H6).
func TestRateHeaders(t *testing.T) {
	f := &fixed{}
	h := newAPI(f, 4)
	quota := func(w http.Header) [3]string {
		return [3]string{w.Get("x-ratelimit-limit-public-default"), w.Get("x-ratelimit-remaining-public-default"), w.Get("x-ratelimit-reset-public-default")}
	}
	steps := []struct {
		rule, method, path string
		headers            []string
		err                error
		status             int
		remaining          string
	}{
		{"404 comes before the rate limit", "GET", "/books", nil, nil, 404, ""},
		{"405 comes before the rate limit", "POST", "/users", nil, nil, 405, ""},
		{"401 comes before the rate limit", "GET", "/users", []string{"A", "b"}, nil, 401, ""},
		{"200", "GET", "/users", nil, nil, 200, "3"},
		{"304", "GET", "/users", []string{"X-Api-Key", "good", "If-None-Match", "*"}, nil, 304, "2"},
		{"400", "GET", "/users?page=0", nil, nil, 400, "1"},
		{"500", "GET", "/users", nil, errors.New("boom"), 500, "0"},
		{"429", "GET", "/users", nil, nil, 429, "0"},
		{"429 comes before the parameters", "GET", "/users?page=0", nil, nil, 429, "0"},
		{"401 comes before 429", "GET", "/users", []string{"A", "b"}, nil, 401, ""},
	}
	for _, s := range steps {
		f.err = s.err
		w := send(h, s.method, prefix+s.path, s.headers...)
		want := [3]string{"4", s.remaining, "60"} // noon is the minute's beginning
		if s.remaining == "" {
			want = [3]string{}
		}
		if w.Code != s.status || quota(w.Header()) != want {
			t.Errorf("%s = %d with %q, want %d with %q", s.rule, w.Code, quota(w.Header()), s.status, want)
		}
		if after := w.Header().Get("Retry-After"); (after == "60") != (s.status == 429) {
			t.Errorf("%s: Retry-After = %q", s.rule, after)
		}
	}
	if w := get(newAPI(f, 0), "/users"); quota(w.Header()) != [3]string{} {
		t.Errorf("rate headers with a limit of 0 = %q, want none", quota(w.Header()))
	}
}
