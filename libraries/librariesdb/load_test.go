package librariesdb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// loader loads into one network.
type loader struct {
	*testing.T
	*librariesdb.Store
	db      *database.DB
	network libraries.NetworkID
	hour    libraries.Hour // of the next load
}

// loaders returns a loader for each slug, all on one database.
func loaders(t *testing.T, db *database.DB, slugs ...string) []*loader {
	t.Helper()
	if _, err := db.Migrate(t.Context(), authdb.Migrations, librariesdb.Migrations); err != nil {
		t.Fatal(err)
	}
	var ls []*loader
	for _, slug := range slugs {
		id, err := librariesdb.CreateNetwork(t.Context(), db, slug, slug)
		if err != nil {
			t.Fatal(err)
		}
		ls = append(ls, &loader{t, &librariesdb.Store{DB: db.DB, Copy: db.Copy}, db, id, 500_000})
	}
	return ls
}

// options publish as the loader's hour.
func (l *loader) options() librariesdb.SaveOptions {
	return librariesdb.SaveOptions{Publish: func(context.Context) (libraries.Hour, error) { return l.hour, nil }}
}

func (l *loader) versions() state.Versions {
	l.Helper()
	v, err := authdb.ReadHeld(l.Context(), l.db, auth.Tenant(l.network))
	if err != nil {
		l.Fatal(err)
	}
	return state.Versions{Registers: v.Registers, Facts: v.Facts}
}

// intake is that of a feed that is settled against the present state.
func (l *loader) intake() *libraries.Intake {
	l.Helper()
	st, err := l.State(l.Context(), l.network)
	if err != nil {
		l.Fatal(err)
	}
	return &libraries.Intake{State: st, Began: (lastDay + 1).Start(), History: firstDay}
}

// pile makes a pile of a feed, with loans and reservations as changes of what the store has.
func (l *loader) pile(f feed) *libraries.Pile {
	l.Helper()
	p := &libraries.Pile{}
	l.Cleanup(func() { p.Close() })
	loans, err := l.LoansByID(l.Context(), l.network, ids(f.loans, func(v libraries.Loan) int64 { return v.ID }))
	if err != nil {
		l.Fatal(err)
	}
	reservations, err := l.ReservationsByID(l.Context(), l.network, ids(f.reservations, func(v libraries.Reservation) int64 { return v.ID }))
	if err != nil {
		l.Fatal(err)
	}
	var errs []error
	for _, r := range f.readers {
		errs = append(errs, p.AddReader(r))
	}
	for _, e := range f.events {
		errs = append(errs, p.AddEvent(e))
	}
	for _, loan := range f.loans {
		if was, old := loans[loan.ID]; !old {
			errs = append(errs, p.AddLoan(libraries.LoanChange{Loan: loan}))
		} else if loanText(was) != loanText(loan) {
			errs = append(errs, p.AddLoan(libraries.LoanChange{Loan: loan, Was: &was}))
		}
	}
	for _, r := range f.reservations {
		if was, old := reservations[r.ID]; !old {
			errs = append(errs, p.AddReservation(libraries.ReservationChange{Reservation: r}))
		} else if was != r {
			errs = append(errs, p.AddReservation(libraries.ReservationChange{Reservation: r, Was: &was}))
		}
	}
	for _, r := range f.requests {
		errs = append(errs, p.AddRequest(r))
	}
	if err := errors.Join(errs...); err != nil {
		l.Fatal(err)
	}
	return p
}

func loanText(l libraries.Loan) string {
	due := "none"
	if l.Due != nil {
		due = l.Due.String()
	}
	l.Due = nil
	return fmt.Sprint(l, due)
}

func ids[T any](list []T, id func(T) int64) []int64 {
	var ids []int64
	for _, v := range list {
		ids = append(ids, id(v))
	}
	return ids
}

// load saves a feed.
func (l *loader) load(f feed, o librariesdb.SaveOptions) librariesdb.Saved {
	l.Helper()
	saved, err := l.Save(l.Context(), l.network, l.intake(), l.pile(f), o)
	if err != nil {
		l.Fatal(err)
	}
	return saved
}

