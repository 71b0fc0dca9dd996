package dbtest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// fataler is a testing.TB that records the text of Fatal.
type fataler struct {
	testing.TB
	text string
}

func (f *fataler) Fatal(args ...any) {
	f.text, _ = args[0].(string)
	runtime.Goexit()
}

func TestPostgresWithoutServer(t *testing.T) {
	t.Setenv("LECTERN_TEST_POSTGRES", "")
	f := &fataler{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		dbtest.Postgres(f)
	}()
	<-done
	if !strings.Contains(f.text, "make test") {
		t.Errorf("without a server, the test fails with %q, want it to name `make test`", f.text)
	}
}

// TestEach tests that each database is new, sorts bytewise, and can be opened by its URL.
func TestEach(t *testing.T) {
	var engines []database.Engine
	for range 2 {
		dbtest.Each(t, func(t *testing.T, db *database.DB) {
			engines = append(engines, db.Engine)
			for _, q := range []string{`CREATE TABLE words (word text)`, `INSERT INTO words VALUES ('b'), ('A'), ('a'), ('B'), ('é')`} {
				if _, err := db.ExecContext(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			second, err := database.Open(t.Context(), db.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer second.Close()
			var words []string
			if err := second.NewRaw(`SELECT word FROM words ORDER BY word`).Scan(t.Context(), &words); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(words, ""); got != "ABabé" {
				t.Errorf("sorted %q, want ABabé", got)
			}
		})
	}
	if len(engines) != 4 || engines[0] != database.SQLite || engines[1] != database.Postgres {
		t.Errorf("Each ran on %q, want SQLite and PostgreSQL, twice", engines)
	}
}

// reporter is a testing.TB that records the texts of Errorf.
type reporter struct {
	testing.TB
	texts []string
}

func (r *reporter) Errorf(format string, args ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

func (r *reporter) Helper() {}

// TestDistributed tests that a statement that does not name the tenant of each table is reported, once. It also tests a
// message of several statements, one of which changes a table, and a unique key without the tenant.
func TestDistributed(t *testing.T) {
	r := &reporter{TB: t}
	db := dbtest.Distributed(r)
	migrations := fstest.MapFS{"migrations/postgres/20260101000001_a.tx.up.sql": {Data: []byte(`
CREATE TABLE versions (tenant_id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL);
--bun:split
CREATE TABLE snapshots (tenant_id bigint NOT NULL, began bigint NOT NULL, PRIMARY KEY (tenant_id, began));
--bun:split
INSERT INTO versions SELECT i, i FROM generate_series(1, 20) i;`)}}
	if _, err := db.Migrate(t.Context(), migrations); err != nil {
		t.Fatal(err)
	}
	run := func(query string) error {
		_, err := db.ExecContext(t.Context(), query)
		return err
	}
	for _, good := range []string{
		`SELECT * FROM versions v JOIN snapshots s ON s.tenant_id = v.tenant_id AND s.began = v.n WHERE v.tenant_id = 7`,
		`INSERT INTO snapshots VALUES (7, 1)`, `UPDATE versions SET n = 8 WHERE tenant_id = 7`,
		`SELECT max(began) FROM snapshots WHERE tenant_id IN (1, 2, 3, 4, 5, 6, 7)`, // allowed by acrossTenants
	} {
		if err := run(good); err != nil || len(r.texts) > 0 {
			t.Errorf("%s: %v, reported %q, want neither", good, err, r.texts)
		}
	}
	for _, bad := range []string{
		`SELECT * FROM versions v JOIN snapshots s ON s.began = v.n WHERE v.tenant_id = 7`,
		`UPDATE versions SET n = 8 WHERE n = 7`, `DELETE FROM snapshots`, `SELECT count(*) FROM snapshots WHERE began > 1`,
	} {
		r.texts = nil
		err := errors.Join(run(bad), run(bad))
		if err != nil || len(r.texts) != 1 || !strings.HasSuffix(r.texts[0], bad) {
			t.Errorf("%s: %v, reported %q, want it once", bad, err, r.texts)
		}
	}
	r.texts = nil
	if err := run(`SELECT 1; SELECT 2`); err != nil || len(r.texts) > 0 {
		t.Errorf("two statements in one message: %v, reported %q, want neither", err, r.texts)
	}
	if err := run(`ALTER TABLE snapshots ADD COLUMN n bigint; SELECT 2`); err != nil || len(r.texts) != 1 || !strings.HasPrefix(r.texts[0], "2 statements in one message") {
		t.Errorf("two statements in one message, one of which changes a table: %v, reported %q, want it once", err, r.texts)
	}
	if err := run(`CREATE UNIQUE INDEX ON snapshots (began)`); err == nil {
		t.Error("a unique key without the tenant is not refused")
	}
}
