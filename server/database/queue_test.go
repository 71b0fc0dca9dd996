package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// yield lets writers go first, as a load does between two transactions.
func yield(ctx context.Context, t *testing.T, db *database.DB) error {
	t.Helper()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.Raw(func(dc any) error { return dc.(interface{ Yield(context.Context) error }).Yield(ctx) })
}

// awaited reports what a load that looks during a long transaction is told.
func awaited(t *testing.T, db *database.DB) (yes bool) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(dc any) error {
		yes = dc.(interface{ Awaited() bool }).Awaited()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// Who has the file learns of writers that wait for it, also of those whose statement is a transaction by itself.
func TestAwaited(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE things (id bigint)`)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `INSERT INTO things VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if awaited(t, db) {
		t.Error("somebody waits, where nobody else is there")
	}
	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(t.Context(), `INSERT INTO things VALUES (2)`)
		done <- err
	}()
	for !awaited(t, db) { // until it waits
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if awaited(t, db) {
		t.Error("somebody waits, though all have written")
	}
}

// Who yields goes on at once where nobody waits; while somebody waits to write, through this pool or another, it waits with it.
func TestYield(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE things (id bigint)`)
	if err := yield(t.Context(), t, db); err != nil {
		t.Fatal(err)
	}
	other, err := database.Open(t.Context(), alias(t, db))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, waits := range map[string]*database.DB{"this pool": db, "another": other} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := waits.BeginTx(ctx, nil)
			done <- err
		}()
		for err := error(nil); err == nil; { // until it waits
			short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
			err = yield(short, t, db)
			stop()
		}
		cancel()
		if err := <-done; err == nil {
			t.Errorf("%s: a second transaction began", name)
		}
		if err := yield(t.Context(), t, db); err != nil {
			t.Errorf("%s: when nobody waits any more: %v", name, err)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

// Writers of one pool have their turns one after the other, whether those before them commit or roll back.
func TestTurns(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE things (id bigint)`)
	done := make(chan error)
	const writers = 20
	for i := range writers {
		go func() {
			err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
				if i%2 == 0 {
					return context.Canceled
				}
				_, err := tx.NewRaw(`INSERT INTO things VALUES (?)`, i).Exec(ctx)
				return err
			})
			if i%2 == 0 && err == context.Canceled {
				err = nil
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n, err := db.NewSelect().Table("things").Count(t.Context()); n != writers/2 || err != nil {
		t.Errorf("%d rows, %v, want %d", n, err, writers/2)
	}
}
