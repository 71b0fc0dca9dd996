package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// TestLoadCheck tests F7 on the command line: the exit code is 1 if a load would stop, and no load is recorded.
func TestLoadCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	generated(t, "schools", "feed", generate.Params{Users: 20, Days: 3})
	checked := ok(t, "load", "schools", "--partner", "ana", "--check", "feed")
	if out := ok(t, "status", "--json"); !strings.Contains(out, `"lastLoad":null`) {
		t.Errorf("status after a check = %s, want no load", out)
	}
	loaded := ok(t, "load", "schools", "--partner", "ana", "feed")
	var a, b map[string]any
	if json.Unmarshal([]byte(checked), &a) != nil || json.Unmarshal([]byte(loaded), &b) != nil || a["newEvents"] != b["newEvents"] || a["newEvents"] == 0. {
		t.Errorf("check = %sload = %swant JSON with the same events", checked, loaded)
	}
	if !strings.HasSuffix(checked, `"check":{"bad":0,"rows":[]}}`+"\n") || strings.Contains(loaded, "check") {
		t.Errorf("check = %sload = %swant findings only of the check", checked, loaded)
	}

	bad := filepath.Join(t.TempDir(), "feed")
	writeFile(t, filepath.Join(bad, "accesses.ndjson"), `{"accessId":"x","account":"nobody","at":"2026-01-02T10:00:00Z","kind":"login"}`)
	code, out, errs := lectern(t, "load", "schools", "--partner", "ana", "--check", bad)
	if code != exitError || !strings.Contains(out, `"check":{"bad":1,"rows":["accesses.ndjson line 1: field account: does not exist: \"nobody\""]}`) ||
		!strings.Contains(errs, "1 of the feed's rows cannot be loaded") || strings.Count(errs, "\n") != 1 {
		t.Errorf("check of a bad feed = %d, %s, %s, want 1 and the row", code, out, errs)
	}
	ok(t, "load", "schools", "--partner", "ana", "--check", "--skip-bad", "bad.txt", bad)
	if report, err := os.ReadFile("bad.txt"); err != nil || string(report) != "accesses.ndjson line 1: field account: does not exist: \"nobody\"\n" {
		t.Errorf("report = %q, %v, want the row and its value", report, err)
	}
}

// TestLoadIgnore tests that the error for an unknown field says what to write, and that --ignore accepts the field.
func TestLoadIgnore(t *testing.T) {
	loaded(t)
	other := filepath.Join(t.TempDir(), "feed")
	writeFile(t, filepath.Join(other, "books.csv"), "bookId,titel,length,row no\n1,Iracema,100,1\n")
	line := fails(t, exitError, "load", "schools", "--partner", "ana", other)
	if want := "lectern: books.csv line 1: field titel: is unknown; write title (also unknown: row no); or pass over it with --ignore 'titel,row no'\n"; line != want {
		t.Errorf("load = %q, want %q", line, want)
	}
	fails(t, exitError, "load", "schools", "--partner", "ana", "--ignore", "titel", other)
	ok(t, "load", "schools", "--partner", "ana", "--ignore", "titel,row no", other)
}

// writeFile writes a file and creates its folder.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
