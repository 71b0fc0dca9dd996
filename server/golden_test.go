package server_test

import (
	"flag"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

var update = flag.Bool("update", false, "rewrite the examples of the OpenAPI documents")

// demo is a server with a partner and a library network. Their data are generated, and always the same.
type demo struct {
	*client
	schools, libraries string // keys
}

// The demo's data end on the day before its time.
const (
	demoDays  = 60
	demoFirst = "2026-07-21"
)

// demoTime is the time of the demo's loads.
func demoTime() time.Time { return time.Date(2026, 9, 19, 12, 30, 0, 0, time.UTC) }

// demoBooks are the titles of the schools. The ISBNs are from a range that no country has.
var demoBooks = []generate.Title{
	{Name: "Dom Casmurro", Author: "Machado de Assis", ISBN: "9799000000019"},
	{Name: "Iracema", Author: "José de Alencar", ISBN: "9799000000026"},
	{Name: "O Cortiço", Author: "Aluísio Azevedo", ISBN: "9799000000033"},
	{Name: "A Moreninha", Author: "Joaquim Manuel de Macedo", ISBN: "9799000000040"},
	{Name: "Inocência", Author: "Visconde de Taunay"},
	{Name: "Úrsula", Author: "Maria Firmina dos Reis", ISBN: "9799000000057"},
	{Name: "Memórias de um Sargento de Milícias", Author: "Manuel Antônio de Almeida", ISBN: "9799000000064"},
	{Name: "A Escrava Isaura", Author: "Bernardo Guimarães", ISBN: "9799000000071"},
	{Name: "O Ateneu", Author: "Raul Pompeia", ISBN: "9799000000088"},
	{Name: "Os Sertões", Author: "Euclides da Cunha", ISBN: "9799000000095"},
	{Name: "Clara dos Anjos", Author: "Lima Barreto", ISBN: "9799000000101"},
	{Name: "A Falência", Author: "Júlia Lopes de Almeida"},
}

// newDemo serves the demo on an empty database with the given clock. Each edit changes the configuration.
func newDemo(t *testing.T, db *database.DB, clock *clock, edit ...func(*server.Config)) *demo {
	t.Helper()
	config := server.Config{
		DB: db, SecretKey: secretKey, SchoolsRate: -1, LibrariesRate: -1, Now: clock.time,
		UsersQueue: server.UsersQueue{AtATime: 2, Waiting: 16, Wait: time.Minute},
	}
	for _, f := range edit {
		f(&config)
	}
	s, err := server.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	d := &demo{client: &client{fixture: &fixture{
		db: db, clock: clock, keys: &authdb.Store{DB: db.DB, Now: clock.time}, server: s, handler: documented(t, s.Handler()),
	}}}
	d.loadPartner(t)
	d.loadLibrary(t)
	h := httptest.NewServer(d.handler)
	t.Cleanup(h.Close)
	d.url = h.URL
	return d
}

// loadPartner generates and loads the schools' data, and issues keys for them.
func (d *demo) loadPartner(t *testing.T) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	d.partner = newPartner(t, d.db, "demo")
	params := generate.Params{Users: 60, Days: demoDays, Seed: 1, First: calendar.MustParse(demoFirst), Books: demoBooks}
	if _, err := generate.Schools(ctx, dir, params); err != nil {
		t.Fatal(err)
	}
	store := &schoolsdb.Store{DB: d.db.DB, Copy: d.db.Copy}
	if _, err := load.Schools(ctx, store, d.partner, "demo", os.DirFS(dir), load.Options{Now: demoTime}); err != nil {
		t.Fatal(err)
	}
	d.schools = d.issue(t, generate.Network)
	d.id, d.secret = d.issueDirectory(t, d.partner, time.Time{})
}

// loadLibrary generates and loads the library network's data, and issues a key for it.
func (d *demo) loadLibrary(t *testing.T) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	id, err := librariesdb.CreateNetwork(ctx, d.db, "demo", "Demonstração")
	if err != nil {
		t.Fatal(err)
	}
	params := generate.Params{Users: 120, Days: demoDays, Titles: 60, Seed: 1, First: calendar.MustParse(demoFirst)}
	if _, err := generate.Libraries(ctx, dir, params); err != nil {
		t.Fatal(err)
	}
	store := &librariesdb.Store{DB: d.db.DB, Copy: d.db.Copy, Now: demoTime}
	if _, err := load.Libraries(ctx, store, id, os.DirFS(dir), load.Options{Now: demoTime}); err != nil {
		t.Fatal(err)
	}
	text, _, err := d.keys.Issue(ctx, d.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(id), API: auth.Libraries})
	if err != nil {
		t.Fatal(err)
	}
	d.libraries = text
}

// ask sends GET for a path of the schools or the libraries, and returns the response.
func (d *demo) ask(target string) *httptest.ResponseRecorder {
	if strings.HasPrefix(target, librariesapi.Prefix) {
		return d.get(d.libraries, target)
	}
	return d.get(d.schools, target)
}

