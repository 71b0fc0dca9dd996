package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// asCommand is set in the environment of a child that is the command instead of the tests.
const asCommand = "LECTERN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// child prepares the command as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// TestKilledLoad kills loads with SIGKILL at random moments. After each, what is served is the state before or, when the
// commit was first, the state after; and the load that is repeated to its end gives the answers of one that was never
// disturbed, byte for byte (F2).
func TestKilledLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		ok(t, "generate", "schools", "feed", "--users", "150", "--days", "60")
		undisturbed := "sqlite:undisturbed.db"
		ok(t, "--db", undisturbed, "partner", "create", "p", "--name", "P")
		start := time.Now()
		ok(t, "--db", undisturbed, "load", "schools", "--partner", "p", "feed")
		whole := time.Since(start)
		want := everything(t, undisturbed)

		ok(t, "--db", db.URL, "partner", "create", "p", "--name", "P")
		r := rand.New(rand.NewPCG(5, 6))
		killed := 0
		for range 12 {
			cmd := child(t, "--db", db.URL, "load", "schools", "--partner", "p", "feed")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			moment := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { cmd.Process.Kill() })
			err := cmd.Wait()
			moment.Stop()
			if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && is && status.Signaled() {
				killed++
			} else if err != nil {
				t.Fatalf("load = %v", err)
			}
			n, err := db.NewSelect().Table("entities").Count(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				continue // nothing of it is visible
			}
			if got := everything(t, db.URL); got != want {
				t.Fatalf("after %d kills the answers are not those of a whole load", killed)
			}
		}
		if killed == 0 {
			t.Error("no load was killed before its end")
		}
		ok(t, "--db", db.URL, "load", "schools", "--partner", "p", "feed")
		if got := everything(t, db.URL); got != want {
			t.Errorf("after %d kills and a whole load the answers differ:\n got %s\nwant %s", killed, got, want)
		}
	})
}

// everything serves a database and returns the first pages of all routes.
func everything(t *testing.T, url string) string {
	t.Helper()
	key, id := apiKey(t, ok(t, "--db", url, "key", "issue", "schools", "--partner", "p", "--network", "rede-1"))
	defer func() { ok(t, "--db", url, "key", "revoke", id) }()
	var all strings.Builder
	whileServing(t, []string{"--db", url, "serve", "--addr", "127.0.0.1:0", "--schools-rate", "0"}, `"addr":"`, func(lines string) {
		_, addr, _ := strings.Cut(lines, `"addr":"`)
		addr, _, _ = strings.Cut(addr, `"`)
		for _, route := range []string{"users?pageSize=1000", "engagements?startDate=2026-01-01&endDate=2026-12-31&pageSize=1000", "readings?startDate=2026-01-01&endDate=2026-12-31&pageSize=1000"} {
			for page := 1; page <= 3; page++ {
				status, body := fetch(t, fmt.Sprintf("http://%s/api-platform/schools/v1/%s&page=%d", addr, route, page), key)
				fmt.Fprintln(&all, status, body)
			}
		}
	})
	return all.String()
}
