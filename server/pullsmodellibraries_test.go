package server_test

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// TestLibrariesPullsAreOfOneState runs the model of pulls for the libraries: loads hold at once or from their hour, several of
// an hour, late, repeated or withdrawn; and what holds is what the slow model makes of the loads.
func TestLibrariesPullsAreOfOneState(t *testing.T) {
	testPulls(t, 10, func(rt *rapid.T, t *testing.T, dbs []*database.DB, n int) *pulling {
		m := newPulling(rt, dbs, shelvesNow(), 11)
		m.prefix, m.noEmail, m.few = librariesPrefix, `""`, 9
		p := &pulledLibrary{pulling: m, t: t, db: dbs[0], holds: newShelves(), pieces: newPieces(m.rand(), 6), base: map[int]readerRow{}}
		m.changing = p
		p.holds.today = day(m.clock.now)
		slug := fmt.Sprint("rede-", n)
		var err error
		if p.network, err = librariesdb.CreateNetwork(m.Context(), dbs[0], slug, slug); err != nil {
			m.Fatal(err)
		}
		keys := &authdb.Store{DB: dbs[0].DB, Now: m.clock.time}
		if m.keys[slug], _, err = keys.Issue(m.Context(), keys.DB, authdb.IssueParams{Tenant: auth.Tenant(p.network), API: auth.Libraries}); err != nil {
			m.Fatal(err)
		}
		return m
	})
}

// pulledLibrary is a library network whose data change.
type pulledLibrary struct {
	*pulling
	t       *testing.T
	db      *database.DB
	network libraries.NetworkID
	pieces  *pieces
	next    int // of the pieces: those before were loaded

	holds *shelves  // what is served, by the slow model
	waits []int     // pieces that were loaded for an hour
	from  time.Time // that hour
	// base are the readers that a load builds on, what waits included.
	base map[int]readerRow
}

func (p *pulledLibrary) questions() (all []question) {
	for slug := range p.keys {
		for _, q := range []struct {
			list string
			most int
		}{
			{"/users?", 1000}, {"/users?status=active", 1000},
			{"/engagements?startDate=2026-08-29&endDate=2026-09-01", 1000},
			{"/datasets/books?", 100}, {"/datasets/stock?", 100},
			{"/datasets/loans?", 1000}, {"/datasets/reservations?", 1000}, {"/datasets/logins?", 1000},
			{"/datasets/loans?startDate=2026-08-01&" + openEnd, 1000}, {"/datasets/loans?status=active&startDate=2026-08-20&endDate=2026-09-01", 1000},
			{"/datasets/reservations?startDate=2026-08-01&" + openEnd, 1000}, {"/datasets/reservations?status=waiting&startDate=2026-08-01&" + openEnd, 1000},
			{"/datasets/suggestions?", 100}, {"/datasets/suggestion-requests?", 1000},
			{"/summary?groupBy=city&startDate=2026-08-20", 100},
		} {
			all = append(all, question{slug, q.list, q.most})
		}
	}
	return all
}

func (p *pulledLibrary) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"load now":  func(*rapid.T) { p.load(true) },
		"load":      func(*rapid.T) { p.load(false) },
		"load more": func(*rapid.T) { p.load(false) },
		"drop":      func(*rapid.T) { p.drop() },
	}
}

// check holds an answer against the slow model, which knows of no network before its first load.
func (p *pulledLibrary) check(q question, body string) {
	if p.holds.updated.IsZero() {
		return
	}
	route, params, _ := strings.Cut(q.list, "?")
	values, err := url.ParseQuery(params)
	if err != nil {
		p.Fatal(err)
	}
	values.Set("pageSize", fmt.Sprint(q.most))
	for id, r := range p.holds.readers {
		if p.forgot[fmt.Sprint(id)] {
			r.Name, r.Email = nil, nil
			p.holds.readers[id] = r
		}
	}
	if want := p.holds.answer(route[1:], values); body != want {
		got, want := apart(body, want)
		p.Fatalf("%s at %v answers\n…%s\nwant\n…%s", q.list, p.clock.now, got, want)
	}
}

