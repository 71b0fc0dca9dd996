package database_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// A query with parameters reads what one with its values in the text does, the first time and again, of every type that a
// prepared statement gives or returns.
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
			err := db.DB.DB.QueryRowContext(ctx, `SELECT id, name, data, given FROM typed WHERE id = $1 AND name = $2`, int64(1)<<47, "ação?").
				Scan(&id, &name, &data, &given)
			if err != nil || id != 1<<47 || name != "ação?" || string(data) != "\x00\xff" || !given.Equal(at) {
				t.Fatalf("time %d: %d, %q, %x, %v, %v", i+1, id, name, data, given, err)
			}
		}
	})
}

// The same statement may run while rows of it are open, and many more of them than a connection keeps; a table that changes
// meanwhile does no harm.
func TestPreparedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		db.SetMaxOpenConns(1)
		for _, q := range []string{`CREATE TABLE counted (n bigint)`, `INSERT INTO counted VALUES (1), (2), (3)`} {
			if _, err := db.NewRaw(q).Exec(ctx); err != nil {
				t.Fatal(err)
			}
		}
		const query = `SELECT n FROM counted WHERE n >= $1 ORDER BY n`
		first := func() (n int) {
			if err := db.DB.DB.QueryRowContext(ctx, query, 2).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if db.Engine == database.SQLite { // whose connection takes a second query while the rows of one are open
			tx, err := db.DB.DB.BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			outer, err := tx.QueryContext(ctx, query, 1)
			if err != nil {
				t.Fatal(err)
			}
			var read []int
			for outer.Next() {
				var n, inner int
				if err := outer.Scan(&n); err != nil {
					t.Fatal(err)
				}
				if err := tx.QueryRowContext(ctx, query, n).Scan(&inner); err != nil || inner != n {
					t.Fatalf("inside of row %d: %d, %v", n, inner, err)
				}
				read = append(read, n)
			}
			if err := tx.Commit(); err != nil || outer.Err() != nil || fmt.Sprint(read) != "[1 2 3]" {
				t.Fatal(read, outer.Err(), err)
			}
		}
		for i := range 200 {
			var n int
			if err := db.DB.DB.QueryRowContext(ctx, fmt.Sprintf(`SELECT n + %d FROM counted WHERE n = $1`, i), 3).Scan(&n); err != nil || n != i+3 {
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

// Behind a pooler a statement that was prepared may be unknown to the connection that runs it. It runs all the same, and
// from then on nothing is prepared.
func TestPreparedBehindPooler(t *testing.T) {
	db := dbtest.Postgres(t)
	ctx := t.Context()
	db.SetMaxOpenConns(1)
	prepared := func() (n int) {
		if err := db.NewRaw(`SELECT count(*) FROM pg_prepared_statements`).Scan(ctx, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, want := range []int{1, 0, 0} {
		var n int
		if err := db.DB.DB.QueryRowContext(ctx, `SELECT $1::bigint + 1`, i).Scan(&n); err != nil || n != i+1 {
			t.Fatalf("time %d: %d, %v", i+1, n, err)
		}
		if got := prepared(); got != want {
			t.Errorf("time %d: %d prepared statements, want %d", i+1, got, want)
		}
		if _, err := db.NewRaw(`DEALLOCATE ALL`).Exec(ctx); err != nil {
			t.Fatal(err)
		}
	}
}
