package database_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestBackup copies a database while another connection writes to it. Every transaction moves an amount between two
// accounts: a copy that is not of one moment would have another sum.
func TestBackup(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE accounts (tenant_id INTEGER PRIMARY KEY, n INTEGER NOT NULL, filler TEXT)`)
	for i := range 2000 {
		mustExec(t, db, `INSERT INTO accounts VALUES (?, 100, printf('%01000d', 1))`, i)
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	moved := make(chan int, 1)
	writer.Go(func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
				if _, err := tx.ExecContext(ctx, `UPDATE accounts SET n = n - 1 WHERE tenant_id = ?`, n%2000); err != nil {
					return err
				}
				_, err := tx.ExecContext(ctx, `UPDATE accounts SET n = n + 1 WHERE tenant_id = ?`, 1999-n%2000)
				return err
			})
			if err != nil {
				t.Error(err)
				break
			}
		}
		moved <- n
	})
	var files []string
	for i := range 5 {
		file := filepath.Join(folder, fmt.Sprintf("copy %d.db", i))
		size, err := db.Backup(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Size() != size || info.Mode().Perm() != 0o600 {
			t.Errorf("%s = %v, %v, want a file of %d bytes and mode 0600", file, info, err, size)
		}
		files = append(files, file)
	}
	cancel()
	writer.Wait()
	if <-moved == 0 {
		t.Error("nothing was written while the copies were made")
	}
	checkFolder(t, folder, len(files))
	for _, file := range files {
		checkCopy(t, file)
	}
}

// checkCopy checks the accounts of a copy and its integrity.
func checkCopy(t *testing.T, file string) {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if n, sum := count(t, db, `SELECT count(*) FROM accounts`), count(t, db, `SELECT sum(n) FROM accounts`); n != 2000 || sum != 200_000 {
		t.Errorf("%s has %d accounts with %d, want 2000 with 200000", file, n, sum)
	}
	var ok string
	if err := db.NewRaw(`PRAGMA integrity_check`).Scan(t.Context(), &ok); err != nil || ok != "ok" {
		t.Errorf("%s: integrity_check = %s, %v", file, ok, err)
	}
}

// checkFolder checks the number of files in a folder, including hidden ones.
func checkFolder(t *testing.T, folder string, want int) {
	t.Helper()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != want {
		t.Errorf("the folder has %v, %v, want %d files", entries, err, want)
	}
}

func TestBackupErrors(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE books (tenant_id INTEGER PRIMARY KEY)`)
	folder := t.TempDir()
	there := filepath.Join(folder, "there.db")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(t.Context(), there); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Backup over an empty file = %v, want ErrExist", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(folder, "link.db")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(t.Context(), filepath.Join(folder, "link.db")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Backup over a link = %v, want ErrExist", err)
	}
	if _, err := db.Backup(t.Context(), filepath.Join(folder, "none", "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Backup into a missing folder = %v, want ErrNotExist", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Backup(ctx, filepath.Join(folder, "x.db")); !errors.Is(err, context.Canceled) {
		t.Errorf("Backup when interrupted = %v, want Canceled", err)
	}
	checkFolder(t, folder, 2) // no partial copy is left
	if _, err := dbtest.Postgres(t).Backup(t.Context(), filepath.Join(folder, "x.db")); !errors.Is(err, database.ErrNoBackup) {
		t.Errorf("Backup of PostgreSQL = %v, want ErrNoBackup", err)
	}
}
