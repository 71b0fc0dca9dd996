package database_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// set returns migrations with the same SQL for both engines.
func set(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		for _, engine := range []database.Engine{database.SQLite, database.Postgres} {
			m["migrations/"+string(engine)+"/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return m
}

func shelves() fs.FS {
	return set(map[string]string{
		"20260101000001_shelves.tx.up.sql": "-- why? because\nCREATE TABLE shelves (tenant_id bigint PRIMARY KEY);\nINSERT INTO shelves VALUES (1);",
		"20260101000003_more.tx.up.sql":    "INSERT INTO shelves SELECT max(tenant_id) + 1 FROM shelves;\nINSERT INTO shelves SELECT max(tenant_id) + 1 FROM shelves",
	})
}

func boxes() fs.FS {
	return set(map[string]string{
		"20260101000002_boxes.tx.up.sql": "CREATE TABLE boxes AS SELECT tenant_id FROM shelves",
	})
}

func TestMigrate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		steps := []struct {
			name string
			sets []fs.FS
			want []string // applied
		}{
			{"Nothing", nil, nil},
			{"SetsInOrderOfNumbers", []fs.FS{boxes(), shelves()}, []string{"20260101000001_shelves", "20260101000002_boxes", "20260101000003_more"}},
			{"Again", []fs.FS{shelves(), boxes()}, nil},
			{"OnlyOneSet", []fs.FS{shelves()}, nil},
			{"NewOneWithEarlierNumber", []fs.FS{shelves(), boxes(), set(map[string]string{"20251231000000_old.tx.up.sql": "CREATE TABLE old (n int)"})},
				[]string{"20251231000000_old"}},
		}
		for _, step := range steps {
			got, err := db.Migrate(t.Context(), step.sets...)
			if err != nil || !slices.Equal(got, step.want) {
				t.Fatalf("%s: Migrate = %q, %v, want %q", step.name, got, err, step.want)
			}
		}
		if n := count(t, db, `SELECT count(*) FROM shelves`); n != 3 {
			t.Errorf("%d shelves, want 3", n)
		}
		if n := count(t, db, `SELECT count(*) FROM boxes`); n != 1 {
			t.Errorf("%d boxes, want 1: the second migration runs before the third", n)
		}
	})
}

func TestSchemaCurrent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		check := func(when string, want bool) {
			t.Helper()
			if got, err := db.SchemaCurrent(t.Context(), shelves(), boxes()); err != nil || got != want {
				t.Errorf("%s: SchemaCurrent = %t, %v, want %t", when, got, err, want)
			}
		}
		check("empty", false)
		if n := tables(t, db); len(n) != 0 {
			t.Errorf("SchemaCurrent made tables %q, want none", n)
		}
		if _, err := db.Migrate(t.Context(), shelves()); err != nil {
			t.Fatal(err)
		}
		check("one set missing", false)
		if _, err := db.Migrate(t.Context(), shelves(), boxes()); err != nil {
			t.Fatal(err)
		}
		check("all", true)
	})
}

// TestNewerSchema tests that a database that a later version has migrated is refused.
func TestNewerSchema(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		files := map[string]string{}
		for i := range 10 {
			files[fmt.Sprintf("2099123100000%d_later.tx.up.sql", i)] = fmt.Sprintf("CREATE TABLE later%d (n int)", i)
		}
		later := set(files)
		if _, err := db.Migrate(t.Context(), shelves(), later); err != nil {
			t.Fatal(err)
		}
		const want = "newer version (migration 20991231000009)" // the newest migration
		if _, err := db.Migrate(t.Context(), shelves()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Migrate = %v, want %q", err, want)
		}
		if _, err := db.SchemaCurrent(t.Context(), shelves()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("SchemaCurrent = %v, want %q", err, want)
		}
	})
}

// TestMigrateFails tests that a failed migration leaves nothing behind, does not affect those before it, and runs once
// it is corrected.
func TestMigrateFails(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		bad := set(map[string]string{"20260101000004_bad.tx.up.sql": "CREATE TABLE bad (n int); INSERT INTO nowhere VALUES (1)"})
		got, err := db.Migrate(t.Context(), shelves(), bad)
		if err == nil || !strings.Contains(err.Error(), "20260101000004_bad") || len(got) != 2 {
			t.Fatalf("Migrate = %q, %v, want two applied and an error that names 20260101000004_bad", got, err)
		}
		if n := tables(t, db); slices.Contains(n, "bad") || !slices.Contains(n, "shelves") {
			t.Errorf("tables %q, want shelves and not bad", n)
		}
		mended := set(map[string]string{"20260101000004_bad.tx.up.sql": "CREATE TABLE bad (n int)"})
		if got, err := db.Migrate(t.Context(), shelves(), mended); err != nil || !slices.Equal(got, []string{"20260101000004_bad"}) {
			t.Errorf("Migrate after the repair = %q, %v, want 20260101000004_bad", got, err)
		}
	})
}

