package database_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// Two queries that are sent at once are two transactions, each of which does what it does alone.
func TestTogether(t *testing.T) {
	db := dbtest.Postgres(t)
	for _, s := range []string{`CREATE TABLE n (n bigint)`, `INSERT INTO n VALUES (0)`, `CREATE TABLE words (n bigint, word text)`, `INSERT INTO words VALUES (1, 'a?b')`} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	const word, next = `SELECT word FROM words WHERE n = $1 AND word <> $2`, `UPDATE n SET n = n + $1 RETURNING n, NULL`
	ask := func(queries [2]string, args ...any) (string, int64, error) {
		t.Helper()
		var found string
		var n int64
		var null sql.NullString
		did, err := db.Together(t.Context(), queries, [2][]any{args, {1}}, [2][]any{{&found}, {&n, &null}})
		if !did || null.Valid {
			t.Errorf("Together(%q) = %t, null %v", queries, did, null)
		}
		return found, n, err
	}
	for i := range 3 {
		if w, n, err := ask([2]string{word, next}, 1, "?"); w != "a?b" || n != int64(i+1) || err != nil {
			t.Errorf("%d: %q, %d, %v, want a?b, %d", i, w, n, err, i+1)
		}
	}
	if w, n, err := ask([2]string{word, next}, 2, "?"); w != "" || n != 4 || !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row: %q, %d, %v, want 4 and sql.ErrNoRows", w, n, err)
	}
	if _, _, err := ask([2]string{`SELECT 1 / (1 - $1::int)::int, $2::text`, next}, 1, "?"); err == nil || errors.Is(err, sql.ErrNoRows) {
		t.Errorf("a division by zero: %v, want its error", err)
	}
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE words ALTER word TYPE varchar(9)`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask([2]string{word, next}, 1, "?"); err == nil {
		t.Error("the type of a column has changed: no error, so that the test shows nothing")
	}
	if w, n, err := ask([2]string{word, next}, 1, "?"); w != "a?b" || n != 7 || err != nil {
		t.Errorf("after it: %q, %d, %v, want a?b, 7", w, n, err)
	}
}

// A connection that the server has closed is not used: what was not sent is left to the caller.
func TestTogetherAfterARestart(t *testing.T) {
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	ask := func() (did bool, err error) {
		var n, m int64
		did, err = db.Together(t.Context(), [2]string{`SELECT $1::bigint`, `SELECT $1::bigint + 1`}, [2][]any{{1}, {1}}, [2][]any{{&n}, {&m}})
		if did && err == nil && (n != 1 || m != 2) {
			t.Errorf("Together = %d, %d, want 1, 2", n, m)
		}
		return did, err
	}
	if did, err := ask(); !did || err != nil {
		t.Fatalf("Together = %t, %v", did, err)
	}
	db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
	if _, err := ask(); err != nil {
		t.Errorf("on a broken connection: %v, want none", err)
	}
	if did, err := ask(); !did || err != nil {
		t.Errorf("after it: %t, %v", did, err)
	}
}

func TestTogetherOnSQLite(t *testing.T) {
	if did, err := dbtest.SQLite(t).Together(t.Context(), [2]string{"no SQL", "no SQL"}, [2][]any{}, [2][]any{}); did || err != nil {
		t.Errorf("Together = %t, %v, want false", did, err)
	}
}
