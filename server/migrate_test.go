package server_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"

	"github.com/lectern-dev/lectern/schools/formertest"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// formerSchema are the migrations from before there were states.
func formerSchema(t *testing.T) fs.FS {
	t.Helper()
	were := []string{"100", "110", "120", "200", "210", "220", "225", "230", "300", "400", "410"}
	schema := fstest.MapFS{}
	for _, set := range server.Schema() {
		err := fs.WalkDir(set, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasPrefix(path.Base(name), "20261121000") || !slices.Contains(were, path.Base(name)[len("20261121000"):][:3]) {
				return err
			}
			data, err := fs.ReadFile(set, name)
			schema[name] = &fstest.MapFile{Data: data}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return schema
}

// columns returns the columns of a database's tables.
func columns(t *testing.T, db *database.DB) map[string][]string {
	t.Helper()
	query := `SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
	if db.Engine == database.Postgres {
		query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`
	}
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		all[table] = append(all[table], column)
	}
	return all
}

// insert writes rows, each a map of its columns.
func insert(t *testing.T, db *database.DB, table string, rows []map[string]any) {
	t.Helper()
	err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		for _, row := range rows {
			if _, err := tx.NewInsert().Model(&row).Table(table).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", table, err)
	}
}

// another returns one more empty database on the engine of one.
func another(t *testing.T, db *database.DB) *database.DB {
	if db.Engine == database.SQLite {
		return dbtest.SQLite(t)
	}
	return dbtest.Postgres(t)
}

