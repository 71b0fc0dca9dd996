//go:build unix

package database_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
)

// TestFilesHaveTheOwnerOfTheDatabase tests that all files belong to the owner of the database, even those that root
// creates. Without root it tests only the user's own files.
func TestFilesHaveTheOwnerOfTheDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lectern.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	owner := os.Getuid()
	if owner == 0 {
		owner = 12345
	}
	if err := os.Chown(file, owner, -1); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, `CREATE TABLE things (id bigint)`)
	release, err := db.Claim()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if err := db.WriteBeside(file+".key", text); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file + ".key"); err != nil || string(text) != "first" {
		t.Errorf("a file written twice has %q, %v, want the first text", text, err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".serving", ".key"} {
		info, err := os.Stat(file + suffix)
		if err != nil {
			t.Error(err)
			continue
		}
		if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != owner {
			t.Errorf("lectern.db%s belongs to user %d, want %d", suffix, uid, owner)
		}
	}
	if err := db.WriteBeside(filepath.Join(file, "none"), ""); err == nil {
		t.Error("WriteBeside in a missing folder = nil, want an error")
	}
}
