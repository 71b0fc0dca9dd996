package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestGenerateLibrariesLoads holds that a generated feed loads without a bad row, and that a second load finds nothing new.
func TestGenerateLibrariesLoads(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "library", "create", "rede", "--name", "Rede")
	for _, format := range []string{"ndjson", "csv"} { // the same rows
		var wrote map[string]int
		if err := json.Unmarshal([]byte(ok(t, "generate", "libraries", format, "--users", "300", "--days", "60", "--format", format)), &wrote); err != nil {
			t.Fatal(err)
		}
		var totals map[string]json.RawMessage
		if err := json.Unmarshal([]byte(ok(t, "load", "libraries", "--library", "rede", "--now", format)), &totals); err != nil {
			t.Fatal(err)
		}
		for resource, rows := range wrote {
			var n struct{ Rows, Superseded, BeforeHistory, Bad int }
			if err := json.Unmarshal(totals[resource], &n); err != nil || n.Rows != rows || n.Superseded+n.BeforeHistory+n.Bad > 0 {
				t.Errorf("load of %s = %s, want %d rows, all of them good", resource, totals[resource], rows)
			}
		}
		if isNew := string(totals["newEvents"]) != "0"; isNew != (format == "ndjson") {
			t.Errorf("load of the feed as %s has %s new events", format, totals["newEvents"])
		}
	}
}

func TestGenerateLibrariesUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, flags := range [][]string{{"--users", "0"}, {"--days", "0"}, {"--titles", "-1"}, {"--format", "xml"}, {"--compress", "zip"}} {
		if line := fails(t, exitUsage, append([]string{"generate", "libraries", "feed"}, flags...)...); !strings.Contains(line, flags[0]) {
			t.Errorf("generate libraries %v says %q, want it to name %s", flags, line, flags[0])
		}
	}
}

// TestGenerateDaysThatAreOver holds that no feed is of days that are yet to come.
func TestGenerateDaysThatAreOver(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kind := range []string{"schools", "libraries"} {
		if line := fails(t, exitError, "generate", kind, "feed", "--first", "2999-01-01"); !strings.Contains(line, "2999-01-01 is not over yet; choose an earlier one with --first") {
			t.Errorf("generate %s of days that are yet to come says %q", kind, line)
		}
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("generate of days that are yet to come left %v", files)
	}
}
