package server_test

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

const (
	notASnapshot = `"snapshot must be the X-Snapshot of an earlier answer"`
	goneSnapshot = `{"statusCode":410,"error":"Gone","message":"that snapshot is no longer kept; begin the pull again"}`
)

// snapshotOf returns the X-Snapshot header of a response.
func snapshotOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	text := w.Header().Get("X-Snapshot")
	if !regexp.MustCompile(`^[A-Za-z0-9_.-]+$`).MatchString(text) {
		t.Fatalf("%d %s: X-Snapshot = %q", w.Code, w.Body, text)
	}
	return text
}

// renamed loads another name for the north's teacher and its class.
func (f *fixture) renamed(t *testing.T, name string) {
	t.Helper()
	f.loadRows(t, map[string]string{
		"entities": `{"referenceId":"class","entityType":"class","name":"` + name + `","degree":"7","state":"PA","parentReferenceId":"school"}`,
		"accounts": `{"referenceId":"teacher","kind":"teacher","name":"` + name + `","entityReferenceId":"school","active":true}`,
		"accesses": `{"accessId":"` + name + `","account":"pupil","at":"2026-03-05T10:00:00-03:00","kind":"login"}`,
	})
}

// lose deletes all snapshots except the current ones, as a failover that lost them does.
func (f *fixture) lose(t *testing.T) {
	t.Helper()
	if _, err := f.db.ExecContext(t.Context(), `DELETE FROM snapshots`); err != nil {
		t.Fatal(err)
	}
}

// same checks that a response has the same bytes, snapshot and tag as an earlier one.
func same(t *testing.T, rule string, got, want *httptest.ResponseRecorder) {
	t.Helper()
	if got.Code != want.Code || got.Body.String() != want.Body.String() {
		t.Errorf("%s: %d %s\nwant %d %s", rule, got.Code, got.Body, want.Code, want.Body)
	}
	for _, h := range []string{"X-Snapshot", "ETag", "X-Total-Rows"} {
		if got.Header().Get(h) != want.Header().Get(h) {
			t.Errorf("%s: %s = %q, want %q", rule, h, got.Header().Get(h), want.Header().Get(h))
		}
	}
}

// TestBadSnapshot tests that an invalid snapshot returns 400 with all faults in order, and a lost one 410.
func TestBadSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: 100})
		at := snapshotOf(t, f.get(f.north, prefix+"/users"))
		summary := snapshotOf(t, f.get(f.north, prefix+"/summary?groupBy=month"))
		flipped := "A" + at[1:]
		if at[0] == 'A' {
			flipped = "B" + at[1:]
		}
		for _, text := range []string{"", "x", at[:len(at)-1], at + "A", flipped, strings.Repeat("A", len(at)), at + "&snapshot=" + at, at + "%20", "-1"} {
			w := f.get(f.north, prefix+"/users?snapshot="+text)
			if w.Code != 400 || !strings.HasSuffix(w.Body.String(), `"message":[`+notASnapshot+`]}`) {
				t.Errorf("snapshot=%s = %d %s, want 400", text, w.Code, w.Body)
			}
		}
		w := f.get(f.north, prefix+"/engagements?snapshot=x&pageSize=0&x=1&startDate=y")
		const want = `"message":["property x should not exist","startDate must be a valid date in the form YYYY-MM-DD","pageSize must not be less than 1",` + notASnapshot + `]}`
		if w.Code != 400 || !strings.HasSuffix(w.Body.String(), want) || w.Header().Get("X-Snapshot") != "" {
			t.Errorf("with other faults: %d %s, want %s", w.Code, w.Body, want)
		}
		f.renamed(t, "Novo")
		f.lose(t)
		w = f.get(f.north, prefix+"/users?snapshot="+at)
		if w.Code != 410 || w.Body.String() != goneSnapshot || w.Header().Get("X-Ratelimit-Remaining-Public-Default") == "" || w.Header().Get("X-Snapshot") != "" {
			t.Errorf("users of a lost snapshot = %d %s %v, want 410", w.Code, w.Body, w.Header())
		}
		if w := f.get(f.north, prefix+"/summary?groupBy=month&snapshot="+summary); w.Code != 410 || w.Body.String() != goneSnapshot {
			t.Errorf("summary of a lost snapshot = %d %s, want 410", w.Code, w.Body)
		}
		if w := f.get(f.north, prefix+"/users?pageSize=0&snapshot="+at); w.Code != 400 {
			t.Errorf("users of a lost snapshot with another fault = %d %s, want 400", w.Code, w.Body)
		}
		for range 100 {
			w = f.get(f.north, prefix+"/users?snapshot=x")
		}
		if w.Code != 429 {
			t.Errorf("users above the rate = %d %s, want 429", w.Code, w.Body)
		}
	})
}

// TestSnapshotOfAnotherTenant tests that a snapshot is refused for another tenant with the same secret and numbers.
func TestSnapshotOfAnotherTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		g := *f
		g.partner = newPartner(t, db, "bob")
		g.loadRows(t, map[string]string{"entities": `{"referenceId":"north","entityType":"network","name":"Rede Norte","degree":"F"}`})
		g.north = g.issue(t, "north")
		const query = `
			UPDATE versions
			   SET (secret, registers, facts) = (SELECT secret, registers, facts FROM versions WHERE tenant_id = ?)`
		if _, err := db.ExecContext(t.Context(), query, f.partner); err != nil {
			t.Fatal(err)
		}
		for _, route := range []string{"/users", "/readings", "/summary?groupBy=month"} {
			at := with(prefix+route, "snapshot="+snapshotOf(t, f.get(f.north, prefix+route)))
			if w := f.get(f.north, at); w.Code != 200 {
				t.Errorf("%s of the tenant's own snapshot = %d %s", route, w.Code, w.Body)
			}
			if w := g.get(g.north, at); w.Code != 400 {
				t.Errorf("%s of another tenant's snapshot = %d %s, want 400", route, w.Code, w.Body)
			}
		}
	})
}

