package schoolsdb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// day is the only day with reading.
var day = calendar.MustParse("2026-03-01")

// fixture is a partner with one network, one reader and one book.
type fixture struct {
	*schoolsdb.Store
	t       *testing.T
	db      *database.DB
	partner directory.PartnerID
}

func newFixture(t *testing.T, db *database.DB) *fixture {
	t.Helper()
	if _, err := db.Migrate(t.Context(), server.Schema()...); err != nil {
		t.Fatal(err)
	}
	id, err := directorydb.CreatePartner(t.Context(), db, "acme", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{&schoolsdb.Store{DB: db.DB, Copy: db.Copy}, t, db, id}
}

// settle settles a feed of one segment of the given identifier, and the registers, against a state.
func (f *fixture) settle(st schools.State, segment string) (*schools.Intake, *schools.Pile) {
	f.t.Helper()
	in := &schools.Intake{State: st, Began: (day + 1).Start(), History: day, NewToken: func() (string, error) { return "0123456789ABCDEF", nil }}
	fail := func(line int, field, reason string) error { return errors.New(field + " " + reason) }
	_, e1 := in.Entities([]schools.EntityRow{{Ref: "rede", Type: "network", Name: "Rede", Degree: "F"}}, fail)
	_, e2 := in.Accounts([]schools.AccountRow{{Ref: "ana", Kind: "reader", Name: "Ana", EntityRef: "rede", Active: true}}, fail)
	_, e3 := in.Books([]schools.BookRow{{Book: schools.Book{ID: 9, Title: "Iracema", Length: 100}}}, fail)
	e, e4 := in.Segment([]byte(segment), []byte("ana"), 9, reading.Segment{
		Start: day.Start().Add(time.Hour), DurationMS: 60_000, To: 50, Speed: reading.WordsPerMinute(100),
	})
	pile := &schools.Pile{}
	if err := errors.Join(e1, e2, e3, e4, pile.Add(e)); err != nil {
		f.t.Fatal(err)
	}
	return in, pile
}

// state reads the present state.
func (f *fixture) state() schools.State {
	f.t.Helper()
	st, err := f.State(f.t.Context(), f.partner, "acme")
	if err != nil {
		f.t.Fatal(err)
	}
	return st
}

// load loads one segment and returns the state that is published.
func (f *fixture) load(segment string) state.Versions {
	f.t.Helper()
	in, pile := f.settle(f.state(), segment)
	saved, err := f.Save(f.t.Context(), f.partner, in, pile, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return saved.Versions
}

// reads are all reads of a store.
func (f *fixture) reads() map[string]func(at state.Versions) error {
	ctx, p := f.t.Context(), f.partner
	period := calendar.Period{Start: day, End: day}
	keys := []schools.RecordKey{{User: 1, Book: 9}}
	return map[string]func(state.Versions) error{
		"Register":   func(at state.Versions) error { _, err := f.Register(ctx, p, at); return err },
		"Books":      func(at state.Versions) error { _, err := f.Books(ctx, p, at); return err },
		"Ledgers":    func(at state.Versions) error { _, err := f.Ledgers(ctx, p, at); return err },
		"Attendance": func(at state.Versions) error { _, err := f.Attendance(ctx, p, at); return err },
		"Minutes":    func(at state.Versions) error { _, err := f.Minutes(ctx, p, at, period); return err },
		"People":     func(at state.Versions) error { _, err := f.People(ctx, p, at, []directory.UserID{1}); return err },
		"Records": func(at state.Versions) error {
			return f.Records(ctx, p, at, keys, period, func(schools.RecordKey, []byte) error { return nil })
		},
	}
}

// TestReadsNameTheirState asks for the state before a load: every read says which state is the present one.
func TestReadsNameTheirState(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		before := f.load("s1")
		after := f.load("s2")
		for name, read := range f.reads() {
			var moved *state.MovedError
			if err := read(before); !errors.As(err, &moved) || moved.Now != after {
				t.Errorf("%s of %v = %v, want it to have moved on to %v", name, before, err, after)
			}
			if err := read(after); err != nil {
				t.Errorf("%s of %v = %v", name, after, err)
			}
		}
	})
}

// TestOvertakenSave settles two feeds against one state: the second is refused and leaves nothing.
func TestOvertakenSave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.load("s1")
		late, pile := f.settle(f.state(), "late")
		after := f.load("s2")
		if _, err := f.Save(t.Context(), f.partner, late, pile, nil); !errors.Is(err, schoolsdb.ErrOvertaken) {
			t.Errorf("Save against a state that is past = %v, want ErrOvertaken", err)
		}
		if now := f.state().At; now != after {
			t.Errorf("the state is %v after a refused load, want %v", now, after)
		}
	})
}

// TestCancelledSave cancels a load before its commit: nothing of it is there.
func TestCancelledSave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		in, pile := f.settle(f.state(), "s1")
		ctx, cancel := context.WithCancel(t.Context())
		_, err := f.Save(ctx, f.partner, in, pile, func(done, total int) {
			if done == total {
				cancel()
			}
		})
		if err == nil {
			t.Error("a cancelled load succeeded")
		}
		if st := f.state(); st.At != (state.Versions{}) || len(st.Entities) != 0 || st.LastUser != 0 {
			t.Errorf("after a cancelled load the state is %+v", st)
		}
	})
}

// TestCorruptData puts bytes into the database that no load writes: the reports say so, and do not panic.
func TestCorruptData(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		at := f.load("s1")
		reports := &schools.Reports{Store: f.Store}
		access := schools.Access{Partner: f.partner, Network: 1, At: at}
		period, page := calendar.Period{Start: day, End: day}, paging.Page{Number: 1, Size: 10}
		if list, err := reports.Readings(t.Context(), access, period, schools.Filter{}, page); err != nil || len(list.Rows) != 1 || list.Rows[0].Percent != 50_00 {
			t.Fatalf("readings = %+v, %v", list, err)
		}
		for _, c := range []struct {
			table, column string
			report        func() error
		}{
			{"schools_records", "data", func() error {
				_, err := reports.Readings(t.Context(), access, period, schools.Filter{}, page)
				return err
			}},
			{"schools_ledgers", "data", func() error {
				_, err := reports.Readings(t.Context(), access, period, schools.Filter{}, page)
				return err
			}},
			{"schools_days", "minutes", func() error {
				_, err := reports.Engagements(t.Context(), access, period, schools.Filter{}, page)
				return err
			}},
			{"schools_days", "presence", func() error {
				_, err := reports.Engagements(t.Context(), access, period, schools.Filter{}, page)
				return err
			}},
		} {
			if _, err := db.NewUpdate().Table(c.table).Set("? = ?", bun.Ident(c.column), []byte{1, 2, 3}).Where("tenant_id = ?", f.partner).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.report(); !errors.Is(err, schools.ErrCorrupt) && !errors.Is(err, reading.ErrCorrupt) {
				t.Errorf("with a corrupt %s.%s: %v, want ErrCorrupt", c.table, c.column, err)
			}
		}
	})
}
