package main

import (
	"os"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// loadedLibrary is like loaded for a library network, and returns the output of the load.
func loadedLibrary(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	ok(t, "library", "create", "rede-1", "--name", "Rede")
	generated(t, "libraries", "feed", generate.Params{Users: 50, Days: 5})
	return ok(t, "load", "libraries", "--library", "rede-1", "feed") // the first load takes effect at once
}

func TestLibraryCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, want := ok(t, "library", "create", "rede-1", "--name", "Rede & Cia"), `{"tenant":1,"slug":"rede-1","name":"Rede & Cia"}`+"\n"; got != want {
		t.Errorf("library create = %q, want %q", got, want)
	}
	ok(t, "partner", "create", "rede-1", "--name", "a partner of that name is another tenant")
	if got := ok(t, "library", "create", "rede-2", "--name", "Rede"); !strings.HasPrefix(got, `{"tenant":3,`) {
		t.Errorf("second network = %q, want tenant 3", got)
	}
}

func TestLibrariesErrorsSayWhatToDo(t *testing.T) {
	loadedLibrary(t)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"library", "create", "rede-1", "--name", "Rede"}, "choose another slug"},
		{[]string{"library", "create", "Rede_1", "--name", "Rede"}, "give 1 to 63 characters"},
		{[]string{"library", "create", "rede-2", "--name", " "}, "give 1 to 255 characters"},
		{[]string{"load", "libraries", "--library", "rede-9", "feed"}, "lectern library create"},
		{[]string{"load", "libraries", "--library", "rede-1", "nowhere"}, "nowhere"},
		{[]string{"load", "libraries", "--library", "rede-1", "feed", "--db", "sqlite:missing.db"}, "lectern migrate"},
		{[]string{"key", "issue", "libraries", "--library", "rede-9"}, "lectern library create"},
		{[]string{"key", "issue", "libraries", "--library", "rede-1", "--expires", "2020-01-01"}, "later day"},
		{[]string{"serve", "--analytics-url", "analytics.example"}, "http://"},
	}
	for _, tt := range tests {
		if line := fails(t, exitError, tt.args...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %q says %q, want it to say %q", tt.args, line, tt.want)
		}
	}
}

func TestLibrariesWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := [][]string{
		{"library", "create", "rede-1"},
		{"library", "create", "--name", "Rede"},
		{"key", "issue", "libraries"},
		{"load", "libraries", "feed"},
		{"serve", "--libraries-rate=-1"},
		{"serve", "--libraries-history", "2026-02-30"},
		{"serve", "--users-queue", "2,16"},
		{"serve", "--users-queue", "0,16,5s"},
		{"serve", "--trusted-proxies", "proxy.example"},
		{"serve", "--legacy-prefix", "rede"},
		{"serve", "--legacy-prefix", "/rede", "--legacy-prefix", "/api-platform"},
	}
	for _, args := range tests {
		fails(t, exitUsage, args...)
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("wrong usage left %v behind, want nothing", files)
	}
}

func TestLibrariesDropUsage(t *testing.T) {
	for args, want := range map[string]string{
		"": "<folder>", "--drop feed": "--drop", "--drop --now": "--drop", "--drop --check": "--drop",
	} {
		line := fails(t, exitUsage, append([]string{"load", "libraries", "--library", "rede-1"}, strings.Fields(args)...)...)
		if !strings.Contains(line, want) {
			t.Errorf("load libraries %s = %q, want it to name %s", args, line, want)
		}
	}
}
