//go:build unix

package server_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// program builds the command.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lectern")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/lectern").CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v %s", err, out)
	}
	return path
}

// stored is what is in the blocks of a database, and which tables it has.
func stored(t *testing.T, db *database.DB) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT tenant_id, kind, a, b, since, until, lo, hi, data FROM blocks ORDER BY 1, 2, 3, 4, 5`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	sum, n := sha256.New(), 0
	for ; rows.Next(); n++ {
		var k [8]int64
		var data []byte
		if err := rows.Scan(&k[0], &k[1], &k[2], &k[3], &k[4], &k[5], &k[6], &k[7], &data); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(sum, k, data)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d blocks %x, tables %q", n, sum.Sum(nil), slices.Sorted(maps.Keys(columns(t, db))))
}

// former makes a database one of the former version, with what a fixture's has, and as many rows of tenants that are gone as
// make the move long enough to be killed.
func former(t *testing.T, f *fixture, db *database.DB) *database.DB {
	t.Helper()
	if _, err := db.Migrate(t.Context(), formerSchema(t)); err != nil {
		t.Fatal(err)
	}
	retell(t, f, db)
	for table, names := range columns(t, db) {
		if !strings.HasPrefix(table, "schools_") || table == "schools_books" {
			continue
		}
		list := strings.Join(names, ", ")
		for i := range 3 {
			_, err := db.ExecContext(t.Context(), `INSERT INTO ? (?) SELECT ? FROM ? WHERE tenant_id = ?`, bun.Ident(table), bun.Safe(list),
				bun.Safe(strings.Replace(list, "tenant_id", fmt.Sprint("tenant_id + ", 100+i), 1)), bun.Ident(table), f.partner)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return db
}

// TestKilledMigrate kills lectern migrate with SIGKILL at random moments while it brings a database of the former version up to
// date. Run until it ends, it leaves what one leaves that was never disturbed, block for block, and so do the answers.
func TestKilledMigrate(t *testing.T) {
	sequences, err := strconv.Atoi(cmp.Or(os.Getenv("LECTERN_TEST_MIGRATES"), "2"))
	if err != nil {
		t.Fatal(err)
	}
	lectern := program(t)
	dbtest.Each(t, func(t *testing.T, first *database.DB) {
		r := rand.New(rand.NewPCG(11, 12))
		f := newFixture(t, another(t, first), server.Config{})
		loadDir(t, f, f.db, manyFeed(t, func(a, b int) string { return segment("s", a, b, 1+(a+b)%20) }))
		migrate := func(db *database.DB) *exec.Cmd {
			return exec.CommandContext(t.Context(), lectern, "--db", db.URL, "migrate")
		}
		undisturbed, start := former(t, f, first), time.Now()
		if out, err := migrate(undisturbed).CombinedOutput(); err != nil {
			t.Fatalf("migrate = %v %s", err, out)
		}
		whole := time.Since(start)
		want, answers := stored(t, undisturbed), pagesOf(t, f, undisturbed)
		killed, halves := 0, 0
		for range sequences {
			db := former(t, f, another(t, first))
			for ended := false; !ended; {
				cmd := migrate(db)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				moment := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { cmd.Process.Kill() })
				err := cmd.Wait()
				moment.Stop()
				status, is := cmd.ProcessState.Sys().(syscall.WaitStatus)
				if ended = err == nil; !ended && !(is && status.Signaled()) {
					t.Fatalf("migrate = %v", err)
				}
				if !ended {
					killed++
					if server.Moved(t.Context(), db) != nil {
						halves++
					}
				}
			}
			if got := stored(t, db); got != want {
				t.Errorf("after kills there are %s, want %s", got, want)
			}
			if got := pagesOf(t, f, db); got != answers {
				got, want := apart(got, answers)
				t.Errorf("after kills it answers\n%s\nwant\n%s", got, want)
			}
		}
		if halves == 0 {
			t.Errorf("none of %d kills came while rows were moved", killed)
		}
		t.Logf("%d kills, %d with rows that waited, a whole run took %v", killed, halves, whole)
	})
}