// dump returns all rows that the network has in the tables of this package, as texts.
func (l *loader) dump() map[string][]string {
	l.Helper()
	dump := map[string][]string{}
	for _, table := range tables(l.T, l.db) {
		rows, err := l.db.QueryContext(l.Context(), `SELECT * FROM `+table+` WHERE tenant_id = ?`, l.network)
		if err != nil {
			l.Fatal(err)
		}
		defer rows.Close()
		columns, _ := rows.Columns()
		for rows.Next() {
			values, pointers := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				pointers[i] = &values[i]
			}
			if err := rows.Scan(pointers...); err != nil {
				l.Fatal(err)
			}
			text := ""
			for i, name := range columns {
				if name != "tenant_id" {
					text += fmt.Sprintf("%s=%v ", name, values[i])
				}
			}
			dump[table] = append(dump[table], text)
		}
		if err := rows.Err(); err != nil {
			l.Fatal(err)
		}
		slices.Sort(dump[table])
	}
	return dump
}

// tables are the tables of this package.
func tables(t *testing.T, db *database.DB) []string {
	t.Helper()
	query := `SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'libraries\_%'`
	if db.Engine == database.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'libraries\_%' ESCAPE '\'`
	}
	var names []string
	if err := db.NewRaw(query).Scan(t.Context(), &names); err != nil {
		t.Fatal(err)
	}
	if len(names) < 14 {
		t.Fatalf("%d tables, want all: %q", len(names), names)
	}
	return names
}

// checkSame compares two dumps.
func checkSame(t *testing.T, what string, got, want map[string][]string) {
	t.Helper()
	for table := range want {
		if len(got[table]) != len(want[table]) {
			t.Errorf("%s: %s has %d rows, want %d", what, table, len(got[table]), len(want[table]))
			continue
		}
		for i, row := range got[table] {
			if row != want[table][i] {
				t.Errorf("%s: %s has %.300s, want %.300s", what, table, row, want[table][i])
				break
			}
		}
	}
	for table := range got {
		if want[table] == nil {
			t.Errorf("%s: %s has %d rows, want none", what, table, len(got[table]))
		}
	}
}

// A feed in pieces, in any order, with repetition and with loans and reservations as they were before, makes the rows
// that it makes whole.
func TestPiecesMakeTheWhole(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(3) {
			w := newWorld(seed)
			ls := loaders(t, db, fmt.Sprint("whole", seed), fmt.Sprint("pieces", seed))
			saved := ls[0].load(w.whole(), ls[0].options())
			if saved.New != len(w.events)+len(w.requests) || saved.Repeated != 0 || saved.Requests != len(w.requests) ||
				saved.Readers != (librariesdb.ReaderCounts{New: len(w.readers)}) {
				t.Errorf("seed %d: the whole saved %+v, want %d events and %d requests of %d readers", seed, saved, len(w.events), len(w.requests), len(w.readers))
			}
			var n librariesdb.Saved
			for i, f := range w.pieces(5) {
				o := ls[1].options()
				o.TempDir = t.TempDir()
				o.MemoryLimit = i * 1000 // 0 is the default
				s := ls[1].load(f, o)
				n.New += s.New
				n.Repeated += s.Repeated
				n.Requests += s.Requests
				checkEmpty(t, o.TempDir)
			}
			if n.New != saved.New || n.Repeated == 0 || n.Requests != saved.Requests {
				t.Errorf("seed %d: the pieces saved %+v, want as many new events as the whole and some repeated: %+v", seed, n, saved)
			}
			checkSame(t, fmt.Sprint("seed ", seed), ls[1].dump(), ls[0].dump())
		}
	})
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the load leaves temporary files %v, %v", left, err)
	}
}