// examples are the calls whose responses the documents show, in the order in which they are made. A name is that of an
// operation.
var examples = []struct{ name, method, path string }{
	{"users", "GET", schoolsapi.Prefix + "/users?pageSize=2"},
	{"engagements", "GET", schoolsapi.Prefix + "/engagements?startDate=2026-08-01&endDate=2026-08-31&pageSize=3"},
	{"readings", "GET", schoolsapi.Prefix + "/readings?startDate=2026-08-01&endDate=2026-08-31&pageSize=2"},
	{"schoolSummary", "GET", schoolsapi.Prefix + "/summary?startDate=2026-07-20&endDate=2026-08-31&groupBy=month&pageSize=2"},

	{"summary", "GET", librariesapi.Prefix + "/summary?groupBy=library&pageSize=2"},
	{"libraryEngagements", "GET", librariesapi.Prefix + "/engagements?startDate=2026-09-01&endDate=2026-09-18&pageSize=2"},
	{"readers", "GET", librariesapi.Prefix + "/users?pageSize=2"},
	{"dimensions", "GET", librariesapi.Prefix + "/dimensions"},
	{"books", "GET", librariesapi.Prefix + "/datasets/books?pageSize=2"},
	{"stock", "GET", librariesapi.Prefix + "/datasets/stock?pageSize=2"},
	{"loans", "GET", librariesapi.Prefix + "/datasets/loans?pageSize=2"},
	{"reservations", "GET", librariesapi.Prefix + "/datasets/reservations?pageSize=2"},
	{"logins", "GET", librariesapi.Prefix + "/datasets/logins?pageSize=2"},
	{"channels", "GET", librariesapi.Prefix + "/datasets/channels?startDate=2026-09-18&endDate=2026-09-18"},
	{"suggestions", "GET", librariesapi.Prefix + "/datasets/suggestions?pageSize=2"},
	{"suggestionRequests", "GET", librariesapi.Prefix + "/datasets/suggestion-requests?pageSize=2"},

	{"listEntities", "GET", directoryapi.Prefix + "/entities?entity_type=class"},
	{"listSubtree", "GET", directoryapi.Prefix + "/entities/rede-1/subtree"},
	{"listReaders", "GET", directoryapi.Prefix + "/entities/turma-99000001-3A/readers"},
	{"listTeachers", "GET", directoryapi.Prefix + "/entities/escola-99000001/teachers"},
	{"createEntity", "POST", directoryapi.Prefix + "/entities"},
	{"showEntity", "GET", directoryapi.Prefix + "/entities/escola-99000001"},
	{"editEntity", "PUT", directoryapi.Prefix + "/entities/turma-9b"},
	{"createTeacher", "POST", directoryapi.Prefix + "/teachers"},
	{"showTeacher", "GET", directoryapi.Prefix + "/teachers/prof-17"},
	{"editTeacher", "PUT", directoryapi.Prefix + "/teachers/prof-17"},
}

// TestExamples compares the examples in the documents with the responses of both engines, byte by byte. It does the
// same on a distributed database, where every statement must name its tenant. Only access tokens are random, and each
// is shown as the same one.
//
//	go test ./server -run TestExamples -update
func TestExamples(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		newDemo(t, db, &clock{demoTime()}).checkExamples(t)
	})
}

// checkExamples compares the responses with the examples, or writes the examples.
func (d *demo) checkExamples(t *testing.T) {
	t.Helper()
	for _, e := range examples {
		got := d.example(t, e.name, e.method, e.path)
		golden(t, filepath.Join("openapi", "examples", e.name+".json"), got)
	}
}

// accessToken matches the part of a response that differs from one run to the next.
var accessToken = regexp.MustCompile(`"access_token":"[0-9A-HJKMNP-TV-Z]{16}"`)

// example makes a call, with the body in the documents, and returns the response as they show it.
func (d *demo) example(t *testing.T, name, method, path string) string {
	t.Helper()
	status, body := 0, ""
	if strings.HasPrefix(path, directoryapi.Prefix) {
		sent := ""
		if method != "GET" {
			b, err := os.ReadFile(filepath.Join("openapi", "examples", name+".request.json"))
			if err != nil {
				t.Fatal(err)
			}
			sent = string(b)
		}
		a := do(t, d.sign(t, method, path, sent))
		status, body = a.status, a.body
	} else {
		w := d.ask(path)
		status, body = w.Code, w.Body.String()
	}
	if status/100 != 2 {
		t.Fatalf("%s %s = %d %s", method, path, status, body)
	}
	return accessToken.ReplaceAllString(body, `"access_token":"7ZK3QW9MB2XE4TDV"`)
}

// TestExamplesAreOfOperations tests that the example files are the responses and request bodies of all operations.
func TestExamplesAreOfOperations(t *testing.T) {
	made, named := map[string]bool{}, map[string]bool{}
	for _, e := range examples {
		made[e.name+".json"] = true
		if e.method != "GET" {
			made[e.name+".request.json"] = true
		}
	}
	for _, d := range documents() {
		for _, item := range d.Paths {
			for method, op := range item {
				if method != "delete" {
					named[op.OperationID+".json"] = true
				}
				if op.RequestBody != nil {
					named[op.OperationID+".request.json"] = true
				}
			}
		}
	}
	files, err := os.ReadDir("openapi/examples")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range files {
		found[f.Name()] = true
	}
	if !maps.Equal(made, named) || !maps.Equal(made, found) {
		t.Errorf("calls make the examples %v\noperations need %v\nfiles are %v", sorted(made), sorted(named), sorted(found))
	}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
