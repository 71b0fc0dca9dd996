package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
	"github.com/lectern-dev/lectern/server/internal/pages/welcome"
	"github.com/lectern-dev/lectern/server/openapi"
)

// document has the parts of an OpenAPI document that responses are compared with.
type document struct {
	prefix string
	Paths  map[string]map[string]*struct { // by path and method, in lower case
		OperationID string
		RequestBody *struct{}
		Responses   map[string]*response
	}
	Components struct {
		Schemas   map[string]schema
		Responses map[string]*response
		Headers   map[string]*headerDoc
	}
}

type (
	schema   = map[string]any
	response struct {
		Ref     string `json:"$ref"`
		Headers map[string]*headerDoc
		Content map[string]struct{ Schema schema }
	}
	headerDoc struct {
		Ref      string `json:"$ref"`
		Required bool
		Schema   schema
	}
)

var documents = sync.OnceValue(func() map[string]*document {
	return map[string]*document{
		"directory": readDocument(openapi.Directory(defaults), directoryapi.Prefix),
		"schools":   readDocument(openapi.Schools(defaults), schoolsapi.Prefix),
		"libraries": readDocument(openapi.Libraries(defaults), librariesapi.Prefix),
	}
})

// defaults are the settings that the documents of a server without configuration show.
var defaults = openapi.Settings{
	SchoolsRate: server.DefaultSchoolsRate, LibrariesRate: server.DefaultLibrariesRate,
	SchoolsHistory: schools.HistoryStart(), LibrariesHistory: libraries.HistoryStart, Keep: snapshotdb.DefaultRetention,
}

// readDocument reads a document and resolves the references to responses and headers.
func readDocument(text []byte, prefix string) *document {
	d := &document{prefix: prefix}
	if err := json.Unmarshal(text, d); err != nil {
		panic(err)
	}
	for _, item := range d.Paths {
		for _, op := range item {
			for status, res := range op.Responses {
				if res.Ref != "" {
					op.Responses[status] = d.Components.Responses[schemaName(res.Ref)]
				}
				for name, h := range op.Responses[status].Headers {
					if h.Ref != "" {
						op.Responses[status].Headers[name] = d.Components.Headers[schemaName(h.Ref)]
					}
				}
			}
		}
	}
	return d
}

// schemaName returns the name in a reference.
func schemaName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// documented returns a handler that responds as h does, and reports every response that differs from the documents. It
// compares status, headers, content type and body. A path in no document must have a documented error.
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

// answered records a response while it is sent.
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