// retell writes what a fixture's database has into one of the former schema, as the former version had stored it.
func retell(t *testing.T, f *fixture, to *database.DB) {
	t.Helper()
	for table, names := range columns(t, to) {
		if strings.HasPrefix(table, "bun_") || strings.HasPrefix(table, "libraries_") || strings.HasPrefix(table, "schools_") && table != "schools_books" {
			continue
		}
		var rows []map[string]any
		if err := f.db.NewSelect().Table(table).Column(names...).Scan(t.Context(), &rows); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		for _, row := range rows {
			if _, versioned := row["version"]; versioned {
				row["version"] = 2
			}
			if table == "versions" {
				row["registers"], row["facts"] = 9, min(1, row["facts"].(int64))*3
			}
		}
		insert(t, to, table, rows)
	}
	store := &schoolsdb.Store{DB: f.db.DB}
	h, err := authdb.ReadHeld(t.Context(), f.db, auth.Tenant(f.partner))
	if err != nil {
		t.Fatal(err)
	}
	blocks := func(k state.Kind, row func(state.Block) map[string]any) (rows []map[string]any) {
		err := store.Scan(t.Context(), state.Tenant(f.partner), h.Facts, k, state.Range{}, func(b state.Block) error {
			b.Data = slices.Clone(b.Data)
			r := row(b)
			r["tenant_id"] = int64(f.partner)
			rows = append(rows, r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	ledgers := map[int64]map[int64]formertest.Days{} // by block of users
	insert(t, to, "schools_records", blocks(schoolsdb.RecordKind, func(b state.Block) map[string]any {
		r, err := schoolsdb.ParseRecord(b.Data)
		if err != nil {
			t.Fatal(err)
		}
		first, last := r.Days[0].Date, r.Days[len(r.Days)-1].Date
		if ledgers[b.A/128] == nil {
			ledgers[b.A/128] = map[int64]formertest.Days{}
		}
		if ledgers[b.A/128][b.A] == nil {
			ledgers[b.A/128][b.A] = formertest.Days{}
		}
		for _, d := range r.Days {
			ledgers[b.A/128][b.A][b.B] = append(ledgers[b.A/128][b.A][b.B], d.Date)
		}
		return map[string]any{"user_id": b.A, "book_id": b.B, "first_day": int32(first), "last_day": int32(last), "data": b.Data}
	}))
	for block, users := range ledgers {
		insert(t, to, "schools_ledgers", []map[string]any{{"tenant_id": int64(f.partner), "block": block, "data": formertest.Ledgers(block, users)}})
	}
	insert(t, to, "schools_seen", blocks(schoolsdb.SeenKind, func(b state.Block) map[string]any {
		return map[string]any{"user_id": b.A, "block": b.B, "data": b.Data}
	}))
	presence := blocks(schoolsdb.PresenceKind, func(b state.Block) map[string]any { return map[string]any{"day": b.A, "presence": b.Data} })
	minutes := blocks(schoolsdb.MinutesKind, func(b state.Block) map[string]any { return map[string]any{"minutes": b.Data} })
	for i := range presence {
		maps.Copy(presence[i], minutes[i])
	}
	insert(t, to, "schools_days", presence)
}

// manyFeed is a feed with so many records that they move in several batches, and whose events are as given.
func manyFeed(t *testing.T, segments func(account, book int) string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]*strings.Builder{}
	for _, name := range []string{"entities", "accounts", "books", "segments", "accesses"} {
		files[name] = &strings.Builder{}
	}
	files["entities"].WriteString(feed["entities"])
	for b := 2; b <= 13; b++ {
		fmt.Fprintf(files["books"], `{"bookId":%d,"title":"T%d","author":"A","isbn":null,"length":1000}`+"\n", b, b)
	}
	for a := range 100 {
		fmt.Fprintf(files["accounts"], `{"referenceId":"r%d","kind":"reader","name":"N%d","entityReferenceId":"class","active":true}`+"\n", a, a)
		for b := 2; b <= 13; b++ {
			files["segments"].WriteString(segments(a, b))
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func segment(id string, account, book, day int) string {
	return fmt.Sprintf(`{"segmentId":"%s%d-%d","account":"r%d","bookId":%d,"startedAt":"2026-03-%02dT10:00:00-03:00","durationMs":60000,"from":%d,"to":%d,"wpm":200}`+"\n",
		id, account, book, account, book, day, 10*account, 10*account+100)
}

// loadDir loads a folder into a database's partner.
func loadDir(t *testing.T, f *fixture, db *database.DB, dir string) {
	t.Helper()
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy}
	if _, err := schoolsload.Load(t.Context(), store, dir, schoolsload.Options{Partner: f.partner, Ref: "ana", Now: f.clock.time}); err != nil {
		t.Fatal(err)
	}
}

// pagesOf returns what a server on a database answers.
func pagesOf(t *testing.T, f *fixture, db *database.DB) string {
	t.Helper()
	s, err := server.New(t.Context(), server.Config{DB: db, Now: f.clock.time, SchoolsRate: -1})
	if err != nil {
		t.Fatal(err)
	}
	at := &fixture{handler: s.Handler()}
	all := ""
	for _, route := range []string{"users", "engagements", "readings"} {
		for page := 1; page <= 2; page++ {
			w := at.get(f.north, fmt.Sprintf("%s/%s?pageSize=1000&page=%d", prefix, route, page))
			if w.Code != 200 {
				t.Fatalf("%s = %d %s", route, w.Code, w.Body)
			}
			all += w.Body.String() + "\n"
		}
	}
	return all
}

// TestMigrateInPlace: a database of the former version answers after its migration as one that was loaded by this one, also
// when the move was cut off between any two batches and went on; and a load of events that it had counts nothing twice.
func TestMigrateInPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, another(t, db), server.Config{})
		first := manyFeed(t, func(a, b int) string { return segment("s", a, b, 1+(a+b)%20) })
		loadDir(t, f, f.db, first)
		want := pagesOf(t, f, f.db)
		if _, err := db.Migrate(t.Context(), formerSchema(t)); err != nil {
			t.Fatal(err)
		}
		retell(t, f, db)

		defer server.SetMaxMove(1000)()
		if _, err := server.New(t.Context(), server.Config{DB: db}); !errors.Is(err, server.ErrMove) || !strings.Contains(err.Error(), "run lectern migrate") {
			t.Errorf("New with more to move than it would = %v, want ErrMove", err)
		}
		if current, err := db.SchemaCurrent(t.Context(), formerSchema(t)); err != nil || !current {
			t.Errorf("refusing, it changed the schema: %t, %v", current, err)
		}
		cuts := 0
		for cut := true; cut; {
			ctx, stop := context.WithCancel(t.Context())
			_, err := server.MigrateAll(ctx, db, func(_ string, done, total int64) {
				if done > total {
					t.Errorf("%d of %d rows moved", done, total)
				}
				stop()
			})
			if cut = err != nil; cut {
				cuts++
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if err := server.Moved(t.Context(), db); err == nil || !strings.Contains(err.Error(), "run lectern migrate") {
					t.Errorf("with rows that wait to be moved: %v, want an error that says so", err)
				}
			}
			stop()
		}
		if cuts < 5 {
			t.Errorf("the move was cut off %d times, want at least 5", cuts)
		}
		if err := server.Moved(t.Context(), db); err != nil {
			t.Errorf("after the move: %v", err)
		}
		if got := pagesOf(t, f, db); got != want {
			t.Errorf("migrated in place it answers\n%.2000s\nwant\n%.2000s", got, want)
		}
		if _, err := db.SchemaCurrent(t.Context(), formerSchema(t)); err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("the former version finds %v, want an error: the database is a newer one's", err)
		}
		for _, table := range []string{"schools_records", "schools_ledgers", "schools_days", "schools_seen"} {
			if n, err := db.NewSelect().Table(table).Count(t.Context()); err == nil {
				t.Errorf("a former version that still runs finds %d %s, want an error", n, table)
			}
		}
		again := manyFeed(t, func(a, b int) string {
			return segment("s", a, b, 1+(a+b)%20) + strings.Repeat(segment("n", a, b, 25), (a+b)%2)
		})
		loadDir(t, f, f.db, again)
		loadDir(t, f, db, again)
		if got, want := pagesOf(t, f, db), pagesOf(t, f, f.db); got != want {
			t.Errorf("after another load it answers\n%.2000s\nwant\n%.2000s", got, want)
		}
		if _, err := (&authdb.Store{DB: db.DB}).Tenant(t.Context(), authdb.Partner, "ana"); err != nil {
			t.Error(err)
		}
	})
}
