package main

import (
	"strings"
	"testing"
)

// TestUsageSays holds what is said of wrong usage: what was wrong, the values that can be, and the help that tells more.
func TestUsageSays(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ line, want string }{
		{"brew", `"brew" is no command; choose serve, demo, migrate, partner,`},
		{"serv", `"serv" is no command; is serve meant?; see lectern --help`},
		{"partner", "a command must follow: create; see lectern partner --help"},
		{"key issue", "a command must follow: directory, schools or libraries; see lectern key issue --help"},
		{"partner create ana", "this needs --name NAME; see lectern partner create --help"},
		{"partner create --name Ana", "this needs <ref>; see lectern partner create --help"},
		{"key issue schools", "this needs --network REF and --partner REF; see"},
		{"backup a b", `"b" is too much: this takes <file> alone; see`},
		{"migrate now", `"now" is too much: this takes no arguments; see`},
		{"serve --colour red", "there is no flag --colour here; see lectern serve --help"},
		{"serve --schools-rat 3", "there is no flag --schools-rat here; is --schools-rate meant?; see"},
		{"serve --schools-rate many", `--schools-rate: "many" is no whole number; give 0 or more; see`},
		{"serve --schools-rate=-1", `--schools-rate: "-1" is no whole number; give 0 or more; see`},
		{"serve --libraries-rate 1.5", `--libraries-rate: "1.5" is no whole number; give 0 or more; see`},
		{"serve --directory-rate 9223372036854775808", `--directory-rate: "9223372036854775808" is too large; see`},
		{"serve --schools-rate -1", "--schools-rate needs a value, and -1 is none; see"},
		{"serve --addr", "--addr needs a value; see"},
		{"serve --log-level loud", `--log-level: "loud" is no level; choose debug, info, warn, error or disabled; see`},
		{"serve --schools-history 2026-02-30", "in the form YYYY-MM-DD; see"},
		{"serve --users-queue 3", "such as 2,16,5s; see"},
		{"serve --debug-signatures=5", `--debug-signatures is true or false, not "5"; see`},
		{"generate schools f --format xml", `--format is ndjson or csv, not "xml"; see`},
		{"generate schools f --compress zip", `--compress is gz or zst, not "zip"; see`},
		{"generate schools f --seed 18446744073709551616", `--seed: "18446744073709551616" is too large; see`},
		{"completion tcsh", `<shell> is bash, zsh or fish, not "tcsh"; see`},
		{"forget --partner ana ten", `"ten" is no userId; give the number that the reports show, such as 4711`},
		{"forget --partner ana 1.5", `"1.5" is no userId; give the number`},
		{"forget --partner ana 0", `"0" is no userId; give the number`},
		{"forget --partner ana -- -3", `"-3" is no userId; give the number`},
		{"forget --partner ana 9223372036854775808", `"9223372036854775808" is no userId; give the number`},
		{"key rotate 1-1 --grace week", `--grace: "week" is no duration such as 7d, 12h or 30m; see`},
	} {
		if line := fails(t, exitUsage, strings.Fields(tt.line)...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %s says %q, want %q", tt.line, line, tt.want)
		}
	}
	t.Setenv("LECTERN_SCHOOLS_RATE", "many")
	if line := fails(t, exitUsage, "serve"); !strings.Contains(line, "give 0 or more (from LECTERN_SCHOOLS_RATE); see") {
		t.Errorf("a wrong variable says %q, want it named", line)
	}
}

// TestRatesAreAnyNumber holds that a rate may be as large as a number gets.
func TestRatesAreAnyNumber(t *testing.T) {
	loaded(t)
	key, _ := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	for _, rate := range []string{"65536", "9223372036854775807"} {
		whileServing(t, []string{"serve", "--addr", "127.0.0.1:0", "--schools-rate", rate, "--libraries-rate", rate, "--directory-rate", rate}, servingLine, func(lines string) {
			if status, body := fetch(t, servedAt(t, lines)+"/api-platform/schools/v1/users", key); status != 200 {
				t.Errorf("with a rate of %s = %d %s, want 200", rate, status, body)
			}
		})
	}
}

// TestSecretBeginsWithHyphen holds that a secret is taken as it was printed, whatever it begins with.
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
