package server_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// The routes of the code are those of the documents, with the same parameters in the same order.
func TestRoutesAreDocumented(t *testing.T) {
	for _, api := range []struct {
		document *document
		routes   []web.Route
	}{
		{schoolsDocument(), schoolsapi.Routes(schools.HistoryStart())},
		{librariesDocument(), librariesapi.Routes()},
	} {
		want, got := map[string][]string{}, map[string][]string{}
		for _, rt := range api.routes {
			want["GET "+rt.Path] = paramsOf(rt)
		}
		for path, item := range api.document.Paths {
			for method, op := range item.operations() {
				got[method+" "+path] = names(queryOf(op))
			}
		}
		if !maps.EqualFunc(want, got, slices.Equal[[]string]) {
			t.Errorf("the code has\n%v\nthe document\n%v", want, got)
		}
	}
}

// paramsOf returns the names of a route's parameters.
func paramsOf(rt web.Route) (names []string) {
	for _, p := range rt.Params() {
		names = append(names, p.Name)
	}
	return names
}

// queryOf returns the parameters of an operation's query, in their order.
func queryOf(op *operation) (query []*parameter) {
	for _, p := range op.Parameters {
		if p.In == "query" {
			query = append(query, p)
		}
	}
	return query
}

func names(params []*parameter) (names []string) {
	for _, p := range params {
		names = append(names, p.Name)
	}
	return names
}

// What a document says of each parameter is what the code does with it: on both sides of every limit, every value of an
// enum, in the document's order, the default, and what happens without it.
func TestParametersAreDocumented(t *testing.T) {
	d := newDemo(t, dbtest.SQLite(t), &clock{demoTime()})
	for _, doc := range []*document{schoolsDocument(), librariesDocument()} {
		for path, item := range doc.Paths {
			r := route{t, d, path, url.Values{}}
			params := queryOf(item["get"])
			for _, p := range params {
				if p.Required {
					r.needed.Set(p.Name, good(p.Schema)[0])
				}
			}
			for _, p := range params {
				r.values(p)
				r.absent(p)
			}
		}
	}
}

// route is a route whose parameters are tried out, with those that it needs.
type route struct {
	*testing.T
	demo   *demo
	path   string
	needed url.Values
}

// with answers the route with one parameter more, or another value of it.
func (r route) with(name, value string) *httptest.ResponseRecorder {
	q := maps.Clone(r.needed)
	q[name] = []string{value}
	return r.demo.ask(r.path + "?" + q.Encode())
}

// values tries values that a parameter's schema allows, and values that it does not.
func (r route) values(p *parameter) {
	schema := p.Schema
	allowed := good(schema)
	if p.Name == web.SnapshotParam {
		q := maps.Clone(r.needed)
		allowed = []string{r.demo.ask(r.path + "?" + q.Encode()).Header().Get(web.SnapshotHeader)}
	}
	for _, v := range allowed {
		if w := r.with(p.Name, v); w.Code != 200 {
			r.Errorf("%s with %s=%.60q = %d %s, want 200", r.path, p.Name, v, w.Code, w.Body)
		}
	}
	for _, v := range bad(schema) {
		w := r.with(p.Name, v)
		if m := messages(w); w.Code != 400 || len(m) != 1 || !strings.HasPrefix(m[0], p.Name+" must ") {
			r.Errorf("%s with %s=%.60q = %d %s, want one message of 400", r.path, p.Name, v, w.Code, w.Body)
		}
	}
	if values := schema.Enum; len(values) > 0 && !slices.Equal(values, []string{"true", "false"}) {
		want := p.Name + " must be one of the following values: " + strings.Join(values, ", ")
		if m := messages(r.with(p.Name, "?")); !slices.Equal(m, []string{want}) {
			r.Errorf("%s says of %s %q, want %q", r.path, p.Name, m, want)
		}
	}
}

