package database_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestClaim tests that an embedded database has one claim at a time, under any name, and a shared one many.
func TestClaim(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		release, err := db.Claim()
		if err != nil {
			t.Fatal(err)
		}
		other, err := database.Open(t.Context(), alias(t, db))
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if _, err := other.ExecContext(t.Context(), `CREATE TABLE beside (id bigint)`); err != nil {
			t.Errorf("a command while the server runs: %v", err)
		}
		_, err = other.Claim()
		if db.Engine == database.Postgres {
			if err != nil {
				t.Errorf("a second server on PostgreSQL: %v", err)
			}
			return
		}
		if pid := fmt.Sprint("process ", os.Getpid()); err == nil || !strings.Contains(err.Error(), pid) {
			t.Fatalf("a second claim = %v, want an error that names %s", err, pid)
		}
		release()
		again, err := other.Claim()
		if err != nil {
			t.Fatalf("a claim after the first was released: %v", err)
		}
		again()
	})
}

// alias returns another name of the same database.
func alias(t *testing.T, db *database.DB) string {
	t.Helper()
	path, ok := strings.CutPrefix(db.URL, "sqlite:")
	if !ok {
		return db.URL
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + link
}
