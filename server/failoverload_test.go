//go:build unix

package server_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// A load that is under way when a standby takes over, which has the load's lease but lacks what it did last, ends with an error,
// and is no half state. The next one undoes it, and gives what a load gives that was never disturbed (F2, F6).
func TestLoadOverFailover(t *testing.T) {
	for _, tt := range []struct {
		lost, stage string
		from, to    int // the times that it tells of the stage, between which the standby follows no more and takes over; 0: once it has committed
	}{
		{"the numbers that it reserved", "read", 1, 2},
		{"some of what it wrote", "fold", 2, 0}, // the feed's users are in the first seven parts of 256
	} {
		t.Run(tt.lost, func(t *testing.T) {
			pair := newServers(t)
			db, err := database.Open(t.Context(), pair.url)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			f, twin := newFixture(t, db, server.Config{}), newFixture(t, dbtest.SQLite(t), server.Config{})
			before := pagesOf(t, f, db)
			told, died, wrote := 0, false, int64(0)
			turns := func() (n int64) { // the transactions that the load has committed
				if err := db.NewRaw(`SELECT turns FROM leases WHERE tenant_id = ?`, f.partner).Scan(t.Context(), &n); err != nil {
					t.Error(err)
				}
				return n
			}
			progress := func(stage string, _, _ int64) {
				if stage != tt.stage {
					return
				}
				switch told++; {
				case told == tt.from:
					pair.part()
					wrote = turns()
				case told > tt.from && !died && (told == tt.to || tt.to == 0 && turns() > wrote):
					died = true
					pair.kill()
					pair.promote()
					for db.PingContext(t.Context()) != nil && t.Context().Err() == nil { // the pool throws away what is broken
					}
				}
			}
			dir := manyFeed(t, func(a, b int) string { return segment("s", a, b, 1+(a+b)%20) })
			store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy}
			_, err = load.Schools(t.Context(), store, f.partner, "ana", os.DirFS(dir), load.Options{Now: f.clock.time, Progress: progress, MemoryLimit: 4000})
			if !errors.Is(err, snapshot.ErrLost) && !database.Unavailable(err) { // the second where it was reading as the primary died
				t.Errorf("a load over a failover = %v, want ErrLost or a lost connection", err)
			}
			if got := pagesOf(t, f, db); got != before {
				t.Errorf("after it:\n%.2000s\nwant what was before:\n%.2000s", got, before)
			}
			loadDir(t, f, db, dir)
			loadDir(t, twin, twin.db, dir)
			got, want := renumbered(pagesOf(t, f, db)), renumbered(pagesOf(t, twin, twin.db))
			if got != want {
				t.Errorf("loaded again:\n%.2000s\nwant what its twin answers:\n%.2000s", got, want)
			}
		})
	}
}

// renumbered has users' numbers in the order in which they stand: a load that came to nothing leaves a gap (S1).
func renumbered(pages string) string {
	numbers := map[string]string{}
	return regexp.MustCompile(`"userId":\d+`).ReplaceAllStringFunc(pages, func(user string) string {
		if numbers[user] == "" {
			numbers[user] = fmt.Sprintf(`"userId":%d`, len(numbers)+1)
		}
		return numbers[user]
	})
}

// manyFeed is a feed with many records, whose events are as given.
func manyFeed(t *testing.T, segments func(account, book int) string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]*strings.Builder{}
	for _, name := range []string{"entities", "accounts", "books", "segments", "accesses"} {
		files[name] = &strings.Builder{}
	}
	files["entities"].WriteString(feed["entities"])
	for b := 2; b <= 13; b++ {
		fmt.Fprintf(files["books"], `{"bookId":%d,"title":"T%d","author":"A","isbn":null,"length":1000}`+"\n", b, b)
	}
	for a := range 100 {
		fmt.Fprintf(files["accounts"], `{"referenceId":"r%d","kind":"reader","name":"N%d","entityReferenceId":"class","active":true}`+"\n", a, a)
		for b := 2; b <= 13; b++ {
			files["segments"].WriteString(segments(a, b))
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func segment(id string, account, book, day int) string {
	return fmt.Sprintf(`{"segmentId":"%s%d-%d","account":"r%d","bookId":%d,"startedAt":"2026-03-%02dT10:00:00-03:00","durationMs":60000,"from":%d,"to":%d,"wpm":200}`+"\n",
		id, account, book, account, book, day, 10*account, 10*account+100)
}

// loadDir loads a folder into a database's partner.
func loadDir(t *testing.T, f *fixture, db *database.DB, dir string) {
	t.Helper()
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy}
	if _, err := load.Schools(t.Context(), store, f.partner, "ana", os.DirFS(dir), load.Options{Now: f.clock.time}); err != nil {
		t.Fatal(err)
	}
}

// pagesOf returns what a server on a database answers.
func pagesOf(t *testing.T, f *fixture, db *database.DB) string {
	t.Helper()
	s, err := server.New(t.Context(), server.Config{DB: db, Now: f.clock.time, SchoolsRate: -1})
	if err != nil {
		t.Fatal(err)
	}
	at := &fixture{handler: s.Handler()}
	all := ""
	for _, route := range []string{"users", "engagements", "readings"} {
		for page := 1; page <= 2; page++ {
			w := at.get(f.north, fmt.Sprintf("%s/%s?pageSize=1000&page=%d", prefix, route, page))
			if w.Code != 200 {
				t.Fatalf("%s = %d %s", route, w.Code, w.Body)
			}
			all += w.Body.String() + "\n"
		}
	}
	return all
}