// absent leaves a parameter out: one that is required is missed, another means its default.
func (r route) absent(p *parameter) {
	q := maps.Clone(r.needed)
	q.Del(p.Name)
	without := r.demo.ask(r.path + "?" + q.Encode())
	if want := map[bool]int{true: 400, false: 200}[p.Required]; without.Code != want {
		r.Errorf("%s without %s = %d %s, want %d", r.path, p.Name, without.Code, without.Body, want)
	}
	if def := p.Schema.Default; def != nil {
		if with := r.with(p.Name, fmt.Sprint(def)); with.Body.String() != without.Body.String() {
			r.Errorf("%s with the default %s=%v is not as without", r.path, p.Name, def)
		}
	}
}

// messages are those of a 400.
func messages(w *httptest.ResponseRecorder) []string {
	var failure struct{ Message []string }
	if json.Unmarshal(w.Body.Bytes(), &failure) != nil {
		return nil
	}
	return failure.Message
}

// good returns values that a parameter may have: for each limit the last one.
func good(s valueSchema) []string {
	switch {
	case len(s.Enum) > 0:
		return s.Enum
	case s.Type == "integer":
		return []string{number(*s.Minimum), number(*s.Maximum)}
	case s.Format == "date":
		return []string{"2026-09-10"} // a window that ends with the demo
	case s.Pattern != "":
		return nil // what an answer said alone
	}
	return []string{"x", strings.Repeat("é", s.MinLength), strings.Repeat("é", s.MaxLength)}
}

// bad returns values that a parameter may not have: for each limit the first one.
func bad(s valueSchema) []string {
	switch {
	case len(s.Enum) > 0:
		return []string{"", "?", strings.ToUpper(s.Enum[0]) + "x"}
	case s.Type == "integer":
		return []string{"", "x", "1.0", number(*s.Minimum - 1), number(*s.Maximum + 1)}
	case s.Format == "date":
		return []string{"", "2026-02-30", "2026-9-1", "10/09/2026"}
	case s.Pattern != "":
		return []string{"", "x", "é", strings.Repeat("A", 38)}
	}
	return []string{strings.Repeat("é", s.MinLength-1), strings.Repeat("é", s.MaxLength+1)}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// The directory reads from the query what its document has, and from bodies what the documents' schemas of them have:
// what its source takes from either by name.
func TestDirectoryReadsWhatIsDocumented(t *testing.T) {
	read := parameters(t, "internal/api/directoryapi")
	documented := map[string]bool{}
	for _, item := range directoryDocument().Paths {
		for _, op := range item.operations() {
			for _, p := range queryOf(op) {
				documented[p.Name] = true
			}
		}
	}
	if !maps.Equal(read, documented) {
		t.Errorf("the code reads the parameters %q, the document has %q", sorted(read), sorted(documented))
	}
	fields := map[string]bool{}
	for _, name := range []string{"NewEntity", "EntityChange", "NewTeacher", "TeacherChange"} {
		for _, field := range directoryDocument().schema(name).at("properties").names() {
			fields[field] = true
		}
	}
	taken := map[string]bool{}
	for _, in := range []interface {
		Members() map[string]*directory.Field
	}{&directory.EntityInput{}, &directory.TeacherInput{}} {
		for name := range in.Members() {
			taken[name] = true
		}
	}
	if !maps.Equal(taken, fields) {
		t.Errorf("the code reads the fields %q, the document has %q", sorted(taken), sorted(fields))
	}
}

// parameters returns the constants with which the source of a package indexes its queries.
func parameters(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for node := range ast.Preorder(file) {
			index, ok := node.(*ast.IndexExpr)
			if !ok {
				continue
			}
			of, isName := index.X.(*ast.Ident)
			key, isConstant := index.Index.(*ast.BasicLit)
			if isName && isConstant && of.Name == "query" {
				text, err := strconv.Unquote(key.Value)
				if err != nil {
					t.Fatal(err)
				}
				all[text] = true
			}
		}
	}
	return all
}

