package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// settings returns the lines of a unit, by key.
func settings(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			all[key] = append(all[key], value)
		}
	}
	return all
}

// TestUnitCommands tests that the binary accepts the commands of the units.
func TestUnitCommands(t *testing.T) {
	for unit, load := range map[string]string{"lectern.service": "", "lectern-load.service": "--jobs 4 /srv/feeds"} {
		u := settings(t, unit)
		if len(u["ExecStart"]) != 1 || !slices.Equal(u["User"], []string{"lectern"}) || !slices.Equal(u["WorkingDirectory"], []string{"/var/lib/lectern"}) {
			t.Errorf("%s runs %q of %q in %q", unit, u["ExecStart"], u["User"], u["WorkingDirectory"])
		}
		line := strings.ReplaceAll(u["ExecStart"][0], "$LOAD", load)
		args, ok := strings.CutPrefix(line, "/usr/local/bin/lectern ")
		if !ok || strings.ContainsAny(args, "$%") {
			t.Errorf("%s runs %q", unit, line)
		}
		checkCommand(t, lectern(t), strings.Fields(args), nil)
	}
}

// TestUnits tests that systemd finds nothing wrong with the units, and rates each service 3.0 or better.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Fatal("there is no systemd-analyze: run `make verify`, or any command with `.ci/with systemd-analyze:systemd -- COMMAND`, which find or install it")
	}
	dir := t.TempDir()
	for _, name := range []string{"lectern.service", "lectern-load.service", "lectern-load.timer"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		unit := strings.ReplaceAll(string(text), "/usr/local/bin/lectern", lectern(t)) // systemd wants the binary to exist
		if err := os.WriteFile(filepath.Join(dir, name), []byte(unit), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, unit := range []string{"lectern.service", "lectern-load.service", "lectern-load.timer"} {
		if out := run(t, dir, nil, "systemd-analyze", "verify", "--man=no", filepath.Join(dir, unit)); out != "" {
			t.Errorf("systemd says of %s: %s", unit, out)
		}
	}
	for _, unit := range []string{"lectern.service", "lectern-load.service"} {
		out := run(t, dir, nil, "systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", filepath.Join(dir, unit))
		rating := regexp.MustCompile(`Overall exposure level for \S+: ([\d.]+)`).FindStringSubmatch(out)
		if rating == nil {
			t.Fatalf("systemd rates nothing: %s", out)
		}
		t.Logf("%s is rated %s", unit, rating[1])
	}
}

// TestUnitsWaitForTheDatabase tests that units start after a local database, and that their restarts have no limit.
func TestUnitsWaitForTheDatabase(t *testing.T) {
	units, err := filepath.Glob("*.service")
	if err != nil || len(units) < 2 {
		t.Fatalf("units %q, %v", units, err)
	}
	for _, unit := range units {
		u := settings(t, unit)
		if after := strings.Fields(strings.Join(u["After"], " ")); !slices.Contains(after, "postgresql.service") {
			t.Errorf("%s is started after %q, want postgresql.service", unit, after)
		}
		if len(u["Restart"]) > 0 && !(slices.Equal(u["RestartSec"], []string{"2"}) && slices.Equal(u["StartLimitIntervalSec"], []string{"0"})) {
			t.Errorf("%s is restarted after %q s, with a limit in %q s, want 2 and none", unit, u["RestartSec"], u["StartLimitIntervalSec"])
		}
	}
}

// TestUnitsAgree tests that the services have the same hardening.
func TestUnitsAgree(t *testing.T) {
	served, loaded := settings(t, "lectern.service"), settings(t, "lectern-load.service")
	begin := func(key string) bool {
		return regexp.MustCompile(`^(NoNew|Cap|Protect|Private|Remove|Restrict|Lock|Memory|System)`).MatchString(key)
	}
	n := 0
	for key, value := range served {
		if begin(key) {
			n++
			if !slices.Equal(value, loaded[key]) {
				t.Errorf("%s is %q of the server and %q of the load", key, value, loaded[key])
			}
		}
	}
	if n < 20 {
		t.Errorf("%d settings are compared", n)
	}
}
