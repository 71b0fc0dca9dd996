package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// TestLoadTable is what a load says on a terminal: the files that have rows, and what stands below them.
func TestLoadTable(t *testing.T) {
	totals := schoolsload.Totals{
		Entities:  schools.Counts{Rows: 12, New: 1, Changed: 2, Unchanged: 3, Superseded: 4, Deleted: 1, Bad: 1},
		Segments:  schoolsload.Events{Rows: 1_234_567, BeforeHistory: 3, Deleted: 2, Bad: 1},
		NewEvents: 1_234_561, Version: "1.1", Seconds: 18.336, RowsPerSecond: 67_330,
	}
	const table = `  file               rows  new  changed  unchanged  superseded  skipped  bad
  entities             12    1        2          3           4        1    1
  segments      1,234,567    0        0          0           0        5    1
1,234,561 new events, 0 loaded before; version 1.1; 18.3 s, 67,330 rows/s
`
	if got := written(t, schoolsSummary(&totals)); got != table {
		t.Errorf("table =\n%s\nwant\n%s", got, table)
	}
	totals.Check = &feed.Findings{Bad: 1002, Rows: []string{"segments.ndjson line 2: field wpm: must be a number: true"}}
	const found = table + `checked, nothing was written; bad rows: 1,002
segments.ndjson line 2: field wpm: must be a number: true
… and 1,001 more; --skip-bad FILE lists all
`
	if got := written(t, schoolsSummary(&totals)); got != found {
		t.Errorf("table of a check =\n%s\nwant\n%s", got, found)
	}
	loans := librariesload.Totals{Loans: libraries.Counts{Rows: 2, BeforeHistory: 2}, Hour: "2026-08-10 13:00:00", Version: "2.2"}
	if got := written(t, librariesSummary(&loans)); !strings.Contains(got, "  loans            2    0        0          0           0        2    0\n") ||
		!strings.Contains(got, "; version 2.2, which holds from 2026-08-10 13:00:00 (Brasilia) on; ") {
		t.Errorf("table of libraries =\n%s", got)
	}
}

// written returns a summary as it is written, without the blanks at the ends of its lines.
func written(t *testing.T, sum loadSummary) string {
	t.Helper()
	var b bytes.Buffer
	if err := sum.write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123_456: "123,456", 1_234_567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

// TestLoadCheck is F7 on the command line: exit 1 where a load would stop, and no load is noted.
func TestLoadCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	ok(t, "generate", "schools", "feed", "--users", "20", "--days", "3")
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
		t.Errorf("check = %sload = %swant findings of the check alone", checked, loaded)
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

// TestLoadIgnore has what to write for a field that a file does not know.
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

// writeFile writes a file and the folder that it is in.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