// undocumented says how an answer differs from the documents.
func undocumented(r *http.Request, status int, header http.Header, body []byte) []string {
	if openapi.Owns(r.URL.Path) || explore.Owns(r.URL.Path) || r.URL.Path == welcome.Path {
		return nil // the documents themselves, and pages
	}
	body, err := decoded(header.Get("Content-Encoding"), body)
	if err != nil {
		return []string{err.Error()}
	}
	d, responses := find(r)
	if responses == nil {
		if !slices.Contains([]int{401, 403, 404, 405, 429}, status) {
			return []string{"the path is in no document"}
		}
		responses = map[string]*response{strconv.Itoa(status): d.Components.Responses[strings.ReplaceAll(http.StatusText(status), " ", "")]}
	}
	res := responses[strconv.Itoa(status)]
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

// find returns the document of a path and its documented responses, which are nil for an unknown path. A legacy prefix
// is checked as that of the libraries (H1). A method that the path does not have gets the errors of the others.
func find(r *http.Request) (*document, map[string]*response) {
	raw := r.URL.EscapedPath()
	d := documents()["libraries"]
	for _, other := range documents() {
		if strings.HasPrefix(raw, other.prefix+"/") || raw == other.prefix {
			d = other
		}
	}
	if _, rest, ok := strings.Cut(raw, librariesapi.Suffix+"/"); ok && d.prefix == librariesapi.Prefix {
		raw = librariesapi.Prefix + "/" + rest
	}
	for pattern, item := range d.Paths {
		if !isOf(pattern, raw) {
			continue
		}
		if op := item[strings.ToLower(r.Method)]; op != nil {
			return d, op.Responses
		}
		for _, op := range item {
			return d, map[string]*response{"405": op.Responses["405"], "403": op.Responses["403"]}
		}
	}
	return d, nil
}

// isOf reports whether a path as it was sent matches a pattern.
func isOf(pattern, raw string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(raw, "/")
	return len(want) == len(got) && slices.EqualFunc(want, got, func(want, got string) bool {
		got, err := url.PathUnescape(got)
		return err == nil && (got == want || strings.HasPrefix(want, "{") && got != "")
	})
}

// headerFaults returns the headers that are missing, undocumented or malformed. General HTTP headers need no
// documentation.
func headerFaults(res *response, header http.Header) (faults []string) {
	known := map[string]*headerDoc{
		"Content-Type": nil, "Content-Length": nil, "Content-Encoding": nil, "Connection": nil, "X-Content-Type-Options": nil,
	}
	for name, doc := range res.Headers {
		known[http.CanonicalHeaderKey(name)] = doc
		if doc.Required && header.Get(name) == "" {
			faults = append(faults, "no "+name)
		}
	}
	for name, values := range header {
		doc, ok := known[name]
		switch {
		case !ok:
			faults = append(faults, fmt.Sprintf("%s: %q is not documented", name, values))
		case len(values) != 1:
			faults = append(faults, fmt.Sprintf("%s: %q, want it once", name, values))
		case doc != nil && doc.Schema["type"] == "integer" && strings.Trim(values[0], "0123456789") != "":
			faults = append(faults, fmt.Sprintf("%s: %q is not a number", name, values))
		}
	}
	return faults
}

// content says what is wrong with the content type and the body.
func (d *document) content(res *response, header http.Header, body []byte) error {
	of := header.Get("Content-Type")
	if len(res.Content) == 0 {
		return unless(len(body) == 0 && of == "", "a body of %q, but none is documented", of)
	}
	name, _, err := mime.ParseMediaType(of)
	if _, ok := res.Content[name]; err != nil || !ok {
		return fmt.Errorf("content type %q is not documented", of)
	}
	if name != "application/json" {
		return unless(header.Get("X-Total-Rows") != "", "no X-Total-Rows")
	}
	if of != documentType {
		return fmt.Errorf("content type %q, want %q", of, documentType)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return err
	}
	return d.fits("", value, res.Content[name].Schema)
}

// unless returns an error if a condition is false.
func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// fits says how a value differs from a schema.
func (d *document) fits(path string, value any, s schema) error {
	if ref, ok := s["$ref"].(string); ok {
		return d.fits(path, value, d.Components.Schemas[schemaName(ref)])
	}
	if choices, ok := s["oneOf"].([]any); ok {
		fit := slices.ContainsFunc(choices, func(c any) bool { return d.fits(path, value, c.(schema)) == nil })
		return unless(fit, "%s: %v matches none of %v", path, value, choices)
	}
	types, several := s["type"].([]any)
	if !several {
		types = []any{s["type"]}
	}
	if !slices.ContainsFunc(types, func(t any) bool { return isOfType(value, t) }) {
		return fmt.Errorf("%s: %v is not of type %v", path, value, s["type"])
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, value) {
		return fmt.Errorf("%s: %v is not one of %v", path, value, enum)
	}
	switch value := value.(type) {
	case string:
		if _, err := calendar.Parse(value); err != nil && s["format"] == "date" {
			return fmt.Errorf("%s: %w", path, err)
		}
	case json.Number:
		n, _ := value.Float64()
		least, isLeast := s["minimum"].(float64)
		most, isMost := s["maximum"].(float64)
		return unless((!isLeast || n >= least) && (!isMost || n <= most), "%s: %v is not from %v to %v", path, value, s["minimum"], s["maximum"])
	case []any:
		for i, item := range value {
			if err := d.fits(fmt.Sprintf("%s[%d]", path, i), item, s["items"].(schema)); err != nil {
				return err
			}
		}
	case schema:
		return d.membersFit(path, value, s)
	}
	return nil
}

// membersFit says how an object differs from a schema.
func (d *document) membersFit(path string, o, s schema) error {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := o[name.(string)]; !ok {
			return fmt.Errorf("%s: %s is missing", path, name)
		}
	}
	properties, _ := s["properties"].(schema)
	for name, member := range o {
		of, ok := properties[name].(schema)
		if !ok {
			of, ok = s["additionalProperties"].(schema)
		}
		if !ok {
			return fmt.Errorf("%s: %s is not documented", path, name)
		}
		if err := d.fits(path+"."+name, member, of); err != nil {
			return err
		}
	}
	return nil
}

