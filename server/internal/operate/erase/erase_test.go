package erase_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/operate/erase"
)

// personal matches the names, e-mails and phones that the tests give, and nothing else.
var personal = regexp.MustCompile(`(?i)zuleica|55509876`)

// fixture is a partner with a pupil and a teacher, and a library network with a reader. All three have had other names.
type fixture struct {
	t       *testing.T
	db      *database.DB
	partner directory.PartnerID
	network libraries.NetworkID
	during  func(stage string) // called with each progress of a load

	handler http.Handler      // nil before the first request
	keys    map[string]string // by path
	before  map[string]string // the first snapshot of each path
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

const (
	pupil   = 1
	teacher = 2
	reader  = 4711
)

func newFixture(t *testing.T, db *database.DB) *fixture {
	t.Helper()
	w := &fixture{t: t, db: db}
	w.partner = must[directory.PartnerID](t)(directorydb.CreatePartner(t.Context(), db, "acme", "Acme"))
	w.network = must[libraries.NetworkID](t)(librariesdb.CreateNetwork(t.Context(), db, "rede", "Rede"))
	w.loadSchools("Zuleica 1")
	w.loadSchools("Zuleica 2")
	w.put("Zuleica 3")
	w.loadReaders("Zuleica 1", 1, true)
	w.loadReaders("Zuleica 2", 2, true)
	w.loadReaders("Zuleica 3", 3, false) // not yet in effect
	if db.Engine == database.Postgres {  // its statistics then quote names
		if _, err := db.ExecContext(t.Context(), `ANALYZE`); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *fixture) feed(files map[string]string) string {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	return dir
}

func (w *fixture) progress(stage string, _, _ int64) {
	if w.during != nil {
		w.during(stage)
	}
}

func (w *fixture) loadSchools(name string) {
	w.t.Helper()
	dir := w.feed(map[string]string{
		"entities": `{"referenceId":"rede","entityType":"network","name":"Rede","degree":"F"}
{"referenceId":"escola","entityType":"school","name":"Escola","degree":"F","state":"PA","city":"Belém","parentReferenceId":"rede"}`,
		"accounts": fmt.Sprintf(`{"referenceId":"a","kind":"reader","name":"%s","email":"zuleica.%d@escola.example","phone":"55509876","entityReferenceId":"escola"}
{"referenceId":"b","kind":"teacher","name":"Prof. %[1]s","email":"prof.zuleica@escola.example","phone":"55509876","entityReferenceId":"escola"}`, name, len(name)),
		"books":    `{"bookId":1,"title":"Iracema","length":1000}`,
		"segments": `{"segmentId":"s","account":"a","bookId":1,"startedAt":"2026-03-02T12:00:00Z","durationMs":60000,"from":0,"to":100,"wpm":100}`,
	})
	store := &schoolsdb.Store{DB: w.db.DB, Copy: w.db.Copy}
	must[*feed.Totals](w.t)(load.Schools(w.t.Context(), store, w.partner, "acme", os.DirFS(dir), load.Options{Progress: w.progress}))
}

func (w *fixture) loadReaders(name string, updated int, now bool) {
	w.t.Helper()
	dir := w.feed(map[string]string{
		"readers": fmt.Sprintf(`{"userId":%d,"name":"%s","email":"zuleica.%d@casa.example","registeredAt":"2026-01-01","status":"active","updatedAt":"2026-08-0%[3]dT12:00:00Z"}`,
			reader, name, updated),
		"books": `{"bookId":1,"title":"Iracema","hasEbook":true}`,
		"loans": fmt.Sprintf(`{"loanId":1,"userId":%d,"bookId":1,"borrowedAt":"2026-08-01T12:00:00Z","status":"active"}`, reader),
	})
	store := &librariesdb.Store{DB: w.db.DB, Copy: w.db.Copy}
	must[*feed.Totals](w.t)(load.Libraries(w.t.Context(), store, w.network, os.DirFS(dir), load.Options{Immediately: now, Progress: w.progress}))
}

// put changes the teacher through the directory.
func (w *fixture) put(name string) directory.AccountRecord {
	w.t.Helper()
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	store := &directorydb.Store{DB: w.db.DB}
	return must[directory.AccountRecord](w.t)(store.UpdateTeacher(w.t.Context(), w.partner, "b", directory.TeacherInput{
		Name: text(name), Email: text("zuleica.put@escola.example"), Phone: text("55509876"), ReferenceID: text("b"), EntityReferenceID: text("escola"),
	}))
}

// eraseAll erases all three people.
func (w *fixture) eraseAll() (all []erase.Done) {
	w.t.Helper()
	f := &erase.Eraser{DB: w.db}
	partner := snapshotdb.Tenant{ID: auth.Tenant(w.partner), Kind: snapshotdb.Partner, Reference: "acme"}
	network := snapshotdb.Tenant{ID: auth.Tenant(w.network), Kind: snapshotdb.Library, Reference: "rede"}
	for _, p := range []struct {
		of snapshotdb.Tenant
		id int64
	}{{partner, pupil}, {partner, teacher}, {network, reader}} {
		all = append(all, must[erase.Done](w.t)(f.Person(w.t.Context(), p.of, p.id)))
	}
	return all
}

// left counts the personal texts in all columns of the database, and in the files of an embedded one.
func (w *fixture) left(what string) (n int) {
	w.t.Helper()
	for _, column := range w.texts() {
		rows, err := w.db.QueryContext(w.t.Context(), `SELECT CAST(? AS text) FROM ?`, bun.Ident(column[1]), bun.Ident(column[0]))
		err = snapshotdb.Visit(rows, err, column[0], func(rows *sql.Rows) error {
			var text sql.NullString
			err := rows.Scan(&text)
			if found := personal.FindString(text.String); found != "" {
				n++
				w.t.Logf("%s: %s.%s has %q", what, column[0], column[1], found)
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if file, ok := strings.CutPrefix(w.db.URL, "sqlite:"); ok {
		n += w.inFiles(what, file+"*")
	}
	return n
}

// texts returns the columns that can have text, each with its table, and those of PostgreSQL's statistics that quote it.
func (w *fixture) texts() (all [][2]string) {
	query := `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type <> 'INTEGER'`
	if w.db.Engine == database.Postgres {
		query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type IN ('text', 'bytea', 'character varying')`
		all = append(all, [2]string{"pg_stats", "most_common_vals"}, [2]string{"pg_stats", "histogram_bounds"})
	}
	rows, err := w.db.QueryContext(w.t.Context(), query)
	err = snapshotdb.Visit(rows, err, "columns", func(rows *sql.Rows) error {
		var c [2]string
		err := rows.Scan(&c[0], &c[1])
		all = append(all, c)
		return err
	})
	if err != nil || len(all) < 20 {
		w.t.Fatal(all, err)
	}
	return all
}

func (w *fixture) inFiles(what, pattern string) (n int) {
	w.t.Helper()
	for _, name := range must[[]string](w.t)(filepath.Glob(pattern)) {
		found := len(personal.FindAll(must[[]byte](w.t)(os.ReadFile(name)), -1))
		if n += found; found > 0 {
			w.t.Logf("%s: %s has %d", what, filepath.Base(name), found)
		}
	}
	return n
}

// TestErase erases people who had names in several snapshots, one of which is not yet current. It tests that nothing
// stored or served names them, and that no feed and no write brings them back.
func TestErase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newFixture(t, db)
		if n := w.left("before"); n < 10 {
			t.Fatalf("%d texts name the people before the erasure, want at least 10", n)
		}
		asked := w.answers()
		if n := len(personal.FindAllString(strings.Join(asked, "\n"), -1)); n < 5 {
			t.Fatalf("%d names and e-mails in the answers before the erasure, want at least 5", n)
		}
		done := w.eraseAll()
		if d := done[0]; d.Repeated || d.Partner != "acme" || fmt.Sprint(d.Remains) != "{1}" {
			t.Errorf("erasure of the pupil = %+v", d)
		}
		if d := done[2]; d.Repeated || d.Library != "rede" || fmt.Sprint(d.Remains) != "{1 1 0}" {
			t.Errorf("erasure of the reader = %+v", d)
		}
		w.checkErased("after the erasure")
		w.loadSchools("Zuleica 4")
		w.checkErased("after a feed")
		w.loadReaders("Zuleica 4", 4, true)
		w.checkErased("after a feed of readers")
		if a := w.put("Zuleica 5"); a.Name+a.Email+a.Phone != "" || a.ID != teacher {
			t.Errorf("a write returns %+v, want the teacher without a name, e-mail or phone", a)
		}
		w.checkErased("after a write")
		for i, again := range w.eraseAll() {
			if again.Repeated = false; fmt.Sprint(again) != fmt.Sprint(done[i]) {
				t.Errorf("erased again: %+v, want %+v", again, done[i])
			}
		}
		w.checkErased("after a second erasure")
	})
}

// checkErased checks that no personal text is left in the database or in a response.
func (w *fixture) checkErased(when string) {
	w.t.Helper()
	if n := w.left(when); n > 0 {
		w.t.Errorf("%s: %d texts are left, want none", when, n)
	}
	for _, body := range w.answers() {
		if found := personal.FindString(body); found != "" {
			w.t.Errorf("%s: %q is in a response: %.300s", when, found, body)
		}
	}
}

// answers returns the lists of people, in the current snapshot and in the first one that was served.
func (w *fixture) answers() (bodies []string) {
	w.t.Helper()
	if w.handler == nil {
		w.serve()
	}
	for path, key := range w.keys {
		body, at := w.ask(path, key)
		bodies = append(bodies, body)
		if w.before[path] == "" {
			w.before[path] = at
		}
		body, at = w.ask(path+"?snapshot="+w.before[path], key)
		if at != w.before[path] {
			w.t.Errorf("%s of an earlier snapshot: X-Snapshot = %q, want that snapshot", path, at)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func (w *fixture) serve() {
	w.t.Helper()
	w.handler = must[*server.Server](w.t)(server.New(w.t.Context(), server.Config{DB: w.db, SchoolsRate: -1, LibrariesRate: -1})).Handler()
	keys := &authdb.Store{DB: w.db.DB}
	schools, _, err := keys.Issue(w.t.Context(), keys.DB, authdb.IssueParams{Tenant: auth.Tenant(w.partner), API: auth.Schools, Network: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	libraries, _, err := keys.Issue(w.t.Context(), keys.DB, authdb.IssueParams{Tenant: auth.Tenant(w.network), API: auth.Libraries})
	if err != nil {
		w.t.Fatal(err)
	}
	w.keys = map[string]string{"/api-platform/schools/v1/users": schools, "/api-platform/libraries/v1/users": libraries}
	w.before = map[string]string{}
}

func (w *fixture) ask(target, key string) (body, snapshot string) {
	w.t.Helper()
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code != 200 {
		w.t.Fatalf("GET %s = %d %s", target, answer.Code, answer.Body)
	}
	return answer.Body.String(), answer.Header().Get("X-Snapshot")
}

// TestEraseDuringLoad tests that an erasure during a load also erases what the load has read of the people.
func TestEraseDuringLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newFixture(t, db)
		erasures := 0
		w.during = func(stage string) {
			if stage == "aggregate" && erasures < 2 { // at the first two progress reports of the stage
				erasures++
				w.eraseAll()
			}
		}
		w.loadSchools("Zuleica 4")
		w.checkErased("during a feed")
		erasures = 0
		w.loadReaders("Zuleica 4", 4, true)
		w.checkErased("during a feed of readers")
	})
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newFixture(t, db)
		w.during = func(stage string) {
			if w.during = nil; stage == "read" {
				w.eraseAll()
			}
		}
		w.loadReaders("Zuleica 4", 4, true)
		w.checkErased("while a feed of readers is read")
	})
}

// TestJournal tests that an erasure beside a reader of the database fails with ErrJournal, and that a repetition completes it.
func TestJournal(t *testing.T) {
	db := dbtest.SQLite(t)
	w := newFixture(t, db)
	other := must[*database.DB](t)(database.Open(t.Context(), db.URL))
	defer other.Close()
	tx := must[bun.Tx](t)(other.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true}))
	var n int
	if err := tx.NewRaw(`SELECT count(*) FROM libraries_readers`).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // to wait for the reader
	defer cancel()
	f := &erase.Eraser{DB: db}
	of := snapshotdb.Tenant{ID: auth.Tenant(w.network), Kind: snapshotdb.Library, Reference: "rede"}
	if d, err := f.Person(ctx, of, reader); !errors.Is(err, database.ErrJournal) {
		t.Errorf("Person during another read = %+v, %v, want ErrJournal", d, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	w.eraseAll()
	w.checkErased("after an erasure without other readers")
}

// TestList tests that List lists the erased people by tenant and number.
func TestList(t *testing.T) {
	db := dbtest.SQLite(t)
	newFixture(t, db).eraseAll()
	const want = "partner acme 1\npartner acme 2\nlibrary rede 4711\n"
	if list, err := listed(t, &erase.Eraser{DB: db}); err != nil || list != want {
		t.Errorf("List = %q, %v, want %q", list, err, want)
	}
}

// listed returns the erased people, one a line.
func listed(t *testing.T, f *erase.Eraser) (list string, err error) {
	t.Helper()
	err = f.List(t.Context(), func(of snapshotdb.Tenant, user int64) error {
		list += fmt.Sprintf("%s %s %d\n", of.Kind, of.Reference, user)
		return nil
	})
	return list, err
}

// TestUnknown tests that the erasure of an unknown person fails and erases nobody.
func TestUnknown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		newFixture(t, db)
		f := &erase.Eraser{DB: db}
		for _, of := range []snapshotdb.Tenant{{ID: 1, Kind: snapshotdb.Partner, Reference: "acme"}, {ID: 2, Kind: snapshotdb.Library, Reference: "rede"}} {
			if _, err := f.Person(t.Context(), of, 99); !errors.Is(err, erase.ErrUnknown) || !strings.Contains(err.Error(), of.Reference) {
				t.Errorf("Person(99) of %s = %v, want ErrUnknown with the reference", of.Reference, err)
			}
		}
		if list, err := listed(t, f); err != nil || list != "" {
			t.Errorf("List = %q, %v, want none", list, err)
		}
	})
}
