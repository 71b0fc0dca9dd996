package main

import (
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestUnknownVariables holds that a variable that no command reads is warned of, and that those of other commands are not.
func TestUnknownVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{
		"LECTERN_DB": "sqlite:x.db", "LECTERN_SCHOOLS_RATE": "5", "LECTERN_SECRET_KEY": "", "LECTERN_ADMIN_ADDR": "", "LECTERN_TEST_ANY": "1", "LECTERNS": "1",
	} {
		t.Setenv(name, value)
	}
	ok(t, "migrate")
	t.Setenv("LECTERN_SCHOOL_RATE", "5")
	t.Setenv("LECTERN_COLOUR", "red")
	for _, args := range [][]string{{"migrate"}, {"migrate", "now"}} { // with wrong usage too: it may be the cause
		_, _, errs := lectern(t, args...)
		if strings.Count(errs, "warning") != 2 ||
			!strings.Contains(errs, "lectern: warning: LECTERN_SCHOOL_RATE is no setting and is not read; the help of each command") ||
			!strings.Contains(errs, "lectern: warning: LECTERN_COLOUR is no setting and is not read; the help of each command") {
			t.Errorf("lectern %q says %q, want a warning of two variables", args, errs)
		}
	}
}

// TestClock holds that with LECTERN_CLOCK keys live and end by that clock on both engines, that it says so, and runs.
func TestClock(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		loaded(t)
		url := "--db=" + db.URL
		at := func(time string, args ...string) (string, string) {
			t.Helper()
			t.Setenv("LECTERN_CLOCK", time)
			code, out, errs := lectern(t, append([]string{url}, args...)...)
			if first, rest, _ := strings.Cut(errs, "\n"); code != exitOK || !strings.HasPrefix(first, "lectern: warning: the clock") || !strings.Contains(first, time) {
				t.Fatalf("lectern %q = %d, stderr %q, want a warning of the clock", args, code, errs)
			} else {
				return out, rest
			}
			return "", ""
		}
		const before, last, after = "2031-05-01T10:00:00-03:00", "2031-05-31T23:59:00-03:00", "2031-06-01T00:00:00-03:00"
		at(before, "partner", "create", "ana", "--name", "Ana")
		at(before, "load", "schools", "--partner", "ana", "feed")
		out, _ := at(before, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1", "--expires", "2031-05-31")
		key, _ := apiKey(t, out)
		if out, _ := at(before, "key", "list"); !strings.Contains(out, "2031-05-01T13:00Z") || !strings.Contains(out, "live") {
			t.Errorf("keys = %s, want one made at %s", out, before)
		}
		for _, tt := range []struct {
			clock  string
			status int
		}{{before, 200}, {last, 200}, {after, 401}} {
			t.Setenv("LECTERN_CLOCK", tt.clock)
			whileServing(t, []string{url, "serve", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
				status, body := fetch(t, servedAt(t, lines)+"/api-platform/schools/v1/engagements?pageSize=1", key)
				if status != tt.status {
					t.Errorf("at %s a key to 2031-05-31 gets %d %s, want %d", tt.clock, status, body, tt.status)
				}
				if status == 200 && !strings.Contains(body, `"endDate":"`+tt.clock[:len("2031-05-31")]+`"`) {
					t.Errorf("at %s the period ends otherwise: %s", tt.clock, body)
				}
			})
		}
	})
	t.Setenv("LECTERN_CLOCK", "tomorrow")
	t.Chdir(t.TempDir())
	if line := fails(t, exitError, "migrate"); !strings.Contains(line, "LECTERN_CLOCK") || !strings.Contains(line, "2026-11-21T16:59:50-03:00") {
		t.Errorf("a malformed clock says %q, want how to write it", line)
	}
}

// TestClockRunsOn: a server whose clock was started just before midnight crosses it, and the hour, by itself: the periods end
// on the new day, and facts that wait for the hour hold. With such a clock any keep will do.
func TestClockRunsOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		loaded(t)
		const last, first = "2031-05-31", "2031-06-01"
		midnight := time.Date(2031, 6, 1, 3, 0, 0, 0, time.UTC)
		t.Setenv(clockVariable, midnight.Add(-time.Minute).Format(time.RFC3339))
		with := func(args ...string) []string { return append([]string{"--db", db.URL}, args...) }
		must := func(args ...string) string {
			t.Helper()
			code, out, errs := lectern(t, with(args...)...)
			if code != exitOK {
				t.Fatalf("lectern %q = %d %s", args, code, errs)
			}
			return out
		}
		must("partner", "create", "ana", "--name", "Ana")
		must("load", "schools", "--partner", "ana", "feed")
		key, _ := apiKey(t, must("key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
		waits := func() (n int) {
			t.Helper()
			if err := db.NewRaw(`SELECT count(*) FROM versions WHERE next_facts > 0`).Scan(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		serve := with("serve", "--addr", "127.0.0.1:0", "--schools-rate", "0", "--keep", "1s")
		before := 0
		// A server that does not answer before midnight started too late: the next one has twice the time.
		for lead := 500 * time.Millisecond; before == 0; lead *= 2 {
			if _, err := db.NewRaw(`UPDATE versions SET next_facts = facts + 5, next_from = ?`, midnight.UnixMicro()).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Setenv(clockVariable, midnight.Add(-lead).Format(time.RFC3339Nano))
			whileServing(t, serve, servingLine, func(lines string) {
				url := servedAt(t, lines) + "/api-platform/schools/v1/engagements?pageSize=1"
				for {
					waiting := waits()
					status, body := fetch(t, url, key)
					if status == 200 && strings.Contains(body, `"endDate":"`+first+`"`) {
						break
					}
					if before++; status != 200 || !strings.Contains(body, `"endDate":"`+last+`"`) || waiting != 1 {
						t.Fatalf("before midnight: %d %s, %d wait", status, body, waiting)
					}
				}
			})
			if waits() != 0 {
				t.Errorf("%d wait for an hour that has passed", waits())
			}
		}
		if keep, err := server.Snapshots(db, nil).Retention(t.Context()); err != nil || keep != time.Second {
			t.Errorf("keep = %v, %v, want 1s", keep, err)
		}
		t.Setenv(clockVariable, "")
		for _, short := range []string{"1s", "14m59s"} {
			if line := fails(t, exitError, with("serve", "--keep", short)...); !strings.Contains(line, "--keep") || !strings.Contains(line, "15m") {
				t.Errorf("serve --keep %s says %q, want the least", short, line)
			}
		}
		for _, bad := range []string{"0s", "2"} {
			if line := fails(t, exitUsage, with("serve", "--keep", bad)...); !strings.Contains(line, "--keep") {
				t.Errorf("serve --keep %s says %q, want how to write it", bad, line)
			}
		}
	})
}
