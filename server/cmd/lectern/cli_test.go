package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// lectern runs one command in the test's process, and returns its exit code and what it wrote.
func lectern(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// ok runs a command that must succeed and write nothing to stderr, and returns its output.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := lectern(t, args...)
	if code != exitOK || errs != "" {
		t.Fatalf("lectern %q = %d, stderr %q, want 0 and none", args, code, errs)
	}
	return out
}

// fails runs a command that must fail with one line on stderr and nothing on stdout, and returns the line.
func fails(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, out, errs := lectern(t, args...)
	if code != want || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "lectern: ") {
		t.Fatalf("lectern %q = %d, stdout %q, stderr %q, want %d and one line on stderr", args, code, out, errs, want)
	}
	return errs
}

// apiKey returns the key and its id from the output of a command that issues a key.
func apiKey(t *testing.T, out string) (text, id string) {
	t.Helper()
	m := regexp.MustCompile(`^\{"apiKey":"((\d+-\d+)-[A-Za-z0-9_-]{43})"\}\n$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("key issued as %q, want {\"apiKey\":\"…\"} on a line", out)
	}
	return m[1], m[2]
}

// loaded changes to a new folder with a database, which has a partner with a small loaded feed.
func loaded(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	generated(t, "schools", "feed", generate.Params{Users: 20, Days: 3})
	ok(t, "load", "schools", "--partner", "ana", "feed")
}

// generated generates a feed of schools or libraries in a folder.
func generated(t *testing.T, kind, folder string, p generate.Params) {
	t.Helper()
	write := generate.Schools
	if kind == "libraries" {
		write = generate.Libraries
	}
	p.Seed = max(p.Seed, 1)
	if _, err := write(t.Context(), folder, p); err != nil {
		t.Fatal(err)
	}
}

func TestHelp(t *testing.T) {
	none, help := ok(t), ok(t, "--help")
	for line, want := range map[string]string{"help": help, "help serve": ok(t, "serve", "--help"), "help key issue": ok(t, "key", "issue", "--help")} {
		if got := ok(t, strings.Fields(line)...); got != want {
			t.Errorf("lectern %s = %s\nwant %s", line, got, want)
		}
	}
	if none != help || !strings.Contains(help, "load schools") || !strings.Contains(help, "LECTERN_DB") {
		t.Errorf("help = %s\nwithout arguments = %s\nwant one text with all commands and variables", help, none)
	}
	if out := ok(t, "serve", "--help"); !strings.Contains(out, "--schools-rate") || !strings.Contains(out, "LECTERN_SCHOOLS_RATE") {
		t.Errorf("help of serve = %s, want its flags and variables", out)
	}
	if out := ok(t, "--version"); !strings.HasPrefix(out, "lectern ") || strings.Count(out, "\n") != 1 {
		t.Errorf("version = %q, want one line", out)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := [][]string{
		{"brew"},
		{"partner"},
		{"partner", "create", "ana"},
		{"partner", "create", "--name", "Ana"},
		{"serve", "--colour", "red"},
		{"serve", "--schools-rate", "many"},
		{"serve", "--schools-rate", "0x10"},
		{"serve", "--libraries-rate", "4294967296"},
		{"load", "all", "feeds", "--jobs", "0b10"},
		{"serve", "--schools-rate=-1"},
		{"serve", "--schools-history", "2026-02-30"},
		{"serve", "--log-level", "loud"},
		{"key", "issue", "schools", "--partner", "ana"},
		{"key", "issue", "schools", "--partner", "ana", "--network", "n", "--expires", "tomorrow"},
		{"key", "rotate", "1-1", "--grace", "a week"},
		{"key", "rotate", "1-1", "--grace", "-1h"},
		{"load", "schools", "feed"},
	}
	for _, args := range tests {
		fails(t, exitUsage, args...)
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("wrong usage left %v behind, want nothing", files)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	loaded(t)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"partner", "create", "ana", "--name", "Ana"}, "choose another reference"},
		{[]string{"partner", "create", "..", "--name", "Ana"}, "give 1 to 255 characters"},
		{[]string{"load", "schools", "--partner", "bob", "feed"}, "lectern partner create"},
		{[]string{"load", "schools", "--partner", "ana", "nowhere"}, "nowhere"},
		{[]string{"key", "issue", "schools", "--partner", "bob", "--network", "rede-1"}, "lectern partner create"},
		{[]string{"key", "issue", "schools", "--partner", "ana", "--network", "rede-9"}, "load a feed"},
		{[]string{"key", "issue", "schools", "--partner", "ana", "--network", "rede-1", "--expires", "2020-01-01"}, "later day"},
		{[]string{"key", "revoke", "1-99"}, "lectern key list"},
		{[]string{"key", "revoke", "x"}, "lectern key list"},
		{[]string{"key", "rotate", "1-99"}, "lectern key list"},
		{[]string{"key", "list", "--db", "sqlite:missing.db"}, "lectern migrate"},
		{[]string{"migrate", "--db", "mysql:x"}, "sqlite:FILE or postgres://"},
		{[]string{"serve", "--addr", "nowhere:-1"}, "--addr"},
	}
	for _, tt := range tests {
		if line := fails(t, exitError, tt.args...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %q says %q, want it to say %q", tt.args, line, tt.want)
		}
	}
	if _, err := os.Stat("missing.db"); err == nil {
		t.Error("key list created the database that it did not find")
	}
}

func TestMigrate(t *testing.T) {
	t.Chdir(t.TempDir())
	if out := ok(t, "migrate"); !strings.Contains(out, "applied 20") || !strings.Contains(out, "_schools\n") {
		t.Errorf("first migrate = %q, want the migrations by name", out)
	}
	if out := ok(t, "migrate"); out != "the schema is up to date\n" {
		t.Errorf("second migrate = %q", out)
	}
	if _, err := os.Stat("lectern.db"); err != nil {
		t.Errorf("the default database: %v", err)
	}
}

func TestSettingsFromEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("LECTERN_DB", "sqlite:env.db")
	t.Setenv("LECTERN_NAME", "Ana")
	ok(t, "partner", "create", "ana")
	ok(t, "migrate", "--db", "sqlite:flag.db")
	for _, file := range []string{"env.db", "flag.db"} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%v: want the database that the variable names, or the flag if it is given", err)
		}
	}
	if _, err := os.Stat("lectern.db"); err == nil {
		t.Error("the default database was created despite LECTERN_DB")
	}
}

func TestPartnerCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, want := ok(t, "partner", "create", "ana", "--name", "Ana & Cia"), `{"tenant":1,"referenceId":"ana","name":"Ana & Cia"}`+"\n"; got != want {
		t.Errorf("partner create = %q, want %q", got, want)
	}
	if got := ok(t, "partner", "create", "bob", "--name", "Bob"); !strings.HasPrefix(got, `{"tenant":2,`) {
		t.Errorf("second partner = %q, want tenant 2", got)
	}
}

func TestLoadSkipBad(t *testing.T) {
	loaded(t)
	bad := filepath.Join(t.TempDir(), "feed")
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	row := `{"accessId":"x","account":"nobody","at":"2026-01-02T10:00:00Z","kind":"login"}`
	if err := os.WriteFile(filepath.Join(bad, "accesses.ndjson"), []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	if line := fails(t, exitError, "load", "schools", "--partner", "ana", bad); !strings.Contains(line, "accesses.ndjson line 1") {
		t.Errorf("a bad row = %q, want its file and line", line)
	}
	ok(t, "load", "schools", "--partner", "ana", "--skip-bad", "bad.txt", bad)
	if report, err := os.ReadFile("bad.txt"); err != nil || !strings.Contains(string(report), "accesses.ndjson line 1") {
		t.Errorf("report = %q, %v, want the row", report, err)
	}
}

func TestInterrupted(t *testing.T) {
	loaded(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"load", "schools", "--partner", "ana", "feed"}, &out, &errs); code != exitError || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("load when interrupted = %d, %q, want 1 and an error that says so", code, errs.String())
	}
}