// Each parameter of the directory's queries is minded where the document has it, and nowhere else.
func TestDirectoryParametersAreDocumented(t *testing.T) {
	d := newDemo(t, dbtest.SQLite(t), &clock{demoTime()})
	for path, item := range directoryDocument().Paths {
		if item["get"] == nil {
			continue
		}
		target := strings.NewReplacer("/teachers/{reference_id}", "/teachers/prof-0001", "{reference_id}", "rede-1", "{entity_reference_id}", "rede-1").Replace(path)
		base, minded := target+"?", map[string]bool{}
		for _, p := range queryOf(item["get"]) {
			minded[p.Name] = true
			if p.Required {
				if a := do(t, d.sign(t, "GET", target, "")); a.status != 422 {
					t.Errorf("%s without %s = %d %s, want 422", path, p.Name, a.status, a.body)
				}
				for _, v := range p.Schema.Enum {
					base = target + "?" + p.Name + "=" + v
					if a := do(t, d.sign(t, "GET", base, "")); a.status != 200 {
						t.Errorf("%s = %d %s, want 200", base, a.status, a.body)
					}
				}
			}
		}
		for _, name := range []string{"after", "before", "entity_type"} {
			a := do(t, d.sign(t, "GET", base+"&"+name+"=none", ""))
			if refused := a.status == 400 || a.status == 422; refused != minded[name] {
				t.Errorf("%s with a bad %s = %d %s, while the document has it: %v", path, name, a.status, a.body, minded[name])
			}
		}
	}
}

// What the directory takes as a body is valid by the document, and what is said to be blank, too long or of the wrong form is not.
func TestBodiesAreDocumented(t *testing.T) {
	d := newDemo(t, dbtest.SQLite(t), &clock{demoTime()})
	made := 0
	for _, c := range []struct{ create, edit, path, form, change string }{
		{"createEntity", "editEntity", "/entities", "NewEntity", "EntityChange"},
		{"createTeacher", "editTeacher", "/teachers", "NewTeacher", "TeacherChange"},
	} {
		for _, schema := range []string{c.form, c.change} {
			for _, field := range directoryDocument().schema(schema).at("properties").names() {
				for _, value := range []any{nil, "", 7, "x", strings.Repeat("é", 64), strings.Repeat("é", 65), strings.Repeat("é", 255), strings.Repeat("é", 256), "without"} {
					ref := fmt.Sprint("novo-", made)
					made++
					body := exampleBody(t, c.create)
					body["reference_id"] = ref
					method, path := "POST", c.path
					if schema == c.change {
						if a := d.call(t, "POST", c.path, encoded(t, body)); a.status != 201 {
							t.Fatalf("POST %s = %d %s", c.path, a.status, a.body)
						}
						method, path = "PUT", c.path+"/"+ref
					}
					body[field] = value
					if value == "without" {
						delete(body, field)
					}
					d.judge(t, method, path, schema, field, encoded(t, body))
				}
			}
		}
	}
}

