package database_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestSecondWriter tests that a writer gets its transactions done beside another one that writes one transaction after
// the other.
func TestSecondWriter(t *testing.T) {
	db := dbtest.SQLite(t)
	other, err := database.Open(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustExec(t, db, `CREATE TABLE written (id INTEGER PRIMARY KEY)`)
	stop, begun := make(chan struct{}), make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		for i := 1; ; i++ {
			if _, err := other.ExecContext(t.Context(), `INSERT INTO written VALUES (?)`, i); err != nil {
				t.Error(err)
				return
			}
			if i == 1 {
				close(begun)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-begun
	for i := range 20 {
		err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO written VALUES (?)`, -i-1)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	close(stop)
	busy.Wait()
	var n int
	if err := other.NewRaw(`SELECT count(*) FROM written WHERE id < 0`).Scan(t.Context(), &n); err != nil || n != 20 {
		t.Errorf("%d rows of the second writer, %v, want 20", n, err)
	}
}

// TestReadsBesideAWriter tests that a read succeeds while a transaction writes, and does not see its rows. A reading
// handle cannot write.
func TestReadsBesideAWriter(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE written (id INTEGER PRIMARY KEY)`)
	err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO written VALUES (1)`); err != nil {
			return err
		}
		n := -1
		if err := db.NewRaw(`SELECT count(*) FROM written`).Scan(ctx, &n); err != nil || n != 0 {
			t.Errorf("during the write transaction %d rows are visible, %v, want none", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.DB.DB.ExecContext(t.Context(), `INSERT INTO written VALUES (2)`); err == nil {
		t.Error("a write through the reading handle succeeds, want an error")
	}
}

// TestMemory tests that a database in memory leaves no file, survives interrupted statements, and is a new one each
// time.
func TestMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	db, err := database.Open(t.Context(), "sqlite::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("files left = %v, %v, want none", left, err)
	}
	mustExec(t, db, `CREATE TABLE kept (id INTEGER PRIMARY KEY)`)
	mustExec(t, db, `INSERT INTO kept VALUES (1)`)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := db.QueryContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`)
		if err != nil {
			t.Fatal(err)
		}
		rows.Next()
		cancel()
		rows.Close()
	}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			var n int
			if err := db.NewRaw(`SELECT count(*) FROM kept`).Scan(t.Context(), &n); err != nil || n != 1 {
				t.Errorf("the database has %d rows, %v, want 1", n, err)
			}
		})
	}
	all.Wait()
	second, err := database.Open(t.Context(), "sqlite::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	mustExec(t, second, `CREATE TABLE kept (id INTEGER PRIMARY KEY)`)
	if release, err := second.Claim(); err != nil {
		t.Error(err)
	} else {
		release()
	}
}
