package database_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/uptrace/bun"
)

type userID int64

// day is stored as text, as calendar days are.
type day string

func (d day) Value() (driver.Value, error) { return string(d), nil }

// inTx runs f in a transaction on a connection of its own.
func inTx(ctx context.Context, db *database.DB, f func(ctx context.Context, conn bun.Conn, tx bun.Tx) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return f(ctx, conn, tx) })
}

var copyColumns = []string{"tenant_id", "user_id", "title", "facts", "at", "on", "n"}

// copyTable creates a table with a column of each kind, one of them named by a keyword.
func copyTable(tb testing.TB, db *database.DB) {
	types := map[database.Engine][3]string{
		database.SQLite:   {"BLOB", "TIMESTAMP", "TEXT"},
		database.Postgres: {"bytea", "timestamptz", "date"},
	}[db.Engine]
	mustExec(tb, db, fmt.Sprintf(`CREATE TABLE copied (tenant_id bigint NOT NULL, user_id bigint NOT NULL, title text,
		facts %s, at %s, "on" %s, n int, PRIMARY KEY (tenant_id, user_id))`, types[0], types[1], types[2]))
}

// copyRows yields n rows, all in the same slice and buffer.
func copyRows(n int) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row, facts := make([]any, 7), make([]byte, 4)
		for i := range n {
			copy(facts, fmt.Sprintf("%04d", i%10000))
			row[0], row[1], row[2], row[3] = int64(7), userID(i), fmt.Sprintf("título ? %d", i), facts
			row[4], row[5], row[6] = copyTime(i), day("2026-02-28"), nil
			if !yield(row) {
				return
			}
		}
	}
}

func copyTime(i int) time.Time {
	return time.Date(2026, 1, 31, 22, 30, i%60, i%1000*1000, time.FixedZone("", -3*3600))
}

// copied is a row that is read back.
type copied struct {
	UserID int64
	Title  string
	Facts  []byte
	At     time.Time
	On     string
	N      *int
}

func TestCopy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		copyTable(t, db)
		// On SQLite, 73 rows of seven columns fill a statement. The sizes include both sides of that.
		for _, n := range []int{0, 1, 72, 73, 74, 1000} {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				mustExec(t, db, `DELETE FROM copied`)
				err := inTx(t.Context(), db, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
					got, err := db.Copy(ctx, conn, "copied", copyColumns, copyRows(n))
					if got != int64(n) {
						t.Errorf("Copy of %d rows = %d, %v", n, got, err)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				checkCopied(t, db, n)
			})
		}
	})
}

func checkCopied(t *testing.T, db *database.DB, n int) {
	t.Helper()
	var rows []copied
	err := db.NewRaw(`SELECT user_id, title, facts, at, CAST("on" AS text) AS "on", n FROM copied WHERE tenant_id = 7 ORDER BY user_id`).
		Scan(t.Context(), &rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != n {
		t.Fatalf("%d rows are stored, want %d", len(rows), n)
	}
	for i, r := range rows {
		if r.UserID != int64(i) || r.Title != fmt.Sprintf("título ? %d", i) || !bytes.Equal(r.Facts, fmt.Appendf(nil, "%04d", i%10000)) ||
			!r.At.Equal(copyTime(i)) || r.On != "2026-02-28" || r.N != nil {
			t.Fatalf("row %d = %+v", i, r)
		}
	}
}

// TestCopyWritesTimesAsInsertDoes tests that copied and inserted times are stored alike, so that they sort together.
func TestCopyWritesTimesAsInsertDoes(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE times (at TEXT)`)
	at := copyTime(1)
	mustExec(t, db, `INSERT INTO times VALUES (?)`, at)
	err := inTx(t.Context(), db, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		_, err := db.Copy(ctx, conn, "times", []string{"at"}, slices.Values([][]any{{at}}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, `SELECT count(DISTINCT at) FROM times`); n != 1 {
		t.Errorf("one time is stored in %d ways", n)
	}
}

func TestCopyIsUndoneWithItsTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		copyTable(t, db)
		stop := errors.New("stop")
		err := inTx(t.Context(), db, func(ctx context.Context, conn bun.Conn, tx bun.Tx) error {
			if _, err := db.Copy(ctx, conn, "copied", copyColumns, copyRows(200)); err != nil {
				return err
			}
			var n int
			if err := tx.NewRaw(`SELECT count(*) FROM copied`).Scan(ctx, &n); err != nil || n != 200 {
				t.Errorf("the transaction sees %d rows, %v, want 200", n, err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if n := count(t, db, `SELECT count(*) FROM copied`); n != 0 {
			t.Errorf("%d rows are left after the rollback, want none", n)
		}
	})
}

func TestCopyErrors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		copyTable(t, db)
		twice := func(yield func([]any) bool) {
			for range 2 {
				for row := range copyRows(1) {
					if !yield(row) {
						return
					}
				}
			}
		}
		for name, run := range map[string]func(ctx context.Context, conn bun.Conn) (int64, error){
			"KeyTwice": func(ctx context.Context, conn bun.Conn) (int64, error) {
				return db.Copy(ctx, conn, "copied", copyColumns, twice)
			},
			"TooFewValues": func(ctx context.Context, conn bun.Conn) (int64, error) {
				return db.Copy(ctx, conn, "copied", copyColumns, slices.Values([][]any{{int64(1)}}))
			},
			"NoTable": func(ctx context.Context, conn bun.Conn) (int64, error) {
				return db.Copy(ctx, conn, "nowhere", copyColumns, copyRows(1000))
			},
		} {
			t.Run(name, func(t *testing.T) {
				err := inTx(t.Context(), db, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
					_, err := run(ctx, conn)
					return err
				})
				if err == nil {
					t.Error("Copy succeeds, want an error")
				}
				if n := count(t, db, `SELECT count(*) FROM copied`); n != 0 {
					t.Errorf("%d rows are left, want none", n)
				}
			})
		}
	})
}
