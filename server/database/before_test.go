package database_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// sent are statements that are made before a query.
type sent []string

func (s sent) Before() []string { return s }

const countWords = `SELECT n, word, count(*) OVER () FROM words WHERE n >= $1 ORDER BY n`

// words is a database with an empty table of words, and one connection.
func words(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE words (n bigint PRIMARY KEY, word text)`); err != nil {
		t.Fatal(err)
	}
	return db
}

// after returns the words from a number on, as they are after statements.
func after(t *testing.T, tx *sql.Tx, statements sent, from int) (found []string, err error) {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), countWords, statements, from)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n, all int
		var word string
		if err := rows.Scan(&n, &word, &all); err != nil {
			return nil, err
		}
		found = append(found, fmt.Sprintf("%d:%s/%d", n, word, all))
	}
	return found, rows.Err()
}

// in runs f in a transaction and ends it as f does.
func in(t *testing.T, db *database.DB, f func(tx *sql.Tx) error) error {
	t.Helper()
	tx, err := db.DB.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// A query sees what the statements before it did, and what comes after sees both; where one of them fails nothing is done, and the
// connection is as good as before.
func TestBefore(t *testing.T) {
	db := words(t)
	want := func(what, want string, statements sent, from int) {
		t.Helper()
		var got []string
		err := in(t, db, func(tx *sql.Tx) (err error) { got, err = after(t, tx, statements, from); return err })
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s: %v, %v, want %s", what, got, err, want)
		}
	}
	want("no rows", `[]`, sent{`DELETE FROM words`}, 0)
	want("two statements", `[1:a?/2 2:b/2]`, sent{`INSERT INTO words VALUES (1, 'a?')`, `INSERT INTO words VALUES (2, 'b') RETURNING n`}, 1)
	want("again", `[2:c/1]`, sent{`UPDATE words SET word = 'c' WHERE n = 2`}, 2)
	want("none", `[1:a?/2 2:c/2]`, sent{}, 0)
	for _, statements := range []sent{
		{`INSERT INTO words VALUES (3, 'd')`, `INSERT INTO words VALUES (1, 'e')`, `INSERT INTO words VALUES (4, 'f')`},
		{`INSERT INTO words VALUES (1, 'e')`},
	} {
		err := in(t, db, func(tx *sql.Tx) error { _, err := after(t, tx, statements, 0); return err })
		if p, ok := errors.AsType[*pgconn.PgError](err); !ok || p.Code != "23505" {
			t.Errorf("%q: %v, want that a key is taken", statements, err)
		}
	}
	want("after an error", `[1:a?/2 2:c/2]`, sent{`SELECT 1`}, 0)
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE words ALTER word TYPE varchar(9)`); err != nil {
		t.Fatal(err)
	}
	if err := in(t, db, func(tx *sql.Tx) error { _, err := after(t, tx, sent{`SELECT 1`}, 0); return err }); err == nil {
		t.Error("the type of a column has changed: no error, so that the test shows nothing")
	}
	want("after a migration", `[1:a?/2 2:c/2]`, sent{`SELECT 1`}, 0)
}

// Behind a pooler that forgets what was prepared one query fails; from then on the statements are sent by themselves.
func TestBeforeBehindPooler(t *testing.T) {
	db := words(t)
	for i := range 3 {
		var got []string
		err := in(t, db, func(tx *sql.Tx) (err error) {
			got, err = after(t, tx, sent{fmt.Sprintf(`INSERT INTO words VALUES (%d, 'a')`, i), `SELECT 1`}, i)
			return err
		})
		if want := fmt.Sprintf("[%d:a/1]", i); (err == nil) != (i != 1) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("time %d: %v, %v, want %s, and an error the second time", i+1, got, err, want)
		}
		if _, err := db.ExecContext(t.Context(), `DEALLOCATE ALL`); err != nil {
			t.Fatal(err)
		}
	}
}
