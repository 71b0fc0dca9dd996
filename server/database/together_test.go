package database_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
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
	ask := func(queries []string, args ...any) (string, int64, error) {
		t.Helper()
		var found string
		var n int64
		var null sql.NullString
		did, err := db.Together(t.Context(), queries, [][]any{args, {1}}, [][]any{{&found}, {&n, &null}})
		if !did || null.Valid {
			t.Errorf("Together(%q) = %t, null %v", queries, did, null)
		}
		return found, n, err
	}
	for i := range 3 {
		if w, n, err := ask([]string{word, next}, 1, "?"); w != "a?b" || n != int64(i+1) || err != nil {
			t.Errorf("%d: %q, %d, %v, want a?b, %d", i, w, n, err, i+1)
		}
	}
	if w, n, err := ask([]string{word, next}, 2, "?"); w != "" || n != 4 || !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row: %q, %d, %v, want 4 and sql.ErrNoRows", w, n, err)
	}
	if _, _, err := ask([]string{`SELECT 1 / (1 - $1::int)::int, $2::text`, next}, 1, "?"); err == nil || errors.Is(err, sql.ErrNoRows) {
		t.Errorf("a division by zero: %v, want its error", err)
	}
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE words ALTER word TYPE varchar(9)`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask([]string{word, next}, 1, "?"); err == nil {
		t.Error("the type of a column has changed: no error, so that the test shows nothing")
	}
	if w, n, err := ask([]string{word, next}, 1, "?"); w != "a?b" || n != 7 || err != nil {
		t.Errorf("after it: %q, %d, %v, want a?b, 7", w, n, err)
	}
}

// A connection that the server has closed is not used: what was not sent is left to the caller.
func TestTogetherAfterARestart(t *testing.T) {
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	ask := func() (did bool, err error) {
		var n, m int64
		did, err = db.Together(t.Context(), []string{`SELECT $1::bigint`, `SELECT $1::bigint + 1`}, [][]any{{1}, {1}}, [][]any{{&n}, {&m}})
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

// What many ask for at one time is sent together, and each gets what is its own: its rows, that there is none, its error.
func TestTogetherOfMany(t *testing.T) {
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	for _, s := range []string{`CREATE TABLE n (n bigint)`, `INSERT INTO n VALUES (0)`} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	queries := []string{`SELECT $1::bigint / ($1::bigint % 3) WHERE $1::bigint % 5 <> 0`, `UPDATE n SET n = n + $1 RETURNING $2::bigint`}
	held, err := db.DB.DB.Conn(t.Context()) // until all wait
	if err != nil {
		t.Fatal(err)
	}
	var asking, done sync.WaitGroup
	const many = 300
	left, leave := context.WithCancel(t.Context())
	for i := range int64(many) {
		asking.Add(1)
		done.Go(func() {
			var first, second int64
			ctx := t.Context()
			if i%7 == 6 {
				ctx = left
			}
			asking.Done()
			did, err := db.Together(ctx, queries, [][]any{{i}, {1, i}}, [][]any{{&first}, {&second}})
			var refused *pgconn.PgError
			switch {
			case i%7 == 6 && errors.Is(err, context.Canceled), i%15 == 0: // the database may divide before it looks for rows
			case !did:
				t.Errorf("%d: was not sent", i)
			case i%5 == 0 && err != sql.ErrNoRows, i%3 == 0 && !errors.As(err, &refused), i%5 != 0 && i%3 != 0 && (err != nil || first != i/(i%3)), second != i:
				t.Errorf("%d: %d, %d, %v", i, first, second, err)
			}
		})
	}
	asking.Wait()
	leave()
	held.Close()
	done.Wait()
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT n FROM n`).Scan(&n); err != nil || n < many-many/7 || n > many {
		t.Errorf("made %d times of %d, %v", n, many, err)
	}
}

// What waits for what others do not need does not hold them up.
func TestTogetherBesideTheSlow(t *testing.T) {
	db := dbtest.Postgres(t)
	for _, s := range []string{`CREATE TABLE n (id bigint PRIMARY KEY, n bigint)`, `INSERT INTO n VALUES (1, 0), (2, 0)`} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(t.Context(), `UPDATE n SET n = 7 WHERE id = 1`); err != nil {
		t.Fatal(err)
	}
	ask := func(id int) (n int64, err error) {
		_, err = db.Together(t.Context(), []string{`UPDATE n SET n = n + 1 WHERE id = $1 RETURNING n`}, [][]any{{id}}, [][]any{{&n}})
		return n, err
	}
	var slow sync.WaitGroup
	for range 4 { // more than are sent at one time
		slow.Go(func() {
			if n, err := ask(1); n <= 7 || err != nil {
				t.Errorf("after the other: %d, %v", n, err)
			}
		})
	}
	for i := range 20 {
		if n, err := ask(2); n != int64(i+1) || err != nil {
			t.Errorf("%d: %d, %v", i, n, err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	slow.Wait()
}

func TestTogetherOnSQLite(t *testing.T) {
	if did, err := dbtest.SQLite(t).Together(t.Context(), []string{"no SQL", "no SQL"}, nil, nil); did || err != nil {
		t.Errorf("Together = %t, %v, want false", did, err)
	}
}

// Behind a pooler that forgets what was prepared, what Together does not do can be done without it.
func TestTogetherBehindPooler(t *testing.T) {
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	const query = `SELECT $1::bigint + 1`
	for i := range 3 {
		var n int
		did, err := db.Together(t.Context(), []string{query}, [][]any{{i}}, [][]any{{&n}})
		if did != (i == 0) || err != nil {
			t.Fatalf("time %d: %t, %v, want that the first is done alone", i+1, did, err)
		}
		if !did {
			err = db.DB.DB.QueryRowContext(t.Context(), query, i).Scan(&n)
		}
		if n != i+1 || err != nil {
			t.Errorf("time %d: %d, %v", i+1, n, err)
		}
		if _, err := db.ExecContext(t.Context(), `DEALLOCATE ALL`); err != nil {
			t.Fatal(err)
		}
	}
}