func TestMigrateRefuses(t *testing.T) {
	db := dbtest.SQLite(t)
	for name, sets := range map[string][]fs.FS{
		"NoFolder":          {fstest.MapFS{}},
		"SameNumberTwice":   {shelves(), set(map[string]string{"20260101000001_other.tx.up.sql": "SELECT 1"})},
		"NoNumber":          {set(map[string]string{"shelves.tx.up.sql": "SELECT 1"})},
		"ShortNumber":       {set(map[string]string{"1_shelves.tx.up.sql": "SELECT 1"})},
		"NotInATransaction": {set(map[string]string{"20260101000001_shelves.up.sql": "SELECT 1"})},
		"Down":              {set(map[string]string{"20260101000001_shelves.tx.down.sql": "SELECT 1"})},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := db.Migrate(t.Context(), sets...); err == nil {
				t.Errorf("Migrate = %q, want an error", got)
			}
			if _, err := db.SchemaCurrent(t.Context(), sets...); err == nil {
				t.Error("SchemaCurrent = no error")
			}
		})
	}
}

// TestMigrateConcurrently tests that several processes that start at once leave one schema. Each migration is applied
// once, by one of them, and each process returns with the schema current. Each process is simulated by a connection
// pool.
func TestMigrateConcurrently(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		const processes = 4
		type result struct {
			applied []string
			current bool
			err     error
		}
		results := make(chan result)
		start := make(chan struct{})
		for range processes {
			go func() {
				var r result
				<-start
				other, err := database.Open(t.Context(), db.URL)
				if err != nil {
					results <- result{err: err}
					return
				}
				defer other.Close()
				r.applied, r.err = other.Migrate(t.Context(), shelves(), boxes())
				if r.err == nil {
					r.current, r.err = other.SchemaCurrent(t.Context(), shelves(), boxes())
				}
				results <- r
			}()
		}
		close(start)
		var applied []string
		for range processes {
			r := <-results
			if r.err != nil || !r.current {
				t.Errorf("Migrate: current %t, %v", r.current, r.err)
			}
			applied = append(applied, r.applied...)
		}
		slices.Sort(applied)
		if want := []string{"20260101000001_shelves", "20260101000002_boxes", "20260101000003_more"}; !slices.Equal(applied, want) {
			t.Errorf("applied by all processes %q, want %q", applied, want)
		}
		if n := count(t, db, `SELECT count(*) FROM shelves`); n != 3 {
			t.Errorf("%d shelves, want 3", n)
		}
		if n := count(t, db, `SELECT count(*) FROM bun_migrations`); n != 3 {
			t.Errorf("%d migrations recorded, want 3", n)
		}
	})
}

// TestMigrateTakesTurns tests that processes that all begin before a migration is applied still apply it only once. The
// test locks a table that the migration writes until all processes wait.
func TestMigrateTakesTurns(t *testing.T) {
	db := dbtest.Postgres(t)
	if _, err := db.Migrate(t.Context(), shelves()); err != nil {
		t.Fatal(err)
	}
	holder, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback()
	if _, err := holder.ExecContext(t.Context(), `LOCK TABLE shelves IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	more := set(map[string]string{"20260101000009_again.tx.up.sql": "INSERT INTO shelves SELECT max(tenant_id) + 1 FROM shelves"})
	const processes = 3
	errs := make(chan error, processes)
	for range processes {
		go func() {
			_, err := db.Migrate(t.Context(), shelves(), more)
			errs <- err
		}()
	}
	waiting := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for count(t, db, waiting) < processes && len(errs) == 0 {
		runtime.Gosched()
	}
	if err := holder.Rollback(); err != nil {
		t.Fatal(err)
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := count(t, db, `SELECT count(*) FROM shelves`); n != 4 {
		t.Errorf("%d shelves, want 4: the migration adds one, once", n)
	}
}

// tables lists the tables of the product's schema.
func tables(tb testing.TB, db *database.DB) (names []string) {
	tb.Helper()
	q := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`
	if db.Engine == database.Postgres {
		q = `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
	}
	if err := db.NewRaw(q).Scan(tb.Context(), &names); err != nil {
		tb.Fatal(err)
	}
	return names
}