// What is stored of a feed is what it says: each thing on its day, also where days wait in one slot.
func TestWholeIsWhatHappened(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(13)
		l := loaders(t, db, "whole")[0]
		access := libraries.Access{Network: l.network, At: l.load(w.whole(), l.options()).Versions}
		days, err := l.Days(t.Context(), access)
		if err != nil {
			t.Fatal(err)
		}
		got := map[calendar.Date]libraries.Measures{}
		for i, day := range days.Dates {
			sums := libraries.Measures{}
			for _, m := range told {
				sums[m] = days.Totals[i].Sums[m]
			}
			got[day] = sums
		}
		if want := w.days(); !reflect.DeepEqual(got, want) {
			t.Errorf("the days are %v, want %v", got, want)
		}
		loans := map[int64]int64{}
		for _, states := range w.loans {
			loans[states[0].Reader]++
			if row, err := l.LoansByID(t.Context(), l.network, []int64{states[0].ID}); loanText(row[states[0].ID]) != loanText(last(states)) {
				t.Errorf("loan %d is stored as %v, %v, want %v", states[0].ID, row, err, last(states))
			}
		}
		for reader, attributes := range l.attributes() {
			if attributes.Loans != loans[reader] {
				t.Errorf("reader %d has %d loans, want %d", reader, attributes.Loans, loans[reader])
			}
		}
		requests, err := l.Requests(t.Context(), access, calendar.Period{Start: firstDay, End: lastDay})
		slices.SortFunc(requests, func(a, b libraries.Request) int { return cmp.Compare(a.ID, b.ID) })
		if !slices.Equal(requests, w.requests) {
			t.Errorf("the requests are %v, %v, want %v", requests, err, w.requests)
		}
	})
}

// attributes returns those of all readers.
func (l *loader) attributes() map[int64]libraries.Attributes {
	l.Helper()
	rows, err := l.db.QueryContext(l.Context(), `SELECT data FROM libraries_attributes WHERE tenant_id = ?`, l.network)
	if err != nil {
		l.Fatal(err)
	}
	defer rows.Close()
	all := map[int64]libraries.Attributes{}
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			l.Fatal(err)
		}
		block, err := libraries.ParseAttributes(data)
		if err != nil {
			l.Fatal(err)
		}
		for _, a := range block {
			all[a.ID] = a
		}
	}
	return all
}

// Loading a feed twice changes nothing but the hour and the versions.
func TestRepetitionChangesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(7)
		l := loaders(t, db, "twice")[0]
		first := l.load(w.whole(), l.options())
		if first.Hour != l.hour || first.Versions != (state.Versions{Registers: 1, Facts: 1}) || l.versions() != first.Versions {
			t.Errorf("the first load = %+v, published as %v", first, l.versions())
		}
		before := l.dump()

		l.hour++
		again := l.load(w.whole(), l.options())
		want := librariesdb.Saved{
			Repeated: first.New, Readers: librariesdb.ReaderCounts{Unchanged: len(w.readers)},
			Hour: l.hour, Versions: state.Versions{Registers: 2, Facts: 2},
		}
		if again != want {
			t.Errorf("the second load = %+v, want %+v", again, want)
		}
		l.hour--
		if st := l.intake().State; st.Hour != again.Hour || st.At != again.Versions {
			t.Errorf("the state is of hour %d and versions %v, want %d and %v", st.Hour, st.At, again.Hour, again.Versions)
		}
		after := l.dump()
		for i, row := range before["libraries_networks"] {
			var hour int
			if _, err := fmt.Sscanf(row, "hour=%d", &hour); err != nil {
				t.Fatal(err)
			}
			before["libraries_networks"][i] = fmt.Sprintf("hour=%d", hour+1) + row[len(fmt.Sprintf("hour=%d", hour)):]
		}
		checkSame(t, "after the second load", after, before)
	})
}

// A load that has nothing to say publishes its hour all the same.
func TestEmptyLoadPublishes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "empty")[0]
		saved := l.load(feed{}, l.options())
		if want := (librariesdb.Saved{Hour: l.hour, Versions: state.Versions{Registers: 1, Facts: 1}}); saved != want {
			t.Errorf("Save = %+v, want %+v", saved, want)
		}
		if hour, err := l.Hour(t.Context(), libraries.Access{Network: l.network, At: saved.Versions}); hour != l.hour || err != nil {
			t.Errorf("Hour = %d, %v, want %d", hour, err, l.hour)
		}
	})
}