// TestNetworksAreApart tests that no filter and no snapshot shows a network the rows or numbers of another one (G3).
func TestNetworksAreApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		f.loadRows(t, map[string]string{
			"entities": `{"referenceId":"southern","entityType":"school","name":"Escola do Sul","degree":"F","parentReferenceId":"south"}`,
			"accounts": `{"referenceId":"other","kind":"reader","name":"Davi","entityReferenceId":"southern","active":true}`,
		})
		for _, route := range []string{"/users?", "/engagements?" + march, "/readings?" + march, "/summary?groupBy=school&" + march, "/summary?groupBy=book&" + march} {
			theirs := f.get(f.south, prefix+route+"&schoolId=5") // the fifth entity is the south's school
			if theirs.Code != 200 || strings.Contains(theirs.Body.String(), `"totalRows":0`) {
				t.Fatalf("%s of the south = %d %s, want rows", route, theirs.Code, theirs.Body)
			}
			w := f.get(f.north, prefix+route+"&schoolId=5")
			numbers := regexp.MustCompile(`"general":{[^}]*}`).FindString(w.Body.String())
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"totalRows":0`) || strings.ContainsAny(strings.ReplaceAll(numbers, "0.0", "0"), "123456789") {
				t.Errorf("%s of the south's school = %d %s, want no rows", route, w.Code, w.Body)
			}
			if w := f.get(f.north, prefix+route+"&snapshot="+snapshotOf(t, theirs)); w.Code == 200 && strings.Contains(w.Body.String(), "Davi") || w.Body.String() == theirs.Body.String() {
				t.Errorf("%s of the south's snapshot = %d %s, want none of its rows", route, w.Code, w.Body)
			}
		}
	})
}

// TestPullByPage requests pages without a snapshot: for 24 hours, later pages have the snapshot of page 1.
func TestPullByPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		start := f.clock.now
		get := func(path string, headers ...string) *httptest.ResponseRecorder {
			t.Helper()
			return f.get(f.north, prefix+path, headers...)
		}
		get("/engagements?pageSize=1&startDate=2026-03-01")
		first, second := get("/users?pageSize=1"), get("/users?pageSize=1&page=2")
		f.renamed(t, "Segundo")
		tests := []struct {
			rule, path string
			frozen     bool
		}{
			{"page 2", "/users?pageSize=1&page=2", true},
			{"in another order", "/users?page=2&pageSize=1", true},
			{"with leading zeros", "/users?page=02&pageSize=001", true},
			{"another size", "/users?pageSize=2&page=1", false},
			{"another filter", "/users?pageSize=1&page=2&profile=teacher", false},
			{"a user", "/users?pageSize=1&page=2&userId=2", false},
			{"a school", "/users?pageSize=1&page=2&schoolId=3", false},
			{"another route", "/readings?pageSize=1&page=2", false},
			{"a period", "/engagements?pageSize=1&page=2&startDate=2026-03-01", true},
			{"a period with the default end", "/engagements?pageSize=1&page=2&startDate=2026-03-01&endDate=2026-03-31", true},
			{"a period that ends in the future", "/engagements?pageSize=1&page=2&startDate=2026-03-01&endDate=2026-04-30", true},
			{"another period", "/engagements?pageSize=1&page=2", false},
			{"a period shorter by a day", "/engagements?pageSize=1&page=2&startDate=2026-03-01&endDate=2026-03-30", false},
		}
		then, newest := moment(snapshotOf(t, first)), moment(snapshotOf(t, get("/users")))
		for _, tt := range tests {
			want := map[bool]string{true: then, false: newest}[tt.frozen]
			if w := get(tt.path); moment(snapshotOf(t, w)) != want {
				t.Errorf("%s: %d %s, want it of the earlier snapshot: %t", tt.rule, w.Code, w.Body, tt.frozen)
			}
		}
		same(t, "page 2", get("/users?pageSize=1&page=2"), second)
		csv := get("/users?pageSize=1&page=2", "Accept", "text/csv")
		if moment(snapshotOf(t, csv)) != then || strings.Contains(csv.Body.String(), "Segundo") {
			t.Errorf("page 2 in another format = %s, want the earlier snapshot", csv.Body)
		}
		if other := f.get(f.issue(t, "north"), prefix+"/users?pageSize=1&page=2"); moment(snapshotOf(t, other)) != newest {
			t.Errorf("page 2 with another budget = %s, want the current snapshot", other.Body)
		}
		f.clock.now = start.Add(24*time.Hour - time.Second)
		same(t, "page 2 after 24 hours less a second", get("/users?pageSize=1&page=2"), second)
		f.clock.now = start.Add(24 * time.Hour)
		if w := get("/users?pageSize=1&page=2"); !strings.Contains(w.Body.String(), "Segundo") {
			t.Errorf("page 2 after 24 hours = %s, want the current snapshot", w.Body)
		}
	})
}

// moment returns the part of a snapshot that does not depend on the query.
func moment(snapshot string) string {
	b, err := base64.RawURLEncoding.DecodeString(snapshot)
	if err != nil || len(b) < 20 {
		panic(fmt.Sprint(snapshot, err))
	}
	return string(b[:20])
}
