package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// trusted are the proxies of the tests.
var trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}

// serve runs a handler behind the whole chain and returns the answer and the log's lines.
func serve(r *http.Request, h http.HandlerFunc) (*httptest.ResponseRecorder, []map[string]any) {
	var log bytes.Buffer
	w := httptest.NewRecorder()
	web.Chain(h, web.Identify(slog.New(zerolog.NewSlogHandler(zerolog.New(&log))), trusted, nil), web.AccessLog(nil), web.Recover(web.Fail), web.UserAgent).ServeHTTP(w, r)
	var lines []map[string]any
	for dec := json.NewDecoder(&log); ; {
		var line map[string]any
		if dec.Decode(&line) != nil {
			return w, lines
		}
		lines = append(lines, line)
	}
}

func TestFail(t *testing.T) {
	tests := []struct {
		rule, method, target string
		err                  error
		status               int
		body                 string
		header, value        string
	}{
		{"400", "GET", "/", &web.Problem{Status: 400, Messages: []string{"a <b>", "c"}}, 400,
			`{"statusCode":400,"error":"Bad Request","message":["a <b>","c"]}`, "", ""},
		{"401", "GET", "/", web.ErrKey, 401,
			`{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}`, "WWW-Authenticate", "Bearer"},
		{"403", "GET", "/", web.ErrUserAgent, 403,
			`{"statusCode":403,"error":"Forbidden","message":"this user agent is not accepted; send a User-Agent of your own"}`, "", ""},
		{"404 names the method and the path as sent", "POST", "/a%20b//c?d=e", nil, 404,
			`{"statusCode":404,"error":"Not Found","message":"Cannot POST /a%20b//c"}`, "", ""},
		{"405", "POST", "/", web.ErrMethod, 405,
			`{"statusCode":405,"error":"Method Not Allowed","message":"only GET is supported"}`, "Allow", "GET"},
		{"429", "GET", "/", web.TooMany(17), 429,
			`{"statusCode":429,"error":"Too Many Requests","message":"rate limit exceeded; retry after 17 seconds"}`, "Retry-After", "17"},
		{"503", "GET", "/", &web.Problem{Status: 503, Message: "later", RetryAfter: 5}, 503,
			`{"statusCode":503,"error":"Service Unavailable","message":"later"}`, "Retry-After", "5"},
		{"wrapped", "GET", "/", fmt.Errorf("key: %w", web.ErrKey), 401,
			`{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}`, "", ""},
		{"unknown", "GET", "/", errors.New("secret"), 500,
			`{"statusCode":500,"error":"Internal Server Error","message":"internal server error"}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			w, log := serve(httptest.NewRequest(tt.method, tt.target, nil), func(w http.ResponseWriter, r *http.Request) {
				err := tt.err
				if err == nil {
					err = web.NotFound(r)
				}
				web.Fail(w, r, err)
			})
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("Fail(%v) = %d %s, want %d %s", tt.err, w.Code, w.Body, tt.status, tt.body)
			}
			if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
				t.Errorf("Content-Type = %q", got)
			}
			if tt.header != "" && w.Header().Get(tt.header) != tt.value {
				t.Errorf("%s = %q, want %q", tt.header, w.Header().Get(tt.header), tt.value)
			}
			for _, name := range []string{"ETag", "Cache-Control", "Vary"} {
				if w.Header().Get(name) != "" {
					t.Errorf("an error has %s, want it only on success (H8)", name)
				}
			}
			if want := 1; tt.status == 500 {
				want = 2
				if len(log) != want || log[0]["error"] != "secret" || log[0]["request"] != log[1]["request"] {
					t.Errorf("log = %v, want the error once, with the request's id", log)
				}
			} else if len(log) != want {
				t.Errorf("log = %v, want only the access line", log)
			}
		})
	}
}

func TestRecover(t *testing.T) {
	w, log := serve(httptest.NewRequest("GET", "/", nil), func(http.ResponseWriter, *http.Request) { panic("boom") })
	const want = `{"statusCode":500,"error":"Internal Server Error","message":"internal server error"}`
	if w.Code != 500 || w.Body.String() != want {
		t.Errorf("panic = %d %s, want 500 %s", w.Code, w.Body, want)
	}
	if len(log) != 2 {
		t.Fatalf("log = %v, want the panic and the access line", log)
	}
	if text, _ := log[0]["error"].(string); !strings.Contains(text, "boom") || !strings.Contains(text, "middleware_test.go") {
		t.Errorf("logged error = %q, want the panic with its stack", text)
	}
	if log[1]["status"] != 500.0 {
		t.Errorf("logged status = %v, want 500", log[1]["status"])
	}
}

func TestRecoverLetsAbortPass(t *testing.T) {
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recover() = %v, want http.ErrAbortHandler", v)
		}
	}()
	serve(httptest.NewRequest("GET", "/", nil), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}

func TestUserAgent(t *testing.T) {
	tests := []struct {
		agent string
		want  int
	}{
		{"Python-urllib/3.12", 403},
		{"Python-urllib", 403},
		{"python-urllib/3.12", 200},
		{"etl (Python-urllib/3.12)", 200},
		{"python-requests/2.32", 200},
		{"", 200},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("User-Agent", tt.agent)
		w, _ := serve(r, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) })
		if w.Code != tt.want {
			t.Errorf("User-Agent %q = %d, want %d", tt.agent, w.Code, tt.want)
		}
	}
}

func TestAccessLog(t *testing.T) {
	r := httptest.NewRequest("BREW", "/people/maria?search=maria", nil)
	r.Header.Set("X-Api-Key", "1-1-secret")
	r.Header.Set("X-Request-Id", "forged")
	r.Header.Set("User-Agent", "etl\u202e\x1b[2J\"}\n{"+strings.Repeat("é", 200))
	w, log := serve(r, func(w http.ResponseWriter, r *http.Request) {
		t := web.TraceOf(r.Context())
		t.Route, t.Tenant, t.Reason = "/people/:name", 7, "it is Sunday"
		t.Claim(auth.ParseID("7-3"))
		w.Write([]byte("12345"))
	})
	id := w.Header().Get("X-Request-Id")
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) {
		t.Errorf("X-Request-Id = %q, want 16 hexadecimal digits", id)
	}
	if len(log) != 1 {
		t.Fatalf("log = %v, want one line", log)
	}
	if _, ok := log[0]["ms"].(float64); !ok {
		t.Errorf("ms = %v, want a number", log[0]["ms"])
	}
	delete(log[0], "ms")
	delete(log[0], "time")
	want := map[string]any{
		"level": "info", "message": "request", "request": id, "method": "other", "route": "/people/:name",
		"tenant": 7.0, "key": "7-3", "client": "192.0.2.1", "status": 200.0, "bytes": 5.0, "reason": "it is Sunday",
		"agent": "etl\ufffd\ufffd[2J\"}\ufffd{" + strings.Repeat("é", 188) + "…",
	}
	if fmt.Sprint(log[0]) != fmt.Sprint(want) {
		t.Errorf("log = %v, want %v", log[0], want)
	}
}

// TestClient tests that the client is the last address in the chain that is not a trusted proxy's. Client ignores the
// addresses before it.
func TestClient(t *testing.T) {
	tests := []struct {
		rule, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy in front", "192.0.2.1:99", nil, "192.0.2.1"},
		{"a client that is no proxy", "192.0.2.1:99", []string{"198.51.100.1"}, "192.0.2.1"},
		{"a proxy", "10.0.0.1:99", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy without the header", "10.0.0.1:99", nil, "10.0.0.1"},
		{"two proxies", "10.0.0.1:99", []string{"198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"in two headers", "10.0.0.1:99", []string{"203.0.113.5, 198.51.100.1", "10.9.9.9"}, "198.51.100.1"},
		{"entries forged by the client", "10.0.0.1:99", []string{"203.0.113.5, 10.7.7.7, 198.51.100.1"}, "198.51.100.1"},
		{"only proxies", "10.0.0.1:99", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"no address", "10.0.0.1:99", []string{"198.51.100.1, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"with a port", "10.0.0.1:99", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"IPv6", "[2001:db8::1]:99", []string{"[2001:db9::7]:4711"}, "2001:db9::7"},
		{"IPv6 in brackets", "[2001:db8::1]:99", []string{"[2001:db9::7]"}, "2001:db9::7"},
		{"IPv4 as IPv6", "[::ffff:10.0.0.1]:99", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"empty", "10.0.0.1:99", []string{""}, "10.0.0.1"},
		{"no connection", "@", []string{"198.51.100.1"}, ""},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.remote
		r.Header["X-Forwarded-For"] = tt.forwarded
		if got := web.Client(r, trusted); got != tt.want {
			t.Errorf("%s: Client(%s, %q) = %q, want %q", tt.rule, tt.remote, tt.forwarded, got, tt.want)
		}
	}
}

// TestTimeout tests that a request has the given time, or less if its context has an earlier deadline. It also has that
// time if the client has left.
func TestTimeout(t *testing.T) {
	short, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	left, leave := context.WithCancel(t.Context())
	leave()
	for ctx, most := range map[context.Context]time.Duration{t.Context(): time.Hour, short: time.Minute, left: time.Hour} {
		h := web.Timeout(time.Hour)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			end, ok := r.Context().Deadline()
			if over := time.Until(end) - most; !ok || over > 0 || over < -time.Minute/2 || r.Context().Err() != nil {
				t.Errorf("Deadline = %v, %v, Err = %v, want a deadline in %v", end, ok, r.Context().Err(), most)
			}
		}))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	}
}

func TestSpend(t *testing.T) {
	spend := func(rate int) (http.Header, error) {
		w := httptest.NewRecorder()
		noon := func() time.Time { return time.Unix(43200, 0) }
		_, err := web.Limit{Limiter: &auth.MemoryLimiter{Now: noon}, Rate: rate}.Spend(t.Context(), w, auth.Budget{Tenant: 1}, nil)
		return w.Header(), err
	}
	shown, err := spend(30)
	for name, want := range map[string]string{
		"x-ratelimit-limit-public-default":     "30",
		"x-ratelimit-remaining-public-default": "29",
		"x-ratelimit-reset-public-default":     "60",
		"RateLimit-Policy":                     `"default";q=30;w=60`,
		"RateLimit":                            `"default";r=29;t=60`,
	} {
		if got := shown.Get(name); err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
	if shown, err := spend(0); err != nil || len(shown) != 0 {
		t.Errorf("headers without a limit = %v, %v, want none", shown, err)
	}
}
