package librariesapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
)

const prefix = librariesapi.Prefix

// TestOrderOfChecks tests the order of the checks (H5). Each of the first rows breaks the check that it names and every
// later one, so only that order gives the wanted status.
func TestOrderOfChecks(t *testing.T) {
	const p = "/api-platform/libraries/v1"
	unknown := func(path string) string { return `"Cannot GET ` + path + `"` }
	bad := []string{"A", "b"}
	tests := []struct {
		rule, method, target string
		headers              []string
		want                 int
		message              string
	}{
		{"path before method and key", "POST", prefix + "/readings?x=1", bad, 404, `"Cannot POST ` + p + `/readings"`},
		{"method before key", "POST", prefix + "/users?x=1", bad, 405, `"only GET is supported"`},
		{"method before the dataset's name", "POST", prefix + "/datasets/films?x=1", bad, 405, `"only GET is supported"`},
		{"key before the dataset's name", "GET", prefix + "/datasets/films?x=1", bad, 401, `"missing or invalid API key"`},
		{"the dataset's name before parameters", "GET", prefix + "/datasets/films?x=1", nil, 404, `"unknown dataset films"`},
		{"key before parameters", "GET", prefix + "/users?x=1", []string{"X-Api-Key", "bad"}, 401, `"missing or invalid API key"`},
		{"parameters last", "GET", prefix + "/users?x=1", nil, 400, `["property x should not exist"]`},

		{"a dataset's name in capitals", "GET", prefix + "/datasets/Books", nil, 404, `"unknown dataset Books"`},
		{"a dataset's name with an accent", "GET", prefix + "/datasets/a%C3%A7%C3%A3o", nil, 404, `"unknown dataset ação"`},
		{"a route is no dataset", "GET", prefix + "/datasets/users", nil, 404, `"unknown dataset users"`},
		{"a dataset is no route", "GET", prefix + "/loans", nil, 404, unknown(p + "/loans")},
		{"datasets without a name", "GET", prefix + "/datasets", nil, 404, unknown(p + "/datasets")},
		{"datasets with an empty name", "GET", prefix + "/datasets/", nil, 404, unknown(p + "/datasets/")},
		{"a path below a dataset", "GET", prefix + "/datasets/loans/1", nil, 404, unknown(p + "/datasets/loans/1")},
		{"trailing slash of a dataset", "GET", prefix + "/datasets/loans/", nil, 404, unknown(p + "/datasets/loans/")},

		{"trailing slash", "GET", prefix + "/users/", nil, 404, unknown(p + "/users/")},
		{"double slash", "GET", prefix + "//users", nil, 404, unknown(p + "//users")},
		{"dot segments", "GET", prefix + "/x/../users", nil, 404, unknown(p + "/x/../users")},
		{"capitals", "GET", prefix + "/Users", nil, 404, unknown(p + "/Users")},
		{"an escaped slash is no slash", "GET", prefix + "/datasets%2Floans", nil, 404, unknown(p + "/datasets%2Floans")},
		{"an escaped slash is not part of a name", "GET", prefix + "/datasets/a%2fb", nil, 404, unknown(p + "/datasets/a%2fb")},
		{"only the prefix", "GET", prefix, nil, 404, unknown(p)},

		{"HEAD", "HEAD", prefix + "/summary", nil, 405, `"only GET is supported"`},
		{"OPTIONS", "OPTIONS", prefix + "/engagements", nil, 405, `"only GET is supported"`},
		{"PUT", "PUT", prefix + "/datasets/books", nil, 405, `"only GET is supported"`},
		{"DELETE", "DELETE", prefix + "/dimensions", nil, 405, `"only GET is supported"`},
		{"under a legacy prefix", "PATCH", "/old/libraries/v1/users", nil, 405, `"only GET is supported"`},
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
		{"Bearer in any case", []string{"Authorization", "bEARER good"}, 200},
		{"another scheme", []string{"Authorization", "Basic good"}, 401},
		{"X-Api-Key decides, bad", []string{"X-Api-Key", "bad", "Authorization", "Bearer good"}, 401},
		{"X-Api-Key decides, empty", []string{"X-Api-Key", "", "Authorization", "Bearer good"}, 401},
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
	h := newAPI(f, 6)
	quota := func(w http.Header) [3]string {
		return [3]string{w.Get("x-ratelimit-limit-public-default"), w.Get("x-ratelimit-remaining-public-default"), w.Get("x-ratelimit-reset-public-default")}
	}
	down := fmt.Errorf("%w: no route", report.ErrChannels)
	steps := []struct {
		rule, method, path string
		headers            []string
		err                error
		status             int
		remaining          string
	}{
		{"404 comes before the rate limit", "GET", "/loans", nil, nil, 404, ""},
		{"405 comes before the rate limit", "POST", "/users", nil, nil, 405, ""},
		{"401 comes before the rate limit", "GET", "/users", []string{"A", "b"}, nil, 401, ""},
		{"200", "GET", "/users", nil, nil, 200, "5"},
		{"304", "GET", "/users", []string{"X-Api-Key", "good", "If-None-Match", "*"}, nil, 304, "4"},
		{"400", "GET", "/users?page=0", nil, nil, 400, "3"},
		{"404 of a dataset", "GET", "/datasets/films", nil, nil, 404, "2"},
		{"503", "GET", "/datasets/channels", nil, down, 503, "1"},
		{"500", "GET", "/users", nil, errors.New("boom"), 500, "0"},
		{"429", "GET", "/users", nil, nil, 429, "0"},
		{"429 comes before the dataset's name", "GET", "/datasets/films", nil, nil, 429, "0"},
		{"429 comes before the parameters", "GET", "/users?page=0", nil, nil, 429, "0"},
		{"401 comes before 429", "GET", "/users", []string{"A", "b"}, nil, 401, ""},
	}
	for _, s := range steps {
		f.err = s.err
		w := send(h, s.method, prefix+s.path, s.headers...)
		want := [3]string{"6", s.remaining, "60"} // noon is the minute's beginning
		if s.remaining == "" {
			want = [3]string{}
		}
		if w.Code != s.status || quota(w.Header()) != want {
			t.Errorf("%s = %d with %q, want %d with %q", s.rule, w.Code, quota(w.Header()), s.status, want)
		}
		if after := w.Header().Get("Retry-After"); (after == "60") != (s.status == 429 || s.status == 503) {
			t.Errorf("%s: Retry-After = %q", s.rule, after)
		}
	}
	if w := get(newAPI(f, 0), "/users"); quota(w.Header()) != [3]string{} {
		t.Errorf("rate headers with a limit of 0 = %q, want none", quota(w.Header()))
	}
}

// TestChannelsUnavailable tests that an unavailable source is a 503 in the words of the contract, which do not tell the
// reason (L13).
func TestChannelsUnavailable(t *testing.T) {
	w := get(newAPI(&fixed{err: fmt.Errorf("%w: secret", report.ErrChannels)}, 0), "/datasets/channels")
	const want = `{"statusCode":503,"error":"Service Unavailable","message":"the analytics source is not available; try again later"}`
	if w.Code != 503 || w.Body.String() != want || w.Header().Get("Retry-After") != "60" {
		t.Errorf("channels = %d %s, Retry-After %q, want 503 %s, 60", w.Code, w.Body, w.Header().Get("Retry-After"), want)
	}
}
