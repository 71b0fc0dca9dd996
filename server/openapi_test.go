package server_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
	"github.com/lectern-dev/lectern/server/internal/pages/welcome"
	"github.com/lectern-dev/lectern/server/openapi"
)

// document is an OpenAPI document, read in two ways: to validate with, and with its members in their order.
type document struct {
	described
	prefix  string
	failure string // the name of the schema of errors
	source  ordered
}

var (
	directoryDocument = sync.OnceValue(func() *document { return readDocument(openapi.Directory(defaults), directoryapi.Prefix, "Problem") })
	schoolsDocument   = sync.OnceValue(func() *document { return readDocument(openapi.Schools(defaults), schoolsapi.Prefix, "Error") })
	librariesDocument = sync.OnceValue(func() *document { return readDocument(openapi.Libraries(defaults), librariesapi.Prefix, "Error") })
)

// defaults are what the documents tell of a server without settings.
var defaults = openapi.Settings{
	SchoolsRate: server.DefaultSchoolsRate, LibrariesRate: server.DefaultLibrariesRate,
	SchoolsHistory: schools.HistoryStart(), LibrariesHistory: libraries.HistoryStart, Keep: snapshotdb.DefaultKeep,
}

func readDocument(text []byte, prefix, failure string) *document {
	doc, err := readDescribed(text)
	if err != nil {
		panic(err)
	}
	source, err := decodeOrdered(text)
	if err != nil {
		panic(err)
	}
	return &document{doc, prefix, failure, source.(ordered)}
}

// documented returns a handler that answers as h does, and reports every answer that is not as the documents say: its
// status, its headers, its content type and its body. Paths that are in no document are answered 404, in the error's shape.
func documented(t testing.TB, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &answered{ResponseWriter: w}
		h.ServeHTTP(rec, r)
		if rec.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s = %d without X-Content-Type-Options: nosniff", r.Method, r.URL, rec.status)
		}
		for _, fault := range undocumented(r, rec.status, rec.header, rec.body.Bytes()) {
			t.Errorf("%s %s = %d: %s", r.Method, r.URL, rec.status, fault)
		}
	})
}

// answered notes an answer on its way.
type answered struct {
	http.ResponseWriter
	status int
	header http.Header // as it is sent
	body   bytes.Buffer
}

func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status, a.header = status, a.Header().Clone()
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status, a.header = http.StatusOK, a.Header().Clone()
	}
	a.body.Write(b)
	return a.ResponseWriter.Write(b)
}

func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// undocumented says what of an answer is not as the documents say.
func undocumented(r *http.Request, status int, header http.Header, body []byte) []string {
	// the documents themselves, the pages beside them, and what nobody reads
	if openapi.Owns(r.URL.Path) || explore.Owns(r.URL.Path) || r.URL.Path == welcome.Path {
		return nil
	}
	body, err := decoded(header.Get("Content-Encoding"), body)
	if err != nil {
		return []string{err.Error()}
	}
	d, item := find(r.URL)
	if item == nil {
		return d.unknown(status, header, body)
	}
	res := responseOf(item, r.Method, status)
	if res == nil {
		return []string{"the status is not documented"}
	}
	faults := headerFaults(res, header)
	if err := d.content(res, header, body); err != nil {
		faults = append(faults, fmt.Sprintf("%v in %.300s", err, body))
	}
	return faults
}