// A load settled against a state that is no more writes nothing.
func TestOvertaken(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(8)
		l := loaders(t, db, "slow")[0]
		in, pile := l.intake(), l.pile(w.whole())
		l.load(feed{readers: w.readers[0][:1]}, l.options())
		before, at := l.dump(), l.versions()
		if saved, err := l.Save(t.Context(), l.network, in, pile, l.options()); !errors.Is(err, librariesdb.ErrOvertaken) || saved != (librariesdb.Saved{}) {
			t.Errorf("Save = %+v, %v, want ErrOvertaken", saved, err)
		}
		checkSame(t, "after an overtaken load", l.dump(), before)
		if v := l.versions(); v != at {
			t.Errorf("the versions are %v, want %v", v, at)
		}
		// The pile is as it was, but it is settled anew by its owner.
		if saved, err := l.Save(t.Context(), l.network, l.intake(), pile, l.options()); err != nil || saved.New != len(w.events)+len(w.requests) {
			t.Errorf("Save against the present state = %+v, %v", saved, err)
		}
	})
}

// Nothing is visible of a load that is not published, be it that its hour does not come or that it is stopped.
func TestUnpublishedLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		stop := errors.New("stop")
		w := newWorld(9)
		l := loaders(t, db, "stopped")[0]
		l.load(w.pieces(2)[0], l.options())
		before, at := l.dump(), l.versions()
		for name, publish := range map[string]func(context.CancelFunc) error{
			"Error":     func(context.CancelFunc) error { return stop },
			"Cancelled": func(cancel context.CancelFunc) error { cancel(); return nil },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			o := l.options()
			o.TempDir = t.TempDir()
			o.MemoryLimit = 1
			o.Publish = func(context.Context) (libraries.Hour, error) {
				checkSame(t, name+": before it is published", l.dump(), before)
				return l.hour, publish(cancel)
			}
			saved, err := l.Save(ctx, l.network, l.intake(), l.pile(w.whole()), o)
			if saved != (librariesdb.Saved{}) || !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: Save = %+v, %v", name, saved, err)
			}
			checkSame(t, name, l.dump(), before)
			if v := l.versions(); v != at {
				t.Errorf("%s: the versions are %v, want %v", name, v, at)
			}
			checkEmpty(t, o.TempDir)
			cancel()
		}
	})
}

// Networks whose feeds have the same identifiers do not touch one another.
func TestNetworksAreApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		a, b := newWorld(10), newWorld(11)
		ls := loaders(t, db, "a", "b", "alone")
		ls[0].load(a.pieces(2)[0], ls[0].options())
		first := ls[0].dump()
		for _, f := range b.pieces(3) {
			ls[1].load(f, ls[1].options())
		}
		checkSame(t, "after loads of another network", ls[0].dump(), first)
		ls[2].load(b.whole(), ls[2].options())
		checkSame(t, "beside another network", ls[1].dump(), ls[2].dump())
	})
}

// Progress counts every step once, up to the total.
func TestProgress(t *testing.T) {
	l := loaders(t, dbtest.SQLite(t), "steps")[0]
	want, total := 0, 0 // 0 is told when the load has its turn
	o := l.options()
	o.Progress = func(done, of int) {
		if done != want {
			t.Errorf("step %d is told as %d of %d", want, done, of)
		}
		want, total = done+1, of
	}
	l.load(newWorld(12).whole(), o)
	if want-1 != total {
		t.Errorf("%d steps were told, want %d", want-1, total)
	}
}

// Without Publish a load is published as the hour that it is.
func TestPublishAtOnce(t *testing.T) {
	l := loaders(t, dbtest.SQLite(t), "now")[0]
	before := libraries.HourOf(calendar.MustParse("2026-07-21").Start())
	if saved := l.load(feed{}, librariesdb.SaveOptions{}); saved.Hour < before {
		t.Errorf("published as hour %d, want one of now", saved.Hour)
	}
}
