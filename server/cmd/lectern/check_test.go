package main

import (
	"os"
	"strings"
	"testing"
)

// TestCheck tests check on a good database, as a table and as lines of JSON, and with a key file that others can read.
func TestCheck(t *testing.T) {
	loaded(t)
	table := ok(t, "check", "--deep")
	for _, want := range []string{"database ", "schema ", "disk ", "server ", "clock ", "key of the secrets ", "partner ana "} {
		if !strings.Contains(table, "\n"+want) && !strings.HasPrefix(table, want) {
			t.Errorf("check --deep has no line of %q:\n%s", want, table)
		}
	}
	lines := ok(t, "check", "--json")
	if n := strings.Count(lines, `"ok":true`); n != strings.Count(lines, "\n") || n != 6 {
		t.Errorf("check --json = %s", lines)
	}
	t.Setenv("LECTERN_SECRET_KEY", "")
	ok(t, "key", "issue", "directory", "--partner", "ana")
	if err := os.Chmod("lectern.db.key", 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := lectern(t, "check")
	if code != exitError || !strings.Contains(out, "\nWRONG: key of the secrets: lectern.db.key has mode 0644; run chmod 600 lectern.db.key;") ||
		errs != "lectern: what is wrong: 1; each line says what to do\n" {
		t.Errorf("check = %d\n%s%s", code, out, errs)
	}
	if line := fails(t, exitError, "--db", "sqlite:none.db", "check"); !strings.Contains(line, "does not exist") {
		t.Errorf("check of a missing database = %s", line)
	}
}