// decoded returns a body without its content coding.
func decoded(coding string, body []byte) ([]byte, error) {
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "":
		return body, nil
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	default:
		err = fmt.Errorf("content coding %q", coding)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// find returns the document of a path and what it says of it, nil for no such path. Every legacy prefix stands for the
// one of the libraries (H1).
func find(u *url.URL) (*document, pathItem) {
	raw := u.EscapedPath()
	d := librariesDocument()
	for _, other := range []*document{directoryDocument(), schoolsDocument()} {
		if strings.HasPrefix(raw, other.prefix+"/") || raw == other.prefix {
			d = other
		}
	}
	if _, rest, ok := strings.Cut(raw, librariesapi.Suffix+"/"); ok && d.prefix == librariesapi.Prefix {
		raw = librariesapi.Prefix + "/" + rest
	}
	for pattern, item := range d.Paths {
		if isOf(pattern, raw) {
			return d, item
		}
	}
	return d, nil
}

// isOf reports whether a path as it was sent is one of a pattern.
func isOf(pattern, raw string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(raw, "/")
	return len(want) == len(got) && slices.EqualFunc(want, got, func(want, got string) bool {
		got, err := url.PathUnescape(got)
		return err == nil && (got == want || strings.HasPrefix(want, "{") && got != "")
	})
}

// unknown says what is wrong with the answer of a path that is in no document. The path of a dataset that does not exist is
// found out after the rate.
func (d *document) unknown(status int, header http.Header, body []byte) []string {
	switch status {
	case 401, 403, 404, 405, 429:
	default:
		return []string{"the path is in no document"}
	}
	err := isJSON(header)
	if err == nil {
		err = d.validate(d.failure, body)
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// responseOf returns what is said of a status. A method that the path does not have is answered as the others say.
func responseOf(item pathItem, method string, status int) *response {
	ops := item.operations()
	op := ops[method]
	if op == nil && (status == http.StatusMethodNotAllowed || status == http.StatusForbidden) {
		for _, any := range ops {
			op = any
		}
	}
	if op == nil {
		return nil
	}
	return op.Responses[strconv.Itoa(status)]
}

// headerFaults says what headers are too many, missing, or of another form. Those of every body or connection are HTTP's own.
func headerFaults(res *response, header http.Header) (faults []string) {
	known := map[string]*headerSaid{
		"Content-Type": nil, "Content-Length": nil, "Content-Encoding": nil, "Connection": nil, "X-Content-Type-Options": nil,
	}
	for name, said := range res.Headers {
		known[http.CanonicalHeaderKey(name)] = said
		if said.Required && header.Get(name) == "" {
			faults = append(faults, "no "+name)
		}
	}
	for name, values := range header {
		said, ok := known[name]
		switch {
		case !ok:
			faults = append(faults, fmt.Sprintf("%s: %q is not documented", name, values))
		case len(values) != 1:
			faults = append(faults, fmt.Sprintf("%s: %q, want it once", name, values))
		case said != nil && said.Schema.Type == "integer" && strings.Trim(values[0], "0123456789") != "":
			faults = append(faults, fmt.Sprintf("%s: %q is no number", name, values))
		}
	}
	return faults
}

// content says what is wrong with the content type and the body.
func (d *document) content(res *response, header http.Header, body []byte) error {
	if len(res.Content) == 0 {
		if len(body) > 0 || header.Get("Content-Type") != "" {
			return fmt.Errorf("a body of %q, where none is documented", header.Get("Content-Type"))
		}
		return nil
	}
	name, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if _, ok := res.Content[name]; err != nil || !ok {
		return fmt.Errorf("content type %q is not documented", header.Get("Content-Type"))
	}
	schema := schemaName(res.Content["application/json"].Schema.Ref)
	switch name {
	case "text/csv":
		return d.csv(schema, header, body)
	case "application/x-ndjson":
		return d.ndjson(schema, header, body)
	case xlsx.contentType:
		return d.xlsx(schema, header, body)
	}
	if err := isJSON(header); err != nil {
		return err
	}
	return d.validate(schema, body)
}

func isJSON(header http.Header) error {
	if got := header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		return fmt.Errorf("content type %q", got)
	}
	return nil
}

// The documents and the page are served to everybody: without a key, to every agent, and beside the APIs.
func TestDocumentsAreServed(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t), server.Config{})
	for _, tt := range []struct {
		path string
		want []byte
	}{
		{"/openapi/directory.json", openapi.Directory(defaults)}, {"/openapi/schools.json", openapi.Schools(defaults)},
		{"/openapi/libraries.json", openapi.Libraries(defaults)}, {"/docs", nil}, {"/explore", nil}, {"/explore/explore.js", nil},
	} {
		w := f.get("", tt.path, "User-Agent", "Python-urllib/3.12")
		if w.Code != 200 || w.Header().Get("X-Request-Id") == "" || tt.want != nil && !bytes.Equal(w.Body.Bytes(), tt.want) {
			t.Errorf("GET %s = %d with %v, want it as it is", tt.path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/docs/x", "/explore/x", "/openapi/", "/openapi/others.json"} {
		if w := f.get("", path); w.Code != 404 {
			t.Errorf("GET %s = %d, want 404", path, w.Code)
		}
	}
}

// The documents tell the rates and the history that the server goes by.
func TestDocumentsTellTheSettings(t *testing.T) {
	day := func(s string) *calendar.Date { d := calendar.MustParse(s); return &d }
	for _, tt := range []struct {
		config                        server.Config
		directory, schools, libraries string
		schoolsDay, librariesDay      string
	}{
		{server.Config{}, "There is no limit", "30 requests a minute", "60 requests a minute", "2026-01-01", "2026-07-21"},
		{
			server.Config{DirectoryRate: 1, SchoolsRate: 100, LibrariesRate: -1, SchoolsHistory: day("2025-02-03"), LibrariesHistory: day("2024-05-06")},
			"One request a minute", "100 requests a minute", "There is no limit", "2025-02-03", "2024-05-06",
		},
	} {
		f := newFixture(t, dbtest.SQLite(t), tt.config)
		for path, wants := range map[string][]string{
			"/openapi/directory.json": {tt.directory}, "/openapi/schools.json": {tt.schools, "Before " + tt.schoolsDay},
			"/openapi/libraries.json": {tt.libraries, "begins " + tt.librariesDay},
		} {
			got := f.get("", path).Body.String()
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s with %+v does not tell %q", path, tt.config, want)
				}
			}
		}
	}
}

