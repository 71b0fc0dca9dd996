package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
)

// libraryTargets are a good request of every route of the libraries.
func libraryTargets() (targets []string) {
	for _, rt := range librariesapi.Routes() {
		target := rt.Path
		if strings.HasSuffix(target, "/engagements") {
			target += "?startDate=2026-09-01&endDate=2026-09-15"
		}
		targets = append(targets, target)
	}
	return targets
}

// with adds a parameter to a target.
func with(target, param string) string {
	if strings.Contains(target, "?") {
		return target + "&" + param
	}
	return target + "?" + param
}

// TestLibrariesSnapshot asks every route for what it was in an earlier hour, on another day: periods end on that day.
func TestLibrariesSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		start := n.clock.now
		for _, target := range libraryTargets() {
			n.clock.now = start
			want := n.get(n.key, target)
			at := snapshotOf(t, want)
			if again := n.get(n.key, target); snapshotOf(t, again) != at {
				t.Errorf("%s: two snapshots within an hour", target)
			}
			n.clock.now = start.AddDate(0, 0, 1)
			same(t, target, n.get(n.key, with(target, "snapshot="+at)), want)
			if w := n.get(n.key, target); snapshotOf(t, w) == at {
				t.Errorf("%s: the snapshot of the next day is the same", target)
			}
			for _, bad := range []string{"", "x", at + "&snapshot=" + at} {
				if w := n.get(n.key, with(target, "snapshot="+bad)); w.Code != 400 || !strings.Contains(w.Body.String(), notASnapshot) {
					t.Errorf("%s of %q = %d %s", target, bad, w.Code, w.Body)
				}
			}
			if w := n.get(n.empty, with(target, "snapshot="+at)); w.Code != 400 {
				t.Errorf("%s of another network = %d %s, want 400", target, w.Code, w.Body)
			}
		}
	})
}

// TestLibrariesSnapshotGone asks for a state that a failover has lost.
func TestLibrariesSnapshotGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{})
		at := snapshotOf(t, n.get(n.key, librariesPrefix+"/users"))
		n.clock.now = n.clock.now.Add(time.Hour)
		n.load(libraryFeed)
		if _, err := db.ExecContext(t.Context(), `DELETE FROM states`); err != nil {
			t.Fatal(err)
		}
		w := n.get(n.key, librariesPrefix+"/users?snapshot="+at)
		if w.Code != http.StatusGone || w.Body.String() != goneSnapshot || w.Header().Get("X-Ratelimit-Remaining-Public-Default") == "" {
			t.Errorf("a state that was lost = %d %s %v", w.Code, w.Body, w.Header())
		}
	})
}