// judge sends a body and holds the answer against the schema of bodies.
func (d *demo) judge(t *testing.T, method, path, schema, field, body string) {
	t.Helper()
	a := d.call(t, method, path, body)
	value, err := decodeOrdered([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	invalid := directoryDocument().fits(schema, value, directoryDocument().schema(schema))
	formal := strings.Contains(a.body, "can't be blank") || strings.Contains(a.body, "should be at most") ||
		strings.Contains(a.body, "is invalid") && field != "degree" && field != "parent_reference_id" // which the data judge
	switch {
	case a.status == http.StatusUnprocessableEntity && formal && invalid == nil:
		t.Errorf("%s %s with another %s: %.300s is valid by %s, the answer is %s", method, path, field, body, schema, a.body)
	case a.status < 300 && invalid != nil:
		t.Errorf("%s %s with another %s: %.300s is taken (%d), but is not valid by %s", method, path, field, body, a.status, schema)
	case a.status != http.StatusUnprocessableEntity && a.status >= 300:
		t.Errorf("%s %s with another %s = %d %s", method, path, field, a.status, a.body)
	}
}

func exampleBody(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("openapi", "examples", name+".request.json"))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every field of the documents is seen with a value in an answer of the demo: what is checked of answers is checked of each.
func TestEveryFieldIsSeen(t *testing.T) {
	d := newDemo(t, dbtest.SQLite(t), &clock{demoTime()})
	size := regexp.MustCompile(`pageSize=\d+`)
	for _, doc := range []*document{directoryDocument(), schoolsDocument(), librariesDocument()} {
		seen, wanted := map[string]bool{}, map[string]bool{}
		for _, e := range examples {
			if !strings.HasPrefix(e.path, doc.prefix+"/") {
				continue
			}
			doc.see(t, doc.answer(e.name), d.example(t, e.name, e.method, size.ReplaceAllString(e.path, "pageSize=100")), seen)
			doc.fields(doc.answer(e.name), "", wanted)
		}
		if doc == directoryDocument() {
			for name, body := range d.more(t) {
				doc.see(t, doc.answer(name), body, seen)
			}
		}
		for _, field := range sorted(wanted) {
			if !seen[field] {
				t.Errorf("%s: no answer of the demo has a value", field)
			}
		}
	}
}

// more returns answers of the directory with what those of the examples lack: a list of more than a page, and a teacher with
// a phone in one.
func (d *demo) more(t *testing.T) map[string]string {
	t.Helper()
	for i := range 101 {
		if a := d.call(t, "POST", "/entities", entity("class", fmt.Sprint("turma-", i), "escola-99000001")); a.status != 201 {
			t.Fatalf("a class = %d %s", a.status, a.body)
		}
	}
	_, first := d.page(t, "/entities?entity_type=class")
	return map[string]string{
		"listEntities": d.call(t, "GET", "/entities?entity_type=class&after="+*first.Metadata.After, "").body,
		"listTeachers": d.call(t, "GET", "/entities/rede-1/teachers", "").body,
	}
}

// answer returns the reference to the schema of the good answer of an operation.
func (d *document) answer(id string) ordered {
	for path, item := range d.Paths {
		for method, op := range item.operations() {
			if op.OperationID != id {
				continue
			}
			for _, res := range d.source.at("paths", path, strings.ToLower(method), "responses") {
				if res.name[0] == '2' {
					return res.value.(ordered).at("content", "application/json", "schema")
				}
			}
		}
	}
	return nil
}

// see notes the fields that have a value in an answer.
func (d *document) see(t *testing.T, schema ordered, body string, seen map[string]bool) {
	t.Helper()
	value, err := decodeOrdered([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	d.values(value, schema, "", seen)
}

// values notes the fields that have a value, by the path from the schema with a name that they are in.
func (d *document) values(value any, schema ordered, path string, seen map[string]bool) {
	schema, path = d.follow(schema, path)
	switch value := value.(type) {
	case nil:
	case []any:
		items, _ := schema.get("items").(ordered)
		for _, item := range value {
			d.values(item, items, path, seen)
		}
	case ordered:
		for _, m := range value {
			d.values(m.value, schema.at("properties", m.name), path+"."+m.name, seen)
		}
	default:
		seen[path] = true
	}
}

// fields notes the fields that a schema may have a value of.
func (d *document) fields(schema ordered, path string, wanted map[string]bool) {
	schema, path = d.follow(schema, path)
	if items, ok := schema.get("items").(ordered); ok {
		d.fields(items, path, wanted)
		return
	}
	if properties := schema.at("properties"); len(properties) > 0 {
		for _, m := range properties {
			if m.name == "removed" {
				continue // only with changedSince: TestRounds has it
			}
			d.fields(m.value.(ordered), path+"."+m.name, wanted)
		}
		return
	}
	if schema.get("type") != "null" {
		wanted[path] = true
	}
}

// follow returns the schema that another one refers to, and the path to it, which begins with its name.
func (d *document) follow(schema ordered, path string) (ordered, string) {
	if either, ok := schema.get("oneOf").([]any); ok {
		schema = either[0].(ordered)
	}
	if ref, ok := schema.get("$ref").(string); ok {
		return d.follow(d.schema(schemaName(ref)), schemaName(ref))
	}
	return schema, path
}
