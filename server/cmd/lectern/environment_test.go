package main

import (
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestUnknownVariables tests that commands warn of variables that no command reads, but not of those of other commands.
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
	for _, args := range [][]string{{"migrate"}, {"migrate", "now"}} { // with wrong usage too: the unknown variable may be its cause
		_, _, errs := lectern(t, args...)
		if strings.Count(errs, "warning") != 2 ||
			!strings.Contains(errs, "lectern: warning: LECTERN_SCHOOL_RATE is no setting and is not read; the help of each command") ||
			!strings.Contains(errs, "lectern: warning: LECTERN_COLOUR is no setting and is not read; the help of each command") {
			t.Errorf("lectern %q says %q, want warnings about two variables", args, errs)
		}
	}
}

// TestClock tests on both engines that keys expire by LECTERN_CLOCK, and that each command warns of it.
func TestClock(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		loaded(t)
		url := "--db=" + db.URL
		at := func(time string, args ...string) (string, string) {
			t.Helper()
			t.Setenv("LECTERN_CLOCK", time)
			code, out, errs := lectern(t, append([]string{url}, args...)...)
			if first, rest, _ := strings.Cut(errs, "\n"); code != exitOK || !strings.HasPrefix(first, "lectern: warning: the clock") || !strings.Contains(first, time) {
				t.Fatalf("lectern %q = %d, stderr %q, want a warning about the clock", args, code, errs)
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
			t.Errorf("keys = %s, want one created at %s", out, before)
		}
		for _, tt := range []struct {
			clock  string
			status int
		}{{before, 200}, {last, 200}, {after, 401}} {
			t.Setenv("LECTERN_CLOCK", tt.clock)
			whileServing(t, []string{url, "serve", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
				status, body := fetch(t, servedAt(t, lines)+"/api-platform/schools/v1/engagements?pageSize=1", key)
				if status != tt.status {
					t.Errorf("at %s a key that expires 2031-05-31 gets %d %s, want %d", tt.clock, status, body, tt.status)
				}
				if status == 200 && !strings.Contains(body, `"endDate":"`+tt.clock[:len("2031-05-31")]+`"`) {
					t.Errorf("at %s the period ends on another day: %s", tt.clock, body)
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

// TestKeepLimits tests that serve refuses a --keep of less than 15 minutes.
func TestKeepLimits(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "migrate")
	for _, short := range []string{"1s", "14m59s"} {
		if line := fails(t, exitError, "serve", "--keep", short); !strings.Contains(line, "--keep") || !strings.Contains(line, "15m") {
			t.Errorf("serve --keep %s says %q, want the minimum", short, line)
		}
	}
	for _, bad := range []string{"0s", "2"} {
		if line := fails(t, exitUsage, "serve", "--keep", bad); !strings.Contains(line, "--keep") {
			t.Errorf("serve --keep %s says %q, want how to write it", bad, line)
		}
	}
}
