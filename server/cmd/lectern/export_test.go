package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// exportedRows reads what an export prints.
func exportedRows(t *testing.T, out string) map[string]int {
	t.Helper()
	var e struct {
		Rows    map[string]int
		Version string
	}
	if err := json.Unmarshal([]byte(out), &e); err != nil || !strings.Contains(e.Version, ".") || strings.Count(out, "\n") != 1 {
		t.Fatalf("export = %q (%v), want one line of JSON with a version", out, err)
	}
	return e.Rows
}

// checkFiles checks that a folder has a file with so many lines for each that the export names.
func checkFiles(t *testing.T, dir, ending string, head int, rows map[string]int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(rows) {
		t.Errorf("%s holds %v, %v, want %v", dir, entries, err, rows)
	}
	for name, n := range rows {
		data, err := os.ReadFile(dir + "/" + name + ending)
		if err != nil || strings.Count(string(data), "\n") != n+head {
			t.Errorf("%s%s has %d lines, %v, want %d", name, ending, strings.Count(string(data), "\n"), err, n+head)
		}
	}
}

func TestExport(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		with := func(args ...string) []string { return append([]string{"--db", db.URL}, args...) }
		ok(t, with("partner", "create", "ana", "--name", "Ana")...)
		ok(t, with("library", "create", "rede", "--name", "Rede")...)
		ok(t, "generate", "schools", "sf", "--users", "20", "--days", "3")
		ok(t, "generate", "libraries", "lf", "--users", "40", "--days", "10")
		ok(t, with("load", "schools", "--partner", "ana", "sf")...)
		ok(t, with("load", "libraries", "--library", "rede", "lf")...)

		whole := exportedRows(t, ok(t, with("export", "schools", "--partner", "ana", "s")...))
		checkFiles(t, "s", ".csv", 1, whole)
		part := exportedRows(t, ok(t, with("export", "schools", "--partner", "ana", "--network", "rede-1", "--format", "ndjson", "n")...))
		checkFiles(t, "n", ".ndjson", 0, part)
		if whole["users"] < 10 || part["users"] != whole["users"] {
			t.Errorf("users = %d, of the one network %d, want all of them", whole["users"], part["users"])
		}
		checkFiles(t, "l", ".csv", 1, exportedRows(t, ok(t, with("export", "libraries", "--library", "rede", "l")...)))
	})
}

func TestExportErrors(t *testing.T) {
	loaded(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"export", "schools", "--partner", "ana", "feed"}, "an empty one"},
		{[]string{"export", "schools", "--partner", "ana", "none/out"}, "create the folder above it"},
		{[]string{"export", "schools", "--partner", "bob", "out"}, "lectern partner create"},
		{[]string{"export", "schools", "--partner", "ana", "--network", "rede-9", "out"}, "directory API"},
		{[]string{"export", "libraries", "--library", "bob", "out"}, "lectern library create"},
		{[]string{"export", "libraries", "--library", "bob", "out", "--db", "sqlite:missing.db"}, "lectern migrate"},
	} {
		if line := fails(t, exitError, tt.args...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %q says %q, want it to say %q", tt.args, line, tt.want)
		}
	}
	fails(t, exitUsage, "export", "schools", "--partner", "ana")
	fails(t, exitUsage, "export", "schools", "--partner", "ana", "out", "--format", "xml")
	if _, err := os.Stat("out"); err == nil {
		t.Error("an export that failed left its folder")
	}
}
