package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// loadedLibrary prepares a folder with a database that has a library network and a small feed, and returns what the load
// printed.
func loadedLibrary(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	ok(t, "library", "create", "rede-1", "--name", "Rede")
	generated(t, "libraries", "feed", generate.Params{Users: 50, Days: 5})
	return ok(t, "load", "libraries", "--library", "rede-1", "feed") // the first: it does not wait
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

func TestLibrariesLoadIsIdempotent(t *testing.T) {
	outs := []string{loadedLibrary(t), ok(t, "load", "libraries", "--library", "rede-1", "--now", "feed")}
	type totals struct {
		NewEvents, RepeatedEvents int
		Hour, Version             string
	}
	var loads [2]totals
	for i, out := range outs {
		if err := json.Unmarshal([]byte(out), &loads[i]); err != nil || strings.Count(out, "\n") != 1 {
			t.Fatalf("load = %q (%v), want one line of JSON", out, err)
		}
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:00:00$`).MatchString(loads[i].Hour) {
			t.Errorf("hour = %q, want a full hour", loads[i].Hour)
		}
	}
	if loads[0].NewEvents == 0 || loads[1].NewEvents != 0 || loads[1].RepeatedEvents != loads[0].NewEvents+loads[0].RepeatedEvents {
		t.Errorf("two loads = %+v, want the second to repeat the first", loads)
	}
	if loads[0].Version == "" || loads[0].Version == loads[1].Version {
		t.Errorf("versions = %s, %s, want two", loads[0].Version, loads[1].Version)
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

func TestLibrariesLoadSkipBad(t *testing.T) {
	loadedLibrary(t)
	bad := filepath.Join(t.TempDir(), "feed")
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	row := `{"activityId":"x","userId":999999999,"at":"2026-07-22T10:00:00Z"}`
	if err := os.WriteFile(filepath.Join(bad, "activity.ndjson"), []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	if line := fails(t, exitError, "load", "libraries", "--library", "rede-1", "--now", bad); !strings.Contains(line, "activity.ndjson line 1") {
		t.Errorf("a bad row = %q, want its file and line", line)
	}
	ok(t, "load", "libraries", "--library", "rede-1", "--now", "--skip-bad", "bad.txt", bad)
	if report, err := os.ReadFile("bad.txt"); err != nil || !strings.Contains(string(report), "activity.ndjson line 1") {
		t.Errorf("report = %q, %v, want the row", report, err)
	}
}

// A load is done when it says from when it holds; --drop withdraws it (L1).
func TestLibrariesLoadWaits(t *testing.T) {
	loadedLibrary(t)
	t.Setenv("LECTERN_CLOCK", "2099-01-01T10:30:00-03:00")
	load := []string{"load", "libraries", "--library", "rede-1"}
	at := func(args ...string) string {
		t.Helper()
		code, out, errs := lectern(t, append(load, args...)...)
		if code != exitOK || strings.Count(errs, "\n") != 1 { // the warning of the clock
			t.Fatalf("load libraries %q = %d, stderr %q", args, code, errs)
		}
		return out
	}
	hour := func(out string) string {
		t.Helper()
		var totals struct{ Hour string }
		if err := json.Unmarshal([]byte(out), &totals); err != nil {
			t.Fatal(err)
		}
		return totals.Hour
	}
	if got := hour(at("feed")); got != "2099-01-01 11:00:00" {
		t.Errorf("a load holds from %s, want the next full hour", got)
	}
	for _, want := range []string{`{"dropped":"2099-01-01 11:00:00"}`, `{"dropped":null}`} {
		if out := at("--drop"); strings.TrimSpace(out) != want {
			t.Errorf("--drop = %s, want %s", out, want)
		}
	}
	if got := hour(at("--now", "feed")); got != "2099-01-01 10:00:00" {
		t.Errorf("a load with --now holds from %s, want the present hour", got)
	}
	t.Setenv("LECTERN_CLOCK", "")
	for args, want := range map[string]string{
		"": "<folder>", "--drop feed": "--drop", "--drop --now": "--drop", "--drop --check": "--drop",
	} {
		if line := fails(t, exitUsage, append(load, strings.Fields(args)...)...); !strings.Contains(line, want) {
			t.Errorf("load libraries %s = %q, want it to name %s", args, line, want)
		}
	}
}

func TestServeLibraries(t *testing.T) {
	loadedLibrary(t)
	key, id := apiKey(t, ok(t, "key", "issue", "libraries", "--library", "rede-1"))
	if k := listed(t)[id]; k.API != "libraries" || k.Tenant != "rede-1" || k.Network != nil || k.State != "live" {
		t.Errorf("issued key = %+v, want a live libraries key of rede-1", k)
	}
	t.Setenv("LECTERN_LEGACY_PREFIX", "/rede-antiga,/velha")
	args := []string{"serve", "--addr", "127.0.0.1:0", "--libraries-rate", "4", "--users-queue", "1,1,1s"}
	whileServing(t, args, `"message":"serving"`, func(lines string) {
		addr := regexp.MustCompile(`"addr":"([^"]+)"`).FindStringSubmatch(lines)
		for _, p := range []string{"/api-platform", "/rede-antiga", "/velha"} {
			if status, body := fetch(t, "http://"+addr[1]+p+"/libraries/v1/users?pageSize=1", key); status != 200 || !strings.Contains(body, `"totalRows":50`) {
				t.Errorf("GET users under %s = %d %s, want 50 readers", p, status, body)
			}
		}
		base := "http://" + addr[1] + "/api-platform/libraries/v1"
		if status, body := fetch(t, base+"/engagements?startDate=2026-07-21&endDate=2026-07-25", key); status != 200 || strings.Contains(body, `"rows":[]`) {
			t.Errorf("GET engagements = %d %s, want rows", status, body)
		}
		if status, _ := fetch(t, base+"/dimensions", key); status != 429 {
			t.Errorf("the fifth request of a minute = %d, want 429", status)
		}
	})
}
