package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// backedUp is the output of lectern backup.
type backedUp struct {
	File      string
	Bytes     int64
	SecretKey *string `json:"keepToo"`
}

// backedUpTo makes a backup and returns the output of the command.
func backedUpTo(t *testing.T, file string) (b backedUp) {
	t.Helper()
	if err := json.Unmarshal([]byte(ok(t, "backup", file)), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBackup tests that backups are consistent if the database is served and a feed is loaded at the same time. Each
// copy has the answers of the database before the load, or those after it.
func TestBackup(t *testing.T) {
	t.Chdir(t.TempDir())
	generated(t, "schools", "first", generate.Params{Users: 100, Days: 20})
	generated(t, "schools", "second", generate.Params{Users: 100, Days: 60})
	ok(t, "partner", "create", "p", "--name", "P")
	ok(t, "load", "schools", "--partner", "p", "first")
	answers := map[string]string{everything(t, "sqlite:lectern.db"): "before"}
	var copies []string
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, `"message":"serving"`, func(string) {
		loaded := make(chan string, 1)
		go func() {
			var out bytes.Buffer
			run(t.Context(), []string{"load", "schools", "--partner", "p", "second"}, &out, &out)
			loaded <- out.String()
		}()
		for done := false; !done; {
			select {
			case out := <-loaded:
				if done = true; !strings.Contains(out, `"version":"`) {
					t.Errorf("the load prints %s, want a version", out)
				}
			default:
			}
			copies = append(copies, fmt.Sprintf("copy%d.db", len(copies)))
			if b := backedUpTo(t, copies[len(copies)-1]); b.File != copies[len(copies)-1] || b.Bytes == 0 || b.SecretKey != nil {
				t.Errorf("backup prints %+v, want the file, its size and no key", b)
			}
		}
	})
	answers[everything(t, "sqlite:lectern.db")] = "after"
	if len(answers) != 2 || len(copies) < 2 {
		t.Fatalf("%d snapshots and %d copies, want at least two of each", len(answers), len(copies))
	}
	for i, file := range copies {
		snapshot := answers[everything(t, "sqlite:"+file)]
		if snapshot == "" || i == 0 && snapshot != "before" || i == len(copies)-1 && snapshot != "after" {
			t.Errorf("%s of %d copies has the answers %q, want those of the database at that time", file, len(copies), snapshot)
		}
	}
}

// TestBackupNamesTheKey tests that backup names the place of the secret key, which a copy with directory keys needs.
func TestBackupNamesTheKey(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	ok(t, "key", "issue", "directory", "--partner", "ana")
	if b := backedUpTo(t, "a.db"); b.SecretKey == nil || *b.SecretKey != "lectern.db.key" {
		t.Errorf("backup prints %+v, want the file of the key", b)
	}
	t.Setenv("LECTERN_SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if b := backedUpTo(t, "b.db"); b.SecretKey == nil || *b.SecretKey != "LECTERN_SECRET_KEY" {
		t.Errorf("backup prints %+v, want the variable of the key", b)
	}
}

func TestBackupErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "migrate")
	write(t, "there.db", "something")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"backup", "there.db"}, "name another file"},
		{[]string{"backup", "lectern.db"}, "name another file"},
		{[]string{"backup", "none/x.db"}, "create the folder"},
		{[]string{"backup", "x.db", "--db", "sqlite:missing.db"}, "lectern migrate"},
		{[]string{"backup", "it's.dump", "--db", dbtest.Postgres(t).URL}, `copy it with pg_dump --format=custom`},
	} {
		if line := fails(t, exitError, tt.args...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %q says %q, want it to say %q", tt.args, line, tt.want)
		}
	}
	if text, err := os.ReadFile("there.db"); string(text) != "something" {
		t.Errorf("the existing file = %q, %v, want no change", text, err)
	}
}

// everything serves a database and returns the first pages of three schools routes. The periods end on a past day: the
// server cuts a future end to today, which changes at midnight.
func everything(t *testing.T, url string) string {
	t.Helper()
	key, id := apiKey(t, ok(t, "--db", url, "key", "issue", "schools", "--partner", "p", "--network", "rede-1"))
	defer func() { ok(t, "--db", url, "key", "revoke", id) }()
	var all strings.Builder
	whileServing(t, []string{"--db", url, "serve", "--addr", "127.0.0.1:0", "--schools-rate", "0"}, `"addr":"`, func(lines string) {
		_, addr, _ := strings.Cut(lines, `"addr":"`)
		addr, _, _ = strings.Cut(addr, `"`)
		for _, route := range []string{"users?pageSize=1000", "engagements?startDate=2026-01-01&endDate=2026-10-31&pageSize=1000", "readings?startDate=2026-01-01&endDate=2026-10-31&pageSize=1000"} {
			for page := 1; page <= 3; page++ {
				status, body := fetch(t, fmt.Sprintf("http://%s/api-platform/schools/v1/%s&page=%d", addr, route, page), key)
				fmt.Fprintln(&all, status, body)
			}
		}
	})
	return all.String()
}
