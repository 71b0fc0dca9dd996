package schools_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// point is a moment of a load.
type point int

const (
	begun   point = iota // it keeps out others, and has read nothing
	read                 // it has read the state
	settled              // it has settled the registers
	folding              // it is folding
	folded               // all is folded: the last step comes
	points
)

// besides loads a feed and calls at once at each of its points.
func (p *partnership) besides(f fed, at func(point)) (*feed.Totals, error) {
	p.t.Helper()
	reads, next := 0, begun
	reach := func(now point) {
		if now == next { // a load may fold anew
			next++
			at(now)
		}
	}
	return p.load(f.files(), func(o *load.Options) {
		o.Now = func() time.Time { return p.now }
		o.Progress = func(stage string, done, total int64) {
			switch {
			case stage == "fold" && done == total:
				reach(folded)
			case stage == "fold":
				reach(folding)
			default:
				if reads++; reads <= 2 {
					reach(point(reads - 1))
				} else if reads == 6 { // after each of the four registers
					reach(settled)
				}
			}
		}
	})
}

// TestLoadsBesideWrites does random directory writes at every point of loads, and holds what comes of them against the roll: the
// registers are settled as they stand at the last step, and every event is its carrier's as of the load's beginning (F4, F6).
// Each feed is loaded again afterwards.
func TestLoadsBesideWrites(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(4) {
			s := &session{roll: newRoll(), pick: rand.New(rand.NewPCG(6, seed)).IntN}
			p := newPartnership(t, db, directory.Ref(fmt.Sprint("p", seed)), s)
			t.Log("partner", seed)
			times := map[int]time.Time{}
			for range 3 {
				s.now = s.now.Add(time.Minute)
				s.writes(p.follow)
				f := s.newFeed()
				for _, e := range f.events {
					times[e.id] = e.at
				}
				p.beside(f)
				p.check(times)
				s.now = s.now.Add(time.Minute)
				p.beside(f)
				p.check(times)
			}
		}
	})
}

// beside loads a feed beside random writes.
func (p *partnership) beside(f fed) {
	p.t.Helper()
	p.t.Logf("load %+v", f)
	var l *loading
	totals, err := p.besides(f, func(now point) {
		switch now {
		case read:
			l = p.session.begin(f)
		case settled:
			l.reserve(p.roll)
		}
		p.t.Log("at", now)
		p.writes(func(a act) {
			p.t.Log(a)
			p.follow(a)
		})
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if news := l.end(p.roll); totals.New != news {
		p.t.Fatalf("the load counts %d new events, the roll %d", totals.New, news)
	}
}

// TestLoadThatDies ends loads at every point as a kill would, without a word. Nothing of them is seen, and the next load does
// what they would have done.
func TestLoadThatDies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := &session{roll: newRoll(), pick: rand.New(rand.NewPCG(1, 1)).IntN}
		p := newPartnership(t, db, "acme", s)
		f := fed{classes: []string{"6a"}, rows: []fedRow{{"ana", "teacher", "Ana", "6a"}}, events: []fedEvent{{1, "ana", s.now}}}
		for dies := range points {
			before := versions(t, p.fixture)
			func() {
				defer func() { _ = recover() }()
				_, err := p.besides(f, func(now point) {
					if now == dies {
						panic("killed")
					}
				})
				t.Errorf("killed at %d, a load = %v", dies, err)
			}()
			if v := versions(t, p.fixture); v != before {
				t.Errorf("killed at %d: versions %+v, want %+v", dies, v, before)
			}
			if dies >= settled { // it has reserved a number
				s.accounts = append(s.accounts, enrolled{})
			}
			s.now = s.now.Add(time.Hour)
		}
		a := act{what: "load", feed: f}
		s.do(&a)
		p.follow(a)
		p.check(map[int]time.Time{1: f.events[0].at})
	})
}

// TestLoadThatSleeps: a load that is stopped until another has taken over ends with an error, and leaves what that made.
func TestLoadThatSleeps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for sleeps := settled; sleeps < points; sleeps++ {
			s := &session{roll: newRoll()}
			p := newPartnership(t, db, directory.Ref(fmt.Sprint("p", sleeps)), s)
			f := fed{classes: []string{"6a"}, rows: []fedRow{{"ana", "teacher", "Ana", "6a"}}, events: []fedEvent{{1, "ana", s.now}}}
			s.accounts = append(s.accounts, enrolled{}) // the number that the sleeper reserves
			var after snapshot.Versions
			_, err := p.besides(f, func(now point) {
				if now == sleeps {
					s.now = s.now.Add(time.Hour)
					a := act{what: "load", feed: f}
					s.do(&a)
					p.follow(a)
					after = versions(t, p.fixture)
				}
			})
			if !errors.Is(err, snapshot.ErrLost) || versions(t, p.fixture) != after {
				t.Errorf("asleep at %d, a load = %v, want ErrLost, and versions %+v, want %+v", sleeps, err, versions(t, p.fixture), after)
			}
			p.check(map[int]time.Time{1: f.events[0].at})
		}
	})
}

// TestWritesBesideALoad creates teachers of the same partner through another pool, one right after the other, beside a load:
// every write succeeds, and the load at once.
func TestWritesBesideALoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := &session{roll: newRoll()}
		p := newPartnership(t, db, "acme", s)
		p.entity("class", "6a", "escola")
		f := fed{classes: []string{"6a"}}
		for i := range 300 {
			ref := fmt.Sprint("r", i)
			f.rows = append(f.rows, fedRow{ref, "reader", "Rui", "6a"})
			for j := range 20 {
				f.events = append(f.events, fedEvent{20*i + j, ref, s.now})
			}
		}
		other, err := database.Open(t.Context(), db.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		api := &directorydb.Store{DB: other.DB}
		wrote := make(chan int, 1)
		go func() {
			n := 0
			for ; n < 100; n++ {
				if _, err := api.CreateTeacher(t.Context(), p.partner, teacher(fmt.Sprint("t", n), "6a", "Teo")); err != nil {
					t.Errorf("write %d beside a load: %v", n, err)
				}
			}
			wrote <- n
		}()
		totals, err := p.besides(f, func(point) {})
		writes := <-wrote
		if err != nil || totals.New != len(f.events) || totals.File("accounts").New != len(f.rows) {
			t.Errorf("load = %+v, %v, want %d new events and %d new accounts", totals, err, len(f.events), len(f.rows))
		}
		n, err := db.NewSelect().Table("accounts").Where("tenant_id = ?", p.partner).Count(t.Context())
		if err != nil || int(n) != len(f.rows)+writes || writes == 0 {
			t.Errorf("%d accounts, %v, want %d of the load and %d written beside it", n, err, len(f.rows), writes)
		}
	})
}
