package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/load"
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

// loadLent loads for the next hour readers, each with a loan of the same number.
func (n *network) loadLent(ids ...int) {
	n.Helper()
	feed := map[string]string{"books": `{"bookId":10,"title":"Iracema","hasEbook":true,"hasAudiobook":false,"hasVideo":false}`}
	for _, id := range ids {
		feed["readers"] += fmt.Sprintf(`{"userId":%d,"name":"Ana","registeredAt":"2026-08-01","status":"active","updatedAt":"2026-08-01T12:00:00Z"}`+"\n", id)
		feed["loans"] += fmt.Sprintf(`{"loanId":%d,"userId":%[1]d,"bookId":10,"borrowedAt":"2026-09-01T10:00:00-03:00","status":"active"}`+"\n", id)
	}
	store := &librariesdb.Store{DB: n.db.DB, Copy: n.db.Copy, Now: n.clock.time}
	if _, err := load.Libraries(n.Context(), store, n.south, os.DirFS(n.folder(feed)), load.Options{Now: n.clock.time}); err != nil {
		n.Fatal(err)
	}
}

// userIDs returns the readers of an answer's rows.
func userIDs(t *testing.T, w *httptest.ResponseRecorder) (ids []int) {
	t.Helper()
	var a struct {
		Data struct{ Rows []struct{ UserID int } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, row := range a.Data.Rows {
		ids = append(ids, row.UserID)
	}
	return ids
}

// TestLibrariesPullByPage pulls by page alone while a load takes effect: the later pages are those of page 1's snapshot, for
// its key and those that it was rotated from and to (H12).
func TestLibrariesPullByPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		start := time.Date(2026, 9, 16, 4, 30, 0, 0, time.UTC) // 01:30
		n.clock.now = start
		n.loadLent(1, 2, 3, 4, 5, 6)
		rotated, _, err := n.keys.Rotate(t.Context(), n.keys.DB, keyID(n.empty), 24*time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		other := n.issue(n.south)
		lists := []string{"/users?", "/datasets/loans?", "/engagements?startDate=2026-09-01&endDate=2026-09-30&"}
		get := func(key, list string, page int) *httptest.ResponseRecorder {
			return n.get(key, fmt.Sprintf("%s%spageSize=2&page=%d", librariesPrefix, list, page))
		}
		first := map[string]*httptest.ResponseRecorder{}
		for _, list := range lists {
			first[list] = get(n.empty, list, 1)
		}
		n.loadLent(0)
		n.clock.now = start.Add(40 * time.Minute)
		for _, list := range lists {
			got := userIDs(t, first[list])
			for i, key := range []string{n.empty, rotated} {
				page := i + 2
				w := get(key, list, page)
				got = append(got, userIDs(t, w)...)
				if !strings.HasPrefix(w.Body.String(), `{"meta":{"updatedAt":"2026-09-16 01:00:00"`) || snapshotOf(t, w) != snapshotOf(t, first[list]) {
					t.Errorf("page %d of %s is not of page 1's snapshot: %s", page, list, w.Body)
				}
			}
			if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
				t.Errorf("%s: the pull has %v, want %v", list, got, want)
			}
			if got := userIDs(t, get(other, list, 2)); !slices.Equal(got, []int{2, 3}) {
				t.Errorf("page 2 of %s with another key = %v, want the present one", list, got)
			}
			if got := userIDs(t, get(n.empty, list, 1)); !slices.Equal(got, []int{0, 1}) {
				t.Errorf("page 1 of %s asked again = %v, want the present one", list, got)
			}
		}
	})
}
