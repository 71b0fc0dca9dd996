package librariesdb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// modelled is a network and what should be known of it: of what holds and of what waits the feeds and the hour.
type modelled struct {
	*loader
	replica *librariesdb.Store
	feeds   []feed
	held    made
	waits   *made
	past    []pastState
}

// made are the numbers of the feeds that make a state, and the hour from which it holds.
type made struct {
	feeds []int
	hour  libraries.Hour
}

// pastState is a state that held, and what it had.
type pastState struct {
	report.Access
	dump map[string][]string
}

// last are the feeds of the last load.
func (m *modelled) last() []int {
	if m.waits != nil {
		return m.waits.feeds
	}
	return m.held.feeds
}

// due makes hold what waits, where its hour has come.
func (m *modelled) due() {
	if m.waits != nil && !m.waits.hour.Time().After(m.now) {
		m.held, m.waits = *m.waits, nil
	}
}

// saved notes a load of a feed: L1, once more.
func (m *modelled) saved(feed int, immediately bool) libraries.Hour {
	m.due()
	feeds := append(slices.Clone(m.last()), feed)
	hour := max(libraries.HourOf(m.now), m.held.hour)
	if immediately || m.held.feeds == nil {
		m.held, m.waits = made{feeds, hour}, nil
		return hour
	}
	hour = max(libraries.HourOf(m.now.Add(10*time.Second))+1, m.held.hour)
	if m.waits != nil {
		hour = max(hour, m.waits.hour)
	}
	m.waits = &made{feeds, hour}
	return hour
}

// alike returns what a network has into which some feeds alone were loaded, perhaps known from before.
func (m *modelled) alike(feeds []int, known map[string]map[string][]string, anew func() *loader) map[string][]string {
	m.Helper()
	key := fmt.Sprint(feeds)
	if known[key] == nil {
		l := anew()
		for i, f := range feeds {
			l.load(m.feeds[f], atOnce)
			known[fmt.Sprint(feeds[:i+1])] = l.dump(l.present())
		}
	}
	return known[key]
}

// check compares what both stores say that holds with what should.
func (m *modelled) check(when string, want func([]int) map[string][]string) {
	m.Helper()
	m.due()
	a := m.present()
	b, err := m.replica.Present(m.Context(), m.network)
	if err != nil || a != b || a.Hour != m.held.hour || (a.At.Facts == 0) != (m.held.feeds == nil) {
		m.Errorf("%s: %+v holds, and on the other replica %+v, %v, want the hour %d", when, a, b, err, m.held.hour)
	}
	if m.held.feeds == nil || len(m.past) > 0 && m.past[len(m.past)-1].Access == a {
		return
	}
	dump := m.dump(a)
	checkSame(m.T, when, dump, want(m.held.feeds))
	m.past = append(m.past, pastState{a, dump})
}

// step does something to the network.
func (m *modelled) step(r *rand.Rand) string {
	m.Helper()
	i, now := r.IntN(len(m.feeds)), r.IntN(3) == 0
	o := librariesdb.SaveOptions{Immediately: now}
	store := []*librariesdb.Store{m.Store, m.replica}[r.IntN(2)]
	switch r.IntN(6) {
	case 0:
		m.due()
		was, err := store.Drop(m.Context(), m.network, nil)
		if err != nil || (was.Hour != 0) != (m.waits != nil) {
			m.Errorf("Drop = %+v, %v, want what waits, %+v", was, err, m.waits)
		}
		m.waits = nil
		return "a drop"
	case 1:
		return m.fail(i, o, r.IntN(513), r.IntN(2) == 0)
	}
	saved, err := m.try(m.Context(), m.feeds[i], o, nil)
	if want := m.saved(i, now); err != nil || saved.Hour != want {
		m.Fatalf("a load of feed %d at %v, now: %t, holds from %d, %v, want %d", i, m.now, now, saved.Hour, err, want)
	}
	return fmt.Sprintf("a load of feed %d at %v, now: %t", i, m.now, now)
}

// fail ends a load in its middle, as an error does, or as a crash that leaves its lease to run out.
func (m *modelled) fail(i int, o librariesdb.SaveOptions, step int, crash bool) string {
	m.Helper()
	ctx, cancel := context.WithCancel(m.Context())
	defer cancel()
	o.Progress = func(done, _ int) {
		if done == step {
			cancel()
		}
	}
	w, err := m.Begin(m.Context(), m.network, nil)
	if err != nil {
		m.Fatal(err)
	}
	saved, err := w.Save(ctx, m.intake(w.Base), m.sorter(w.Base, m.feeds[i]), o)
	if !errors.Is(err, context.Canceled) {
		m.Fatalf("a load that is cancelled at step %d = %+v, %v", step, saved, err)
	}
	if !crash {
		if err := w.Close(m.Context()); err != nil {
			m.Fatal(err)
		}
		return fmt.Sprint("a load that fails at step ", step)
	}
	m.Cleanup(func() {
		if err := w.Close(context.WithoutCancel(m.Context())); err != nil && !errors.Is(err, snapshot.ErrLost) {
			m.Error(err)
		}
	})
	m.now = m.now.Add(61 * time.Second)
	return fmt.Sprint("a load that dies at step ", step)
}