func isOfType(value, name any) bool {
	switch value := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		_, err := value.Int64()
		return name == "number" || name == "integer" && err == nil
	case []any:
		return name == "array"
	}
	return name == "object"
}

// TestDocuments compares the documents with files. It omits the examples, which are separate files.
//
//	go test ./server -run TestDocuments -update
func TestDocuments(t *testing.T) {
	for name, text := range map[string][]byte{"directory": openapi.Directory(defaults), "schools": openapi.Schools(defaults), "libraries": openapi.Libraries(defaults)} {
		var whole any
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(withoutExamples(whole), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", name+".openapi.json"), string(got)+"\n")
	}
}

// golden compares a text with a file and shows the first difference, or writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, want := strings.Split(got, "\n"), strings.Split(string(text), "\n")
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || lines[i] != want[i] {
			t.Errorf("%s, line %d: got\n%s\nwant\n%s", file, i+1, strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n"), strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"))
			return
		}
	}
}

func withoutExamples(value any) any {
	switch value := value.(type) {
	case schema:
		delete(value, "example")
		for name, member := range value {
			value[name] = withoutExamples(member)
		}
	case []any:
		for i, item := range value {
			value[i] = withoutExamples(item)
		}
	}
	return value
}

// TestDocumentsAreServed tests that the documents and pages need no key, and are served to every user agent.
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
			t.Errorf("GET %s = %d with %v, want it served unchanged", tt.path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/docs/x", "/explore/x", "/openapi/", "/openapi/others.json"} {
		if w := f.get("", path); w.Code != 404 {
			t.Errorf("GET %s = %d, want 404", path, w.Code)
		}
	}
}

// TestDocumentsTellTheSettings tests that the documents show the configured rates and history.
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
					t.Errorf("%s with %+v does not say %q", path, tt.config, want)
				}
			}
		}
	}
}

// TestUndocumented tests that undocumented finds every kind of difference from the documents.
func TestUndocumented(t *testing.T) {
	const good = `{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-03-31"},"page":{"page":1,"pageSize":100,"totalRows":1}},"data":{"rows":[{"date":"2026-02-28","userId":1,"readingMinutes":0.5}]}}`
	const headers = "X-Request-Id: 1\nETag: 1\nCache-Control: 1\nVary: 1\nX-Snapshot: 1\nContent-Type: " + documentType
	tests := []struct{ rule, path, old, new string }{
		{"good", "/engagements", "", ""},
		{"a day that does not exist", "/engagements", "2026-02-28", "2026-02-30"},
		{"a missing field", "/engagements", `,"readingMinutes":0.5`, ""},
		{"an extra field", "/engagements", `0.5}`, `0.5,"x":1}`},
		{"another type", "/engagements", `"userId":1`, `"userId":"1"`},
		{"below the minimum", "/engagements", `"userId":1`, `"userId":-1`},
		{"null where it is not allowed", "/engagements", `"userId":1`, `"userId":null`},
		{"another route's answer", "/users", "", ""},
		{"not JSON", "/engagements", `}}`, ""},
		{"no ETag", "/engagements", "ETag: 1\n", ""},
		{"another header", "/engagements", "ETag: 1", "ETag: 1\nServer: x"},
		{"another content type", "/engagements", documentType, "text/html"},
		{"another status", "/engagements", "200", "202"},
		{"an unknown path", "/engagement", "", ""},
	}
	for _, tt := range tests {
		answer := strings.Replace("200\n"+headers+"\n\n"+good, tt.old, tt.new, 1)
		head, body, _ := strings.Cut(answer, "\n\n")
		status, rest, _ := strings.Cut(head, "\n")
		code, _ := strconv.Atoi(status)
		h := http.Header{}
		for line := range strings.Lines(rest) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			h.Set(name, value)
		}
		faults := undocumented(httptest.NewRequest("GET", schoolsapi.Prefix+tt.path, nil), code, h, []byte(body))
		if (len(faults) > 0) != (tt.rule != "good") {
			t.Errorf("%s: found %q", tt.rule, faults)
		}
	}
}
