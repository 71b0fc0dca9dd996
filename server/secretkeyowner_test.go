//go:build unix

package server_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
)

// TestSecretKeyFileHasTheOwnerOfTheDatabase tests that the database's owner gets the key file, even if root makes it.
func TestSecretKeyFileHasTheOwnerOfTheDatabase(t *testing.T) {
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
	if _, err := newSecrets(t, db, nil).MakeBox(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != owner || info.Mode().Perm() != 0o600 {
		t.Errorf("key file is of user %d, mode %v, want %d, 0600", uid, info.Mode(), owner)
	}
}