// Whatever loads do, at once and for the hour, several in one hour, late, again, withdrawn, failing and dying, and whatever the
// clock does: each state that holds has what its feeds make when they alone are loaded, it stays as it is, and two replicas
// agree on it.
func TestStatesModel(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(1) {
			r := rand.New(rand.NewPCG(seed, 40))
			networks := loaders(t, db, fmt.Sprint("a", seed), fmt.Sprint("b", seed))
			var ms []*modelled
			for i, l := range networks {
				m := &modelled{loader: l, feeds: newWorld(seed*2 + uint64(i)).pieces(4)}
				for _, f := range m.feeds {
					for i := range f.readers {
						f.readers[i].Email = "" // which is erased from all states: see TestErasedInEveryState
					}
				}
				m.replica = &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: l.Store.Now}
				ms = append(ms, m)
			}
			known, others := []map[string]map[string][]string{{}, {}}, 0
			for range 16 {
				i := r.IntN(2)
				m := ms[i]
				m.now = m.now.Add([]time.Duration{time.Second, 10 * time.Minute, 50 * time.Minute, time.Hour, -15 * time.Minute}[r.IntN(5)])
				when := fmt.Sprintf("seed %d, network %d: after %s", seed, i, m.step(r))
				m.check(when, func(feeds []int) map[string][]string {
					return m.alike(feeds, known[i], func() *loader {
						others++
						return loaders(t, db, fmt.Sprint("alone", seed, "-", others))[0]
					})
				})
				if t.Failed() {
					return
				}
			}
			for i, m := range ms {
				for _, p := range m.past {
					dump := m.dump(p.Access)
					for _, d := range []map[string][]string{dump, p.dump} {
						maps.DeleteFunc(d, func(kind string, _ []string) bool { return kind == facts.EventSetKind.Name }) // no report reads them
					}
					checkSame(t, fmt.Sprintf("seed %d, network %d, %+v in the end", seed, i, p.Access), dump, p.dump)
				}
			}
		}
	})
}

// The e-mail of a reader whom a load positions deleted is erased when the load is committed, in every state, also in the one that is
// served until the hour (L18). Nothing else of the state changes but the version of its registers, by which rounds find the reader.
func TestErasedInEveryState(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		ls := loaders(t, db, "erased", "other")
		reader := func(id int64, status libraries.ReaderStatus, hour int) libraries.Reader {
			r := libraries.Reader{
				ID: id, Name: "Ana", Email: "ana@example.org", Library: libraries.None, AgeGroup: libraries.None, Status: status,
				Updated: firstDay.Start().UTC().Add(time.Duration(hour) * time.Hour),
			}
			if status == libraries.ReaderDeleted {
				r.Email, r.DeletedAt = "", firstDay
			}
			return r
		}
		both := func(a, b libraries.ReaderStatus, hour int) feed {
			return feed{readers: []libraries.Reader{reader(5, a, hour), reader(6, b, hour)}}
		}
		for _, l := range ls {
			l.load(both(libraries.ReaderActive, libraries.ReaderActive, 1), atOnce)
		}
		l := ls[0]
		first := l.present()
		l.load(both(libraries.ReaderActive, libraries.ReaderDeactivated, 2), atOnce)
		second := l.present()
		l.load(both(libraries.ReaderDeleted, libraries.ReaderDeactivated, 3), librariesdb.SaveOptions{})
		now := l.present()
		ids, err := l.ReplacedRows(t.Context(), now, snapshot.LoadsAfter(second.At.Registers, now.At.Registers), report.ErasedReaders)
		if err != nil || !slices.Equal(ids, []int64{5}) {
			t.Errorf("of %v something was erased, %v, want of 5", ids, err)
		}
		if second.At.Registers = now.At.Registers; now != second {
			t.Fatalf("%+v holds, want %+v until the hour", now, second)
		}
		for _, a := range []report.Access{first, second} {
			people, err := l.People(t.Context(), a, []int64{5, 6})
			if err != nil || len(people) != 2 || people[0].Email != "" || people[1].Email != "ana@example.org" || people[0].Status != libraries.ReaderActive {
				t.Errorf("in %+v the readers are %+v, %v, want the first without an e-mail", a, people, err)
			}
		}
		if people, err := ls[1].People(t.Context(), ls[1].present(), []int64{5}); err != nil || len(people) != 1 || people[0].Email == "" {
			t.Errorf("another network's reader is %+v, %v, want the e-mail there", people, err)
		}
	})
}

// Reads of a state go on while loads replace it and hold.
func TestReadsBesideLoads(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(31)
		l := loaders(t, db, "beside")[0]
		feeds := w.pieces(3)
		l.load(feeds[0], atOnce)
		a := l.present()
		want, err := facts.ReadNetwork(t.Context(), l, auth.Tenant(a.Network), a.At.Facts)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			for range 20 {
				got, err := facts.ReadNetwork(context.WithoutCancel(t.Context()), l, auth.Tenant(a.Network), a.At.Facts)
				if err == nil && !slices.Equal(got.Days.Totals, want.Days.Totals) {
					err = fmt.Errorf("%d days, want %d as before", len(got.Days.Dates), len(want.Days.Dates))
				}
				if err == nil {
					_, err = l.Requests(context.WithoutCancel(t.Context()), a, calendar.Period{Start: firstDay, End: lastDay})
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for _, f := range feeds[1:] {
			l.load(f, atOnce)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
