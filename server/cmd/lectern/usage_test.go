package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestUsageSays tests that the error for wrong usage says what is wrong, and which help to read.
func TestUsageSays(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ line, want string }{
		{"brew", "unexpected argument brew; see lectern --help"},
		{"serv", `unexpected argument serv, did you mean "serve"?; see lectern --help`},
		{"key issue", `expected one of "directory", "schools", "libraries"; see lectern key issue --help`},
		{"partner create ana", "missing flags: --name=NAME; see lectern partner create --help"},
		{"backup a b", "unexpected argument b; see lectern backup --help"},
		{"serve --schools-rat 3", `unknown flag --schools-rat, did you mean "--schools-rate"?; see lectern serve --help`},
		{"serve --schools-rate=-1", `--schools-rate: expected a valid 32 bit uint but got "-1"; see lectern serve --help`},
		{"serve --schools-history 2026-02-30", "in the form YYYY-MM-DD; see"},
		{"serve --users-queue 3", "such as 2,16,5s; see"},
		{"forget --partner ana ten", `"ten" is no userId; give the number that the reports show, such as 4711`},
		{"forget --partner ana 0", `"0" is no userId; give the number`},
		{"forget --partner ana 0x10", `"0x10" is no userId; give the number`},
		{"forget --partner ana -- -3", `"-3" is no userId; give the number`},
		{"key rotate 1-1 --grace week", `--grace: "week" is no duration such as 7d, 12h or 30m; see`},
	} {
		if line := fails(t, exitUsage, strings.Fields(tt.line)...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %s says %q, want %q", tt.line, line, tt.want)
		}
	}
	t.Setenv("LECTERN_SCHOOLS_RATE", "many")
	if line := fails(t, exitUsage, "serve"); !strings.Contains(line, "LECTERN_SCHOOLS_RATE") {
		t.Errorf("a wrong variable says %q, want it named", line)
	}
}

// TestHelpFits tests that the help of every command fits on a screen and explains each flag. The error for wrong usage
// of the command must name it.
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
			most = 52 // they have more settings than any other
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
				t.Errorf("--%s of %q has no help", f.Name, words)
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

// TestSecretBeginsWithHyphen tests that sign takes a secret as it was printed, even if it begins with a hyphen.
func TestSecretBeginsWithHyphen(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, value := range []string{"-7ViIubf", "--7ViIubf", "7ViIubf"} {
		ok(t, "sign", "GET", "http://127.0.0.1/x", "--key-id", "1-1", "--secret", value)
		ok(t, "sign", "GET", "http://127.0.0.1/x", "--key-id", "1-1", "--secret="+value)
	}
	if line := fails(t, exitUsage, "sign", "GET", "http://127.0.0.1/x", "--key-id", "1-1", "--secret"); !strings.Contains(line, "give the secret") {
		t.Errorf("sign without a secret says %q, want what to give", line)
	}
}
