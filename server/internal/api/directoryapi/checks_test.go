package directoryapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

const mib = 1 << 20

// TestOrderOfChecks tests the order of the checks (P10). Each row breaks the check that it names and every later one, so
// only that order gives the wanted status.
func TestOrderOfChecks(t *testing.T) {
	big := strings.Repeat("x", mib+1)
	tests := []struct {
		rule, method, target, body string
		headers                    []string
		used                       bool // the budget of the minute is used up
		want                       int
	}{
		{"path first", "BREW", prefix + "/books", big, []string{"Authorization", "bad", "Content-Type", "text/plain"}, true, 404},
		{"then the method", "PATCH", prefix + "/entities", big, []string{"Authorization", "bad", "Content-Type", "text/plain"}, true, 405},
		{"then the size", "POST", prefix + "/entities", big, []string{"Authorization", "bad", "Content-Type", "text/plain"}, true, 413},
		{"then the signature", "POST", prefix + "/entities", "[", []string{"Authorization", "bad", "Content-Type", "text/plain"}, true, 401},
		{"then the signature of the body", "POST", prefix + "/entities", "[", []string{"X-Authorization-Content-SHA256", "another", "Content-Type", "text/plain"}, true, 401},
		{"then the rate", "POST", prefix + "/entities", "[", []string{"Content-Type", "text/plain"}, true, 429},
		{"then the content type", "POST", prefix + "/entities", "[", []string{"Content-Type", "text/plain"}, false, 415},
		{"then the body", "POST", prefix + "/entities", "[", nil, false, 400},
		{"validation last", "POST", prefix + "/entities", "{}", nil, false, 422},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var faults directory.FieldErrors
			faults.Add("name", directory.MsgBlank)
			api := newAPI(&fixed{err: faults})
			api.Limit.Rate = 1
			if tt.used {
				send(t, api, "GET", prefix+"/entities/n", "")
			}
			want := detail(http.StatusText(tt.want))
			if tt.want == 422 {
				want = `{"errors":{"name":["can't be blank"]}}`
			}
			w := send(t, api, tt.method, tt.target, tt.body, tt.headers...)
			expect(t, tt.rule, w, tt.want, want)
			if limited := tt.want == 429 || tt.want == 415 || tt.want == 400 || tt.want == 422; limited != (w.Header().Get("X-Ratelimit-Limit-Public-Default") == "1") {
				t.Errorf("rate headers at status %d = %v", tt.want, w.Header())
			}
		})
	}
}

func TestPaths(t *testing.T) {
	long := strings.Repeat("%C3%A9", 255)
	tests := []struct {
		rule, target string
		want         string // the reference; empty = 404
	}{
		{"plain", "/entities/n", "n"},
		{"a name of a route", "/entities/subtree", "subtree"},
		{"space", "/entities/a%20b", "a b"},
		{"plus is itself", "/entities/a+b", "a+b"},
		{"slash", "/entities/a%2Fb", "a/b"},
		{"slash, in lower case", "/entities/a%2fb", "a/b"},
		{"only slashes", "/entities/%2F%2F", "//"},
		{"like a path", "/entities/..%2Fx", "../x"},
		{"percent", "/entities/100%25", "100%"},
		{"an escaped escape", "/entities/%252F", "%2F"},
		{"question mark and hash", "/entities/%3F%23", "?#"},
		{"accents", "/entities/%C3%A9cole", "école"},
		{"accents, not escaped", "/entities/école", "école"},
		{"emoji", "/entities/%F0%9F%93%9A", "📚"},
		{"a quote beside an escaped slash", `/entities/"%2F`, `"/`},
		{"semicolon, colon, at", "/entities/a;b:c@d", "a;b:c@d"},
		{"255 characters", "/entities/" + long, strings.Repeat("é", 255)},
		{"an escaped letter of the route", "/%65ntities/n", "n"},
		{"subtree", "/entities/a%2Fb/subtree", "a/b"},

		{"empty", "/entities/", ""},
		{"empty, subtree", "/entities//subtree", ""},
		{"trailing slash", "/entities/n/", ""},
		{"two slashes", "//entities/n", ""},
		{"too deep", "/entities/n/subtree/x", ""},
		{"unknown subresource", "/entities/n/children", ""},
		{"capitals", "/Entities/n", ""},
		{"nothing", "", ""},
		{"a slash", "/", ""},
		{"an escaped slash is no slash", "%2Fentities/n", ""},
		{"escaped slash in the route", "/entities%2Fn", ""},
		{"dot segments are not cleaned", "/x/../entities/n", ""},
	}
	for _, tt := range tests {
		store := &fixed{}
		w := send(t, newAPI(store), "GET", prefix+tt.target, "")
		if tt.want == "" {
			expect(t, tt.rule, w, 404, detail("Not Found"))
			continue
		}
		if w.Code != 200 || len(store.asked) < 2 || store.asked[1] != directory.Ref(tt.want) {
			t.Errorf("%s: GET %s = %d, asked for %q, want 200 and %q", tt.rule, tt.target, w.Code, store.asked, tt.want)
		}
	}
}

