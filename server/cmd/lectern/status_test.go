package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/schools/schoolsdb"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// statuses returns the output of lectern status --json, by reference.
func statuses(t *testing.T, db string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for line := range strings.Lines(ok(t, "--db", db, "status", "--json")) {
		var st map[string]any
		if err := json.Unmarshal([]byte(line), &st); err != nil {
			t.Fatalf("status line %q: %v", line, err)
		}
		all[st["reference"].(string)] = st
	}
	return all
}

// cells joins the words of a table's line with single spaces.
func cells(line string) string { return strings.Join(strings.Fields(line), " ") }

func TestStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		url := []string{"--db", db.URL}
		with := func(args ...string) []string { return append(slices.Clone(url), args...) }
		ok(t, with("partner", "create", "ana", "--name", "Ana & Cia")...)
		ok(t, with("library", "create", "rede", "--name", "Rede")...)
		ok(t, with("partner", "create", "new", "--name", "New")...)
		generated(t, "schools", "sf", generate.Params{Users: 20, Days: 3})
		generated(t, "libraries", "lf", generate.Params{Users: 20, Days: 3})
		start := time.Now().Truncate(time.Second)
		ok(t, with("load", "schools", "--partner", "ana", "sf")...)
		ok(t, with("load", "libraries", "--library", "rede", "lf")...)
		loaded := ok(t, with("load", "libraries", "--library", "rede", "--now", "lf")...)

		all := statuses(t, db.URL)
		if len(all) != 3 {
			t.Fatalf("status = %v, want three tenants", all)
		}
		if st := all["new"]; st["lastLoad"] != nil || st["hour"] != nil || len(st["keys"].([]any)) != 0 || st["kind"] != "partner" {
			t.Errorf("a new partner = %v, want no load and no keys", st)
		}
		checkLoadStatus(t, all["ana"], start)
		checkLoadStatus(t, all["rede"], start)
		if !strings.Contains(loaded, `"hour":"`+all["rede"]["hour"].(string)+`"`) {
			t.Errorf("hour = %v, want that of the load: %s", all["rede"]["hour"], loaded)
		}
		open := fmt.Sprint(" WHERE until = ", snapshot.Open)
		blocks := func(k snapshot.Kind) string { return fmt.Sprint("blocks", open, " AND kind = ", k.Number) }
		for reference, tables := range map[string]map[string]string{
			"ana": {"entities": "entities", "accounts": "accounts", "books": "schools_books" + open, "records": blocks(schoolsdb.RecordKind), "days": blocks(schoolsdb.DayKind)},
			"rede": {"readers": "libraries_readers" + open, "titles": "libraries_books" + open, "loans": "libraries_loans" + open,
				"reservations": "libraries_reservations" + open, "days": blocks(librariesdb.DayKind)},
		} {
			rows := all[reference]["rows"].(map[string]any)
			for name, table := range tables {
				var n int
				if err := db.NewRaw(`SELECT count(*) FROM `+table).Scan(t.Context(), &n); err != nil || rows[name] != float64(n) || n == 0 && name != "reservations" {
					t.Errorf("%s of %s = %v, want %d (%v)", name, reference, rows[name], n, err)
				}
			}
		}
	})
}

// checkLoadStatus checks the last load in a tenant's status.
func checkLoadStatus(t *testing.T, st map[string]any, since time.Time) {
	t.Helper()
	if v := st["versions"].(map[string]any); v["facts"].(float64) <= float64(snapshot.First) {
		t.Errorf("versions of %v = %v, want those of a load", st["reference"], v)
	}
	load, _ := st["lastLoad"].(map[string]any)
	if load == nil {
		t.Fatalf("status = %v, want a load", st)
	}
	ended, err := time.Parse(time.RFC3339, load["ended"].(string))
	if err != nil || ended.Before(since) || ended.After(time.Now()) || load["seconds"].(float64) <= 0 || load["rows"].(float64) < 40 {
		t.Errorf("last load of %v = %v (%v), want the load of this test with its rows", st["reference"], load, err)
	}
}

