package main

import (
	"encoding/base64"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestComplete(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"", "serve demo migrate partner library key sign load work generate check forget degrees status export backup completion"},
		{"ba", "backup"},
		{"key ", "issue list rotate revoke"},
		{"key issue ", "directory schools libraries"},
		{"key issue schools --n", "--network"},
		{"key issue schools --network rede-1 --p", "--partner"},
		{"--db sqlite:x.db key r", "rotate revoke"},
		{"--db ", ""},
		{"export schools --format ", "csv ndjson"},
		{"export schools --format = n", "ndjson"},
		{"load libraries --now ", ""}, // a switch has no value; a folder follows
		{"load libraries --now --l", "--library --libraries-history"},
		{"serve --log-level ", "debug info warn error disabled"},
		{"serve --log-level = d", "debug disabled"},
		{"completion ", "bash zsh fish"},
		{"serve --help ", ""},
		{"brew ", ""},
	} {
		args := append([]string{"complete", "--"}, strings.Split(tt.words, " ")...)
		var got []string
		for line := range strings.Lines(ok(t, args...)) {
			word, help, _ := strings.Cut(line, "\t")
			if got = append(got, word); strings.TrimSpace(help) == "" {
				t.Errorf("%q: %s has no explanation", tt.words, word)
			}
		}
		if tt.words == "brew " {
			continue // any answer will do for what is no command
		}
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("after %q comes %q, want %q", tt.words, got, want)
		}
	}
}

// TestCompleteFromDatabase holds that what a database has is proposed, whichever way it is named, and that one that cannot be
// asked is passed over in silence.
func TestCompleteFromDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		loaded(t)
		t.Setenv("LECTERN_SECRET_KEY", base64.StdEncoding.EncodeToString(make([]byte, 32)))
		on := func(args ...string) string { t.Helper(); return ok(t, append([]string{"--db", db.URL}, args...)...) }
		on("partner", "create", "ana", "--name", "Ana")
		on("partner", "create", "ana 2", "--name", "Ana\tDois")
		on("library", "create", "norte", "--name", "Norte")
		on("load", "schools", "--partner", "ana", "feed")
		on("key", "issue", "schools", "--partner", "ana", "--network", "rede-1") // 1-1
		on("key", "issue", "directory", "--partner", "ana")                      // 1-2
		on("key", "issue", "libraries", "--library", "norte")                    // 3-1
		on("key", "issue", "libraries", "--library", "norte")                    // 3-2
		on("key", "revoke", "3-1")
		tests := []struct {
			words []string
			want  string
		}{
			{[]string{"load", "schools", "--partner", ""}, "ana\tAna\nana 2\tAna Dois\n"},
			{[]string{"degrees", "--partner", "=", "ana "}, "ana 2\tAna Dois\n"},
			{[]string{"load", "libraries", "--library", "n"}, "norte\tNorte\n"},
			{[]string{"key", "issue", "schools", "--partner", "ana", "--network", ""}, "rede-1\t"},
			{[]string{"export", "schools", "--partner=ana", "--network", "r"}, "rede-1\t"},
			{[]string{"key", "issue", "schools", "--network", ""}, ""}, // of no partner
			{[]string{"key", "issue", "schools", "--partner", "bob", "--network", ""}, ""},
			{[]string{"key", "revoke", ""}, "1-1\tschools of ana, rede-1\n1-2\tdirectory of ana\n3-2\tlibraries of norte\n"},
			{[]string{"key", "rotate", "3"}, "3-2\tlibraries of norte\n"},
			{[]string{"sign", "--key-id", ""}, "1-2\tdirectory of ana\n"},
		}
		before, after, _ := strings.Cut(db.URL, ":")
		for _, tt := range tests {
			for _, named := range [][]string{{"--db", db.URL}, {"--db=" + db.URL}, {"--db", before, ":", after}} { // the last as bash does
				args := slices.Concat([]string{"complete", "--"}, named, tt.words)
				if got := ok(t, args...); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
					t.Errorf("after %q comes %q, want %q", args, got, tt.want)
				}
			}
		}
		t.Setenv("LECTERN_DB", db.URL)
		if got := ok(t, "complete", "--", "key", "rotate", "3"); got != "3-2\tlibraries of norte\n" {
			t.Errorf("with LECTERN_DB comes %q, want the key of that database", got)
		}
	})
	t.Chdir(t.TempDir())
	for _, url := range []string{"sqlite:none.db", "mysql:x", "postgres://nobody@127.0.0.1:1/none", "sqlite:nowhere/x.db"} {
		if got := ok(t, "complete", "--", "--db", url, "key", "revoke", ""); got != "" {
			t.Errorf("of the database %s comes %q, want nothing", url, got)
		}
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("completion left %v behind, want nothing", files)
	}
}

// TestCompletionInBash lets bash complete with the script.
func TestCompletionInBash(t *testing.T) {
	t.Setenv(asCommand, "1")
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "lectern")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	script := ok(t, "completion", "bash") + `
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_lectern lectern
	echo "${COMPREPLY[*]}"
}
try lectern key ""
try lectern sta
try lectern export schools --format = n
try lectern load schools ""
lectern partner create "a b" --name A
try lectern load schools --partner ""
`
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	if want := "issue list rotate revoke\nstatus\nndjson\n\n" + `{"tenant":1,"referenceId":"a b","name":"A"}` + "\na\\ b\n"; err != nil || string(out) != want {
		t.Errorf("bash = %q, %v, want %q", out, err, want)
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := ok(t, "completion", shell); !strings.Contains(out, " complete -- ") {
			t.Errorf("script of %s = %q, want it to ask lectern complete", shell, out)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}} {
		fails(t, exitUsage, args...)
	}
}

// TestHelpFits: the help of every command is short enough for a screen, explains each of its flags, and is named by what
// wrong usage of it says.
func TestHelpFits(t *testing.T) {
	var c commands
	parser, err := newParser(&c, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, leaf := range parser.Model.Leaves(true) {
		count++
		words := slices.DeleteFunc(strings.Fields(leaf.Path()), func(w string) bool { return strings.ContainsAny(w, "<[") })
		most := 40
		if words[0] == "serve" || words[0] == "demo" {
			most = 50 // they have more settings than any other
		}
		out := ok(t, append(words, "--help")...)
		if n := strings.Count(out, "\n"); n > most {
			t.Errorf("the help of %q has %d lines, want %d at most", words, n, most)
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 82 {
				t.Errorf("the help of %q has a line of %d characters: %s", words, n, line)
			}
		}
		for line := range strings.Lines(leaf.Detail) {
			if example, is := strings.CutPrefix(line, "  "); is && !strings.Contains(out, "\n    "+example) {
				t.Errorf("the help of %q does not keep the indent of %q", words, line)
			}
		}
		for _, f := range leaf.Flags {
			if f.Help == "" {
				t.Errorf("--%s of %q is not explained", f.Name, words)
			}
		}
		if line := fails(t, exitUsage, append(words, "--no-such-flag")...); !strings.Contains(line, "see lectern "+strings.Join(words, " ")+" --help") {
			t.Errorf("wrong usage of %q says %q, want it to name the command's help", words, line)
		}
	}
	if count < 20 {
		t.Errorf("%d commands, want all", count)
	}
	if n := strings.Count(ok(t), "\n"); n > 40 {
		t.Errorf("the help has %d lines, want 40 at most", n)
	}
}