// TestMalformedEscape tests a path with a malformed escape. net/http refuses it, but a program may make its own request.
func TestMalformedEscape(t *testing.T) {
	r := httptest.NewRequest("GET", prefix+"/entities/n", nil)
	r.URL.RawPath = prefix + "/entities/%zz"
	w := httptest.NewRecorder()
	newAPI(&fixed{}).Handler().ServeHTTP(w, r)
	expect(t, "malformed escape", w, 404, detail("Not Found"))
}

func TestMethods(t *testing.T) {
	routes := map[string]string{
		"/entities":            "GET, POST",
		"/entities/n":          "DELETE, GET, PUT",
		"/entities/n/subtree":  "GET",
		"/entities/n/readers":  "GET",
		"/entities/n/teachers": "GET",
		"/teachers":            "POST",
		"/teachers/t":          "DELETE, GET, PUT",
	}
	for path, allow := range routes {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			if strings.Contains(allow, method) {
				continue
			}
			w := send(t, newAPI(&fixed{}), method, prefix+path, "")
			expect(t, method+" "+path, w, 405, detail("Method Not Allowed"))
			if got := w.Header().Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow = %q, want %q", method, path, got, allow)
			}
		}
	}
}

func TestSize(t *testing.T) {
	of := func(size int) string {
		head, tail := `{"name":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	for _, chunked := range []bool{false, true} { // without a Content-Length the body is counted
		for size, want := range map[int]int{mib: 201, mib + 1: 413} {
			r := httptest.NewRequest("POST", prefix+"/entities", strings.NewReader(of(size)))
			r.Header.Set("X-Authorization-Content-SHA256", auth.HashBody([]byte(of(size))))
			r.Header.Set("Content-Type", "application/json")
			if chunked {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			newAPI(&fixed{}).Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("a body of %d bytes, chunked %t = %d, want %d", size, chunked, w.Code, want)
			}
		}
	}
	r := httptest.NewRequest("POST", prefix+"/entities", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	w := httptest.NewRecorder()
	newAPI(&fixed{}).Handler().ServeHTTP(w, r)
	expect(t, "a body that is cut off", w, 400, detail("Bad Request"))
}

func TestContentType(t *testing.T) {
	tests := map[string]int{
		"application/json":                  201,
		"application/json; charset=utf-8":   201,
		"Application/JSON":                  201,
		"application/vnd.api+json":          201,
		"":                                  415,
		"text/plain":                        415,
		"text/json":                         415,
		"application/x-www-form-urlencoded": 415,
		"application/json,text/plain":       415,
		"json":                              415,
	}
	for contentType, want := range tests {
		if w := send(t, newAPI(&fixed{}), "POST", prefix+"/entities", "{}", "Content-Type", contentType); w.Code != want {
			t.Errorf("content type %q = %d, want %d", contentType, w.Code, want)
		}
	}
	if w := send(t, newAPI(&fixed{}), "POST", prefix+"/entities", "{}", "Content-Encoding", "gzip"); w.Code != 415 {
		t.Errorf("a content coding = %d, want 415", w.Code)
	}
	if w := send(t, newAPI(&fixed{}), "DELETE", prefix+"/entities/n", "x", "Content-Type", "text/plain"); w.Code != 204 {
		t.Errorf("an unread body = %d, want 204", w.Code)
	}
}

func TestErrors(t *testing.T) {
	var faults directory.FieldErrors
	faults.Add("name", directory.MsgBlank)
	faults.Add("reference_id", directory.MsgTaken)
	tests := []struct {
		rule string
		err  error
		want int
		body string
	}{
		{"not found", fmt.Errorf("entity %q: %w", "n", directory.ErrNotFound), 404, detail("Not Found")},
		{"children", fmt.Errorf("entity %q: %w", "n", directory.ErrHasChildren), 422, `{"errors":{"entity":["children must be removed first"]}}`},
		{"fields", fmt.Errorf("entity %q: %w", "n", faults), 422, `{"errors":{"name":["can't be blank"],"reference_id":["has already been taken"]}}`},
		{"any other error is not shown", errors.New("disk full"), 500, detail("Internal Server Error")},
	}
	for _, tt := range tests {
		expect(t, tt.rule, send(t, newAPI(&fixed{err: tt.err}), "DELETE", prefix+"/entities/n", ""), tt.want, tt.body)
	}
	// The store does not implement the method for readers: that of the nil Store panics.
	expect(t, "panic", send(t, newAPI(&fixed{}), "GET", prefix+"/entities/n/readers", ""), 500, detail("Internal Server Error"))
}

func TestDebug(t *testing.T) {
	api := newAPI(&fixed{})
	plain := send(t, api, "GET", prefix+"/entities/a%2Fb?x=1", "", "Authorization", "bad", "Date", "today")
	expect(t, "without --debug-signatures", plain, 401, detail("Unauthorized"))
	if got := plain.Header().Get("WWW-Authenticate"); got != "APIAuth" {
		t.Errorf("WWW-Authenticate = %q, want APIAuth", got)
	}
	api.Debug = true
	debug := send(t, api, "GET", prefix+"/entities/a%2Fb?x=1", "", "Authorization", "bad", "Date", "today")
	expect(t, "with --debug-signatures", debug, 401, `{"errors":{"detail":"Unauthorized","canonical":"GET,,,`+prefix+`/entities/a%2Fb?x=1,today","reason":"it is bad"}}`)
	other := send(t, api, "POST", prefix+"/entities", "x", "X-Authorization-Content-SHA256", "y")
	expect(t, "a body other than the signed one", other, 401,
		`{"errors":{"detail":"Unauthorized","canonical":"POST,application/json,y,`+prefix+`/entities,","reason":"no valid signature: a hash is not that of the body"}}`)
}

// TestBodyUnread tests that a request that is refused before its body is read leaves it unread. The connection is then
// closed (P10).
func TestBodyUnread(t *testing.T) {
	tests := []struct {
		rule, method, path, authorization string
		length                            int64
		want                              int
	}{
		{"path", "POST", "/books", "", 9, 404},
		{"method", "PATCH", "/entities", "", 9, 405},
		{"size", "POST", "/entities", "", mib + 1, 413},
		{"signature", "POST", "/entities", "bad", mib, 401},
		{"signature, of a body without a length", "POST", "/entities", "bad", -1, 401},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(tt.method, prefix+tt.path, unreadable{t})
		r.ContentLength = tt.length
		r.Header.Set("Authorization", tt.authorization)
		w := httptest.NewRecorder()
		web.CloseUnread(newAPI(&fixed{}).Handler()).ServeHTTP(w, r)
		if w.Code != tt.want || w.Header().Get("Connection") != "close" {
			t.Errorf("%s: %d, Connection %q, want %d and close", tt.rule, w.Code, w.Header().Get("Connection"), tt.want)
		}
	}
	for _, body := range []string{"", "{}"} {
		r := httptest.NewRequest("POST", prefix+"/entities", strings.NewReader(body))
		r.Header.Set("X-Authorization-Content-SHA256", auth.HashBody([]byte(body)))
		w := httptest.NewRecorder()
		web.CloseUnread(newAPI(&fixed{}).Handler()).ServeHTTP(w, r)
		if w.Code != 415 || w.Header().Get("Connection") != "" {
			t.Errorf("after the body %q was read: %d, Connection = %q, want 415 and none", body, w.Code, w.Header().Get("Connection"))
		}
	}
}

// TestBusy tests that bodies in transit share 64 MiB, by the length that they announce. One more gets a 503 with a
// Retry-After of a second, unless it is small (P10).
func TestBusy(t *testing.T) {
	h := web.CloseUnread(newAPI(&fixed{}).Handler())
	post := func(body io.Reader, length int64) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("POST", prefix+"/entities", body), httptest.NewRecorder()
		r.ContentLength = length
		h.ServeHTTP(w, r)
		return w
	}
	body, end := io.Pipe()
	var slow sync.WaitGroup
	reading := make(chan struct{})
	for i := range directoryapi.MaxBodies / mib {
		length := int64(mib)
		if i%2 == 0 {
			length = -1
		}
		slow.Go(func() { post(io.MultiReader(notifying{reading}, body), length) })
		<-reading
	}
	small, larger := strings.Repeat(" ", 16<<10), strings.Repeat(" ", 16<<10+1)
	expect(t, "a small body", post(strings.NewReader(small), 16<<10), 401, detail("Unauthorized")) // its hash is not signed
	w := post(strings.NewReader(larger), 16<<10+1)
	expect(t, "no room", w, 503, detail("Service Unavailable"))
	if w.Header().Get("Retry-After") != "1" || w.Header().Get("Connection") != "close" {
		t.Errorf("no room: %v, want Retry-After 1 and Connection close", w.Header())
	}
	end.Close()
	slow.Wait()
	expect(t, "room again", post(strings.NewReader(larger), 16<<10+1), 401, detail("Unauthorized"))
}

// notifying is an empty body that reports when it is read.
type notifying struct{ reading chan struct{} }

func (r notifying) Read([]byte) (int, error) {
	r.reading <- struct{}{}
	return 0, io.EOF
}

// unreadable is a body that fails the test if it is read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}
