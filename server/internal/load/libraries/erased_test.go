package libraries_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestErasedFromTheFile tests that the files of an embedded database have no e-mail of a reader who deleted the account
// (L18).
func TestErasedFromTheFile(t *testing.T) {
	db := dbtest.SQLite(t)
	f := newFixture(t, db)
	file := strings.TrimPrefix(db.URL, "sqlite:")
	load := func(status, more string) int {
		t.Helper()
		var rows []string
		for id := range 300 {
			rows = append(rows, fmt.Sprintf(`{"userId":%d,"name":"Ana","email":"someone.%d@example.org","registeredAt":"2025-01-01","status":"%s","updatedAt":"2026-08-0%dT12:00:00Z"%s}`,
				id, id, status, len(more)/10+1, more))
		}
		f.must(map[string]string{"readers.ndjson": strings.Join(rows, "\n")})
		files, err := filepath.Glob(file + "*")
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found += bytes.Count(data, []byte("@example.org"))
		}
		return found
	}
	if n := load("active", ""); n < 300 {
		t.Fatalf("%d of 300 e-mails are in the files, want all before the erasure", n)
	}
	if n := load("deleted", `,"deletedAt":"2026-08-02"`); n != 0 {
		t.Errorf("%d e-mails are left in the files, want none", n)
	}
}