// Whatever is not as the documents say is found: the test of the tests.
func TestUndocumented(t *testing.T) {
	const page = `"page":{"page":1,"pageSize":100,"totalRows":1}`
	engagements := func(row string) string {
		return `{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-03-31"},` + page + `},"data":{"rows":[` + row + `]}}`
	}
	user := func(class, grade, name string) string {
		return `{"meta":{` + page + `},"data":{"rows":[{"userId":1,"name":` + name + `,"email":null,"profile":"student","school":null,"class":` + class +
			`,"grade":` + grade + `,"stage":null,"active":true}]}}`
	}
	sheet := func(columns ...string) string {
		none := wire.Table[int]{Write: func(w *wire.Writer, _ *int) {
			for _, name := range columns {
				w.Null(name)
			}
		}}
		return string(none.Rows(paging.List[int]{Total: 1}).AppendXLSX(nil))
	}
	const good = `{"date":"2026-02-28","userId":1,"readingMinutes":0.5}`
	tests := []struct {
		rule, method, path string
		status             int
		headers, body      string // headers besides those of a good answer, or without one: -Name
		found              bool
	}{
		{"good", "GET", "/engagements", 200, "", engagements(good), false},
		{"good with nulls", "GET", "/users", 200, "", user("null", "null", "null"), false},
		{"good without nulls", "GET", "/users", 200, "", user(`{"id":1,"name":null}`, "9", `"Ana"`), false},
		{"a day that does not exist", "GET", "/engagements", 200, "", engagements(`{"date":"2026-02-30","userId":1,"readingMinutes":0.5}`), true},
		{"a day of another form", "GET", "/engagements", 200, "", engagements(`{"date":"2026-2-3","userId":1,"readingMinutes":0.5}`), true},
		{"a field too few", "GET", "/engagements", 200, "", engagements(`{"date":"2026-02-28","userId":1}`), true},
		{"a field too many", "GET", "/engagements", 200, "", engagements(`{"date":"2026-02-28","userId":1,"readingMinutes":0.5,"x":1}`), true},
		{"another order", "GET", "/engagements", 200, "", engagements(`{"userId":1,"date":"2026-02-28","readingMinutes":0.5}`), true},
		{"another type", "GET", "/engagements", 200, "", engagements(`{"date":"2026-02-28","userId":"1","readingMinutes":0.5}`), true},
		{"below the least", "GET", "/engagements", 200, "", engagements(`{"date":"2026-02-28","userId":-1,"readingMinutes":0.5}`), true},
		{"null where none is", "GET", "/engagements", 200, "", engagements(`{"date":null,"userId":1,"readingMinutes":0.5}`), true},
		{"above the most, in what may be null", "GET", "/users", 200, "", user("null", "10", "null"), true},
		{"another type, in what may be null", "GET", "/users", 200, "", user("null", "null", "7"), true},
		{"a field too few, in what may be null", "GET", "/users", 200, "", user(`{"id":1}`, "null", "null"), true},
		{"no value of an enum", "GET", "/users", 200, "", strings.Replace(user("null", "null", "null"), "student", "pupil", 1), true},
		{"another route's meta", "GET", "/users", 200, "", engagements(""), true},
		{"no JSON", "GET", "/engagements", 200, "", "{", true},
		{"no ETag", "GET", "/engagements", 200, "-ETag", engagements(good), true},
		{"no X-Snapshot", "GET", "/engagements", 200, "-X-Snapshot", engagements(good), true},
		{"another header", "GET", "/engagements", 200, "Server: x", engagements(good), true},
		{"another content type", "GET", "/engagements", 200, "Content-Type: text/html", engagements(good), true},
		{"a number that is none", "GET", "/engagements", 200, "X-Ratelimit-Limit-Public-Default: many", engagements(good), true},
		{"rows as lines", "GET", "/engagements", 200, "Content-Type: application/x-ndjson; charset=utf-8\nX-Total-Rows: 1", good + "\n" + good + "\n", false},
		{"a bad line", "GET", "/engagements", 200, "Content-Type: application/x-ndjson; charset=utf-8\nX-Total-Rows: 1", good + "\n{}\n", true},
		{"rows as CSV", "GET", "/engagements", 200, "Content-Type: text/csv; charset=utf-8; header=present\nX-Total-Rows: 1", "date,userId,readingMinutes\r\n", false},
		{"another column", "GET", "/engagements", 200, "Content-Type: text/csv; charset=utf-8; header=present\nX-Total-Rows: 1", "date,user,readingMinutes\r\n", true},
		{"CSV without the total", "GET", "/engagements", 200, "Content-Type: text/csv; charset=utf-8; header=present", "date,userId,readingMinutes\r\n", true},
		{"rows as a workbook", "GET", "/engagements", 200, "Content-Type: " + xlsx.contentType + "\nX-Total-Rows: 1", sheet("date", "userId", "readingMinutes"), false},
		{"another column of it", "GET", "/engagements", 200, "Content-Type: " + xlsx.contentType + "\nX-Total-Rows: 1", sheet("date", "user", "readingMinutes"), true},
		{"no workbook", "GET", "/engagements", 200, "Content-Type: " + xlsx.contentType + "\nX-Total-Rows: 1", "PK", true},
		{"another status", "GET", "/engagements", 202, "", engagements(good), true},
		{"another method", "POST", "/engagements", 200, "", engagements(good), true},
		{"an error", "GET", "/engagements", 500, "-ETag\n-Cache-Control\n-Vary\n-X-Snapshot", `{"statusCode":500,"error":"x","message":"y"}`, false},
		{"an error in another shape", "GET", "/engagements", 500, "-ETag\n-Cache-Control\n-Vary\n-X-Snapshot", `{"errors":{"detail":"x"}}`, true},
		{"a body of 304", "GET", "/engagements", 304, "-Content-Type", "x", true},
		{"an unknown path that is there", "GET", "/engagement", 200, "", engagements(good), true},
		{"an unknown path", "GET", "/engagement", 404, "", `{"statusCode":404,"error":"x","message":"y"}`, false},
		{"an unknown path in another shape", "GET", "/engagement", 404, "", `{}`, true},
	}
	for _, tt := range tests {
		h := http.Header{}
		good := "X-Request-Id: 1\nETag: 1\nCache-Control: 1\nVary: 1\nX-Snapshot: 1\nContent-Type: application/json; charset=utf-8\n"
		for line := range strings.Lines(good + tt.headers) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if without, ok := strings.CutPrefix(name, "-"); ok {
				h.Del(without)
			} else {
				h.Set(name, value)
			}
		}
		r := httptest.NewRequest(tt.method, schoolsapi.Prefix+tt.path, nil)
		if faults := undocumented(r, tt.status, h, []byte(tt.body)); (len(faults) > 0) != tt.found {
			t.Errorf("%s: found %q", tt.rule, faults)
		}
	}
}

// schemaName is the name in a reference.
func schemaName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// validate says what of a JSON text is not as a schema says, the order of its members included (H7).
func (d *document) validate(schema string, text []byte) error {
	value, err := decodeOrdered(text)
	if err != nil {
		return err
	}
	if err := d.fits(schema, value, d.schema(schema)); err != nil {
		return err
	}
	return d.inOrder(schema, value, d.schema(schema))
}