func TestStatusKeysByLastUse(t *testing.T) {
	loaded(t)
	var ids []string
	for range 4 {
		_, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
		ids = append(ids, id)
	}
	ok(t, "key", "revoke", ids[0])
	db, err := database.Open(t.Context(), "sqlite:lectern.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for number, used := range map[int]time.Time{3: at, 4: at.Add(time.Minute)} {
		if _, err := db.ExecContext(t.Context(), `UPDATE keys SET last_used = ? WHERE tenant_id = 1 AND number = ?`, used, number); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(ok(t, "status")), "\n")
	want := []string{
		"KEY API REFERENCE NETWORK LAST USE",
		ids[3] + " schools ana rede-1 2026-11-20T09:31Z", ids[2] + " schools ana rede-1 2026-11-20T09:30Z", ids[1] + " schools ana rede-1 -",
	}
	if len(lines) != 3+len(want) {
		t.Fatalf("status = %q, want a table of one tenant and one of three keys", lines)
	}
	if got := cells(lines[0]); got != "KIND REFERENCE NAME VERSION LAST LOAD SECONDS ROWS STORED" {
		t.Errorf("header = %q", got)
	}
	if row := regexp.MustCompile(`^partner ana Ana \d+\.\d+ 20\S+Z \d+\.\d \d+ \d+ entities, \d+ accounts, `); !row.MatchString(cells(lines[1])) {
		t.Errorf("line = %q, want the partner's", lines[1])
	}
	for i, line := range lines[3:] {
		if got := cells(line); got != want[i] {
			t.Errorf("line of keys = %q, want %q", got, want[i])
		}
	}
}

// TestStatusOfSnapshots tests that status shows the snapshots, the superseded rows, and the load that is not yet in effect.
func TestStatusOfSnapshots(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		with := func(args ...string) []string { return append([]string{"--db", db.URL}, args...) }
		ok(t, with("partner", "create", "ana", "--name", "Ana")...)
		generated(t, "schools", "first", generate.Params{Users: 20, Days: 3})
		generated(t, "schools", "second", generate.Params{Users: 20, Days: 3, Seed: 9})
		ok(t, with("load", "schools", "--partner", "ana", "first")...)
		present := func() map[string]any { return statuses(t, db.URL)["ana"]["snapshots"].(map[string]any) }
		if st := present(); st["kept"] != 2.0 || st["oldest"] == nil || st["supersededRows"] != 0.0 {
			t.Errorf("snapshots after the first load = %v, want that and the empty one", st)
		}
		ok(t, with("load", "schools", "--partner", "ana", "second")...)
		n, err := db.NewSelect().Table("blocks").Where("until < ?", snapshot.Open).Count(t.Context())
		if st := present(); err != nil || n == 0 || st["kept"] != 3.0 || st["supersededRows"].(float64) < float64(n) {
			t.Errorf("snapshots after the second load = %v, want three with at least %d superseded rows (%v)", st, n, err)
		}
		if next := statuses(t, db.URL)["ana"]["next"]; next != nil {
			t.Errorf("next = %v, want null", next)
		}
		from := time.Date(2031, 5, 1, 13, 0, 0, 0, time.UTC)
		if _, err := db.NewRaw(`UPDATE versions SET next_facts = facts + 1, next_from = ?, oldest_registers = registers`, from.UnixMicro()).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		if next, _ := statuses(t, db.URL)["ana"]["next"].(map[string]any); next == nil || next["from"] != "2031-05-01T13:00:00Z" {
			t.Errorf("next = %v, want it from %v", next, from)
		}
		if st := present(); st["kept"] != 1.0 {
			t.Errorf("snapshots with the oldest raised = %v, want one", st)
		}
		if out := ok(t, with("status")...); !strings.Contains(out, "1 snapshot since ") || !strings.Contains(out, " superseded rows, the next from 2031-05-01T13:00Z") {
			t.Errorf("status = %s, want the snapshots and the next load", out)
		}
	})
}

func TestStatusOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "migrate")
	if out := ok(t, "status"); !strings.Contains(out, "lectern partner create") || !strings.Contains(out, "lectern key issue") {
		t.Errorf("status = %q, want it to say how to begin", out)
	}
	if out := ok(t, "status", "--json"); out != "" {
		t.Errorf("status --json = %q, want nothing", out)
	}
}