// load loads the next piece, or one again that was loaded.
func (p *pulledLibrary) load(immediately bool) {
	piece := p.draw("piece", p.next+1)
	if piece == p.next || p.draw("repeat", 3) > 0 {
		piece = min(p.next, len(p.pieces.feeds)-1)
		p.next = piece + 1
	}
	hour := p.clock.now.Truncate(time.Hour)
	immediately = immediately || p.holds.updated.IsZero()
	if immediately {
		hour = later(hour, p.holds.updated)
	} else {
		hour = later(hour.Add(time.Hour), later(p.holds.updated, p.from))
	}
	feed := p.pieces.feeds[piece]
	store := &librariesdb.Store{DB: p.db.DB, Copy: p.db.Copy, Now: p.clock.time}
	totals, err := load.Libraries(p.Context(), store, p.network, os.DirFS(writePiece(p.t, p.pieces.Rand, feed)), load.Options{Now: p.clock.time, Immediately: immediately, Progress: p.during})
	if err != nil || totals.Hour != libraries.FormatTime(hour) {
		p.Fatalf("piece %d, loaded at %v, holds from %s, %v, want %v", piece, p.clock.now, totals.Hour, err, hour)
	}
	p.waits, p.from = append(p.waits, piece), hour
	p.eraseDeleted(feed["readers"])
	if immediately {
		p.hold()
	}
	p.record()
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// eraseDeleted erases the e-mails of readers whom a load marks deleted, from what holds too (L18).
func (p *pulledLibrary) eraseDeleted(rows []any) {
	for _, row := range rows {
		r := row.(readerRow)
		if had, known := p.base[r.ID]; !known || !instantOf(r.Updated).Before(instantOf(had.Updated)) {
			p.base[r.ID] = r
		}
	}
	for _, row := range rows {
		id := row.(readerRow).ID
		if p.base[id].Status != "deleted" {
			continue
		}
		p.erase(id)
		if r, known := p.holds.readers[id]; known {
			r.Email = nil
			p.holds.readers[id] = r
		}
	}
}

// forget forgets any reader of whom there is a row, or will be when the load under way has ended.
func (p *pulledLibrary) forget() {
	var all []int
	for _, piece := range p.pieces.feeds[:p.next] {
		for _, row := range piece["readers"] {
			all = append(all, row.(readerRow).ID)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	id := all[p.draw("forget", len(all))]
	store := &librariesdb.Store{DB: p.db.DB, Copy: p.db.Copy, Now: p.clock.time}
	fresh, _, err := store.Forget(p.Context(), p.network, int64(id))
	if _, known := p.base[id]; errors.Is(err, librariesdb.ErrNotFound) && !known {
		return
	}
	if known := p.forgot[fmt.Sprint(id)]; err != nil || fresh == known {
		p.Fatalf("Forget %d = %t, %v, was forgotten before: %t", id, fresh, err, known)
	}
	p.forgot[fmt.Sprint(id)] = true
	p.record()
}

// hold makes hold what waits, from its hour.
func (p *pulledLibrary) hold() {
	for _, piece := range p.waits {
		p.holds.load(p.from, p.pieces.feeds[piece])
	}
	p.waits, p.from = nil, time.Time{}
}

// passed makes hold what is due.
func (p *pulledLibrary) passed() {
	p.holds.today = day(p.clock.now)
	if len(p.waits) > 0 && !p.clock.now.Before(p.from) {
		p.hold()
	}
}

// drop withdraws what waits.
func (p *pulledLibrary) drop() {
	store := &librariesdb.Store{DB: p.db.DB, Copy: p.db.Copy, Now: p.clock.time}
	was, err := store.Drop(p.Context(), p.network, nil)
	if err != nil || was.Hour.Time() != p.from && len(p.waits) > 0 || (was.At.Facts > 0) != (len(p.waits) > 0) {
		p.Fatalf("Drop = %+v, %v, want what waits for %v", was, err, p.from)
	}
	if len(p.waits) > 0 {
		p.next = min(p.next, slices.Min(p.waits)) // and what was loaded before may come again
	}
	p.waits, p.from, p.base = nil, time.Time{}, maps.Clone(p.holds.readers)
	p.record()
}
