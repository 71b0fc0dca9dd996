package database_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestParameters tests queries with parameters, the first time and again, with every type that a prepared statement
// takes or returns.
func TestParameters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		instant := `timestamptz`
		if db.Engine == database.SQLite {
			instant = `timestamp`
		}
		if _, err := db.NewRaw(`CREATE TABLE typed (id bigint, name text, data bytea, given ` + instant + `)`).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 3, 1, 2, 3, 4, 567_000_000, time.UTC)
		if _, err := db.NewRaw(`INSERT INTO typed VALUES (?, ?, ?, ?)`, int64(1)<<47, "ação?", []byte{0, 255}, at).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			var id int64
			var name string
			var data []byte
			var given time.Time
			err := db.QueryRowContext(ctx, `SELECT id, name, data, given FROM typed WHERE id = ? AND name = ?`, int64(1)<<47, "ação?").
				Scan(&id, &name, &data, &given)
			if err != nil || id != 1<<47 || name != "ação?" || string(data) != "\x00\xff" || !given.Equal(at) {
				t.Fatalf("time %d: %d, %q, %x, %v, %v", i+1, id, name, data, given, err)
			}
		}
	})
}

// TestPreparedAtOnce tests many prepared statements, and a table that changes while they are prepared.
func TestPreparedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		db.SetMaxOpenConns(1)
		for _, q := range []string{`CREATE TABLE counted (n bigint)`, `INSERT INTO counted VALUES (1), (2), (3)`} {
			if _, err := db.NewRaw(q).Exec(ctx); err != nil {
				t.Fatal(err)
			}
		}
		const query = `SELECT n FROM counted WHERE n >= ? ORDER BY n`
		first := func() (n int) {
			if err := db.QueryRowContext(ctx, query, 2).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i := range 200 {
			var n int
			if err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT n + %d FROM counted WHERE n = ?`, i), 3).Scan(&n); err != nil || n != i+3 {
				t.Fatalf("statement %d: %d, %v", i, n, err)
			}
		}
		if n := first(); n != 2 {
			t.Fatal(n)
		}
		if _, err := db.NewRaw(`ALTER TABLE counted ADD COLUMN more bigint`).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		if n := first(); n != 2 {
			t.Fatal(n)
		}
	})
}

// TestPreparedBehindPooler tests a statement that the connection does not know, or one with the same name, as behind a
// pooler. The statement and a batch with it succeed.
func TestPreparedBehindPooler(t *testing.T) {
	db := dbtest.Postgres(t)
	ctx := t.Context()
	db.SetMaxOpenConns(1)
	const query = `SELECT ?::bigint + 1`
	var name string
	for i := range 4 {
		var n, m, k int
		err := db.QueryRowContext(ctx, query, i).Scan(&n)
		if err == nil {
			err = db.Batch(ctx, []string{query, query}, [][]any{{i}, {i + 1}}, [][]any{{&m}, {&k}})
		}
		if err != nil || n != i+1 || m != n || k != n+1 {
			t.Fatalf("time %d: %d, %d, %d, %v", i+1, n, m, k, err)
		}
		if name == "" {
			if err := db.NewRaw(`SELECT name FROM pg_prepared_statements`).Scan(ctx, &name); err != nil {
				t.Fatal(err)
			}
		}
		mustExec(t, db, `DEALLOCATE ALL`)
		if i > 1 {
			db.QueryRowContext(ctx, query, i).Scan(&n) // the connection forgets the statement
			mustExec(t, db, `DEALLOCATE ALL`)
			mustExec(t, db, `PREPARE "`+name+`" (bigint) AS SELECT 1`)
		}
	}
}

// TestBatch tests that each query of a batch reads a row. If one finds none or fails, its error is returned, and a
// failed batch is undone.
func TestBatch(t *testing.T) {
	db := dbtest.Postgres(t)
	mustExec(t, db, `CREATE TABLE n (n bigint)`)
	mustExec(t, db, `INSERT INTO n VALUES (0)`)
	mustExec(t, db, `CREATE TABLE words (n bigint, word text)`)
	mustExec(t, db, `INSERT INTO words VALUES (1, 'a?b')`)
	const word, next = `SELECT word FROM words WHERE n = ? AND word <> $2`, `UPDATE n SET n = n + ? RETURNING n, NULL`
	ask := func(first string, args ...any) (found string, n int64, err error) {
		var null sql.NullString
		err = db.Batch(t.Context(), []string{first, next}, [][]any{args, {1}}, [][]any{{&found}, {&n, &null}})
		return found, n, err
	}
	for i := range 2 {
		if w, n, err := ask(word, 1, "?"); w != "a?b" || n != int64(i+1) || err != nil {
			t.Errorf("Batch %d = %q, %d, %v, want a?b, %d", i, w, n, err, i+1)
		}
	}
	if _, _, err := ask(word, 2, "?"); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row = %v, want sql.ErrNoRows", err)
	}
	if _, _, err := ask(`SELECT 1 / (1 - ?::int)::int, ?::text`, 1, "?"); err == nil || errors.Is(err, sql.ErrNoRows) {
		t.Errorf("a division by zero = %v, want its error", err)
	}
	mustExec(t, db, `ALTER TABLE words ALTER word TYPE varchar(9)`)
	if w, n, err := ask(word, 1, "?"); w != "a?b" || n != 4 || err != nil {
		t.Errorf("after a change of types: %q, %d, %v, want a?b, 4", w, n, err)
	}
}
