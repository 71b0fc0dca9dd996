package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestComplete(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"", "serve demo migrate partner library key sign load generate degrees status export backup completion"},
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

// TestCompletionInBash lets bash complete with the script.
func TestCompletionInBash(t *testing.T) {
	t.Setenv(asCommand, "1")
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
`
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	if want := "issue list rotate revoke\nstatus\nndjson\n\n"; err != nil || string(out) != want {
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
	parser, err := kong.New(&c, kong.Vars{"version": "", "history": "2026-01-01", "librariesHistory": "2026-07-21", "usersQueue": "2,16,5s"})
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
