package schoolsdb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// day is the only day with reading.
var day = calendar.MustParse("2026-03-09") // the tenth day of a block of event ids

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

// reconcile validates the feed against the stored tables.
func reconcile(_ *intake.Intake, st intake.Stored) (*intake.Intake, error) {
	in := &intake.Intake{Stored: st, Began: (day + 1).Start(), History: day}
	fail := func(line int, field, reason string) error { return errors.New(field + " " + reason) }
	_, e1 := in.Entities([]row.Lined[intake.EntityRow]{{Row: intake.EntityRow{Ref: "rede", Type: "network", Name: "Rede", Degree: "F"}}}, fail)
	_, e2 := in.Accounts([]row.Lined[intake.AccountRow]{{Row: intake.AccountRow{Ref: "ana", Kind: "reader", Name: "Ana", EntityRef: "rede", Active: true}}}, fail)
	_, e3 := in.Books([]row.Lined[schools.Book]{{Row: schools.Book{ID: 9, Title: "Iracema", Length: 100}}}, fail)
	return in, errors.Join(e1, e2, e3)
}

// sorterOf returns a sorter with one segment of the given identifier.
func sorterOf(in *intake.Intake, segment string) (*intake.Sorter, error) {
	e, err := in.Segment(intake.SegmentRow{
		ID: []byte(segment), Account: []byte("ana"), Book: 9, Start: day.Start().Add(time.Hour), DurationMS: 60_000, To: 50, WPM: []byte("100"),
	})
	sorter := &intake.Sorter{}
	return sorter, errors.Join(err, sorter.Add(e))
}

// save loads one segment.
func (f *fixture) save(ctx context.Context, segment string, progress func(done, total int)) (saved schoolsdb.Saved, err error) {
	f.t.Helper()
	l, err := f.Begin(ctx, f.partner, reconcile, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { err = errors.Join(err, l.Close(context.WithoutCancel(ctx))) }()
	in, err := l.Intake(ctx, "acme")
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := sorterOf(in, segment)
	if err != nil {
		f.t.Fatal(err)
	}
	return l.Save(ctx, in, p, progress)
}

// stored reads the current tables.
func (f *fixture) stored() intake.Stored {
	f.t.Helper()
	st, err := f.State(f.t.Context(), f.partner, "acme")
	if err != nil {
		f.t.Fatal(err)
	}
	return st
}

// load loads one segment and returns the versions that are published.
func (f *fixture) load(segment string) snapshot.Versions {
	f.t.Helper()
	saved, err := f.save(f.t.Context(), segment, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return saved.Versions
}

// answers returns the users, engagements and readings of a snapshot as text.
func (f *fixture) answers(at snapshot.Versions) string {
	f.t.Helper()
	reports := &report.Reports{Store: f.Store}
	access := report.Access{Partner: f.partner, Network: 1, At: at}
	period, page := calendar.Period{Start: day, End: day}, paging.Page{Number: 1, Size: 10}
	users, e1 := reports.Users(f.t.Context(), access, report.Filter{}, page)
	days, e2 := reports.Engagements(f.t.Context(), access, period, report.Filter{}, page)
	readings, e3 := reports.Readings(f.t.Context(), access, period, report.Filter{}, page)
	if err := errors.Join(e1, e2, e3); err != nil {
		f.t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v ", users, days)
	for _, r := range readings.Rows {
		text += fmt.Sprintf("%d %+v %d %d;", r.UserID, *r.Book, r.Percent, r.Minutes)
	}
	return text
}

// TestReadsNameTheirSnapshot tests that every snapshot answers as it did when it was loaded, whatever was loaded since.
func TestReadsNameTheirSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		var snapshots []snapshot.Versions
		var then []string
		for i := range 5 {
			snapshots = append(snapshots, f.load(fmt.Sprint("s", i)))
			then = append(then, f.answers(snapshots[i]))
		}
		for i, at := range snapshots {
			if got := f.answers(at); got != then[i] {
				t.Errorf("snapshot %d answers\n%s\nwant\n%s", i, got, then[i])
			}
			if i > 0 && then[i] == then[i-1] {
				t.Errorf("load %d changed nothing", i)
			}
		}
	})
}

// TestCancelledSave tests that a load that is cancelled before its last step leaves only the numbers that it reserved.
func TestCancelledSave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := f.save(ctx, "s1", func(done, total int) {
			if done == total {
				cancel()
			}
		})
		if err == nil {
			t.Error("a cancelled load succeeded")
		}
		if st := f.stored(); st.At != (snapshot.Versions{}) || len(st.Entities) != 0 || st.LastUser != 1 {
			t.Errorf("stored tables after a cancelled load = %+v, want only the reserved numbers", st)
		}
	})
}

// TestCorruptData tests that reports find a flipped bit anywhere in the blocks that they read.
func TestCorruptData(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		at := f.load("s1")
		reports := &report.Reports{Store: f.Store}
		access := report.Access{Partner: f.partner, Network: 1, At: at}
		period, page := calendar.Period{Start: day, End: day}, paging.Page{Number: 1, Size: 10}
		if list, err := reports.Readings(t.Context(), access, period, report.Filter{}, page); err != nil || len(list.Rows) != 1 || list.Rows[0].Percent != 50_00 {
			t.Fatalf("Readings = %+v, %v, want one of half the book", list, err)
		}
		blocks, err := blocksOf(t, db)
		if err != nil || len(blocks) != 5 {
			t.Fatalf("%d blocks, %v, want 5, one of each kind", len(blocks), err)
		}
		for _, kind := range slices.Backward(slices.Sorted(maps.Keys(blocks))) {
			data := blocks[kind]
			if kind == facts.RecordKind.Number { // read only if there are no sums
				withoutSums(t, db)
			}
			step := 1
			if testing.Short() {
				step = 13 // each bit of a byte, in turn
			}
			for i := 0; i < 8*len(data); i += step {
				flipped := slices.Clone(data)
				flipped[i/8] ^= 1 << (i % 8)
				setBlock(t, db, kind, flipped)
				_, e1 := reports.Readings(t.Context(), access, period, report.Filter{}, page)
				_, e2 := reports.Engagements(t.Context(), access, period, report.Filter{}, page)
				if err := errors.Join(e1, e2); kind != facts.EventSetKind.Number && !errors.Is(err, snapshot.ErrCorrupt) {
					t.Errorf("with bit %d of a block of kind %d flipped: %v, want ErrCorrupt", i, kind, err)
				}
			}
			setBlock(t, db, kind, data)
		}
		if _, err := reports.Readings(t.Context(), access, period, report.Filter{}, page); err != nil {
			t.Errorf("Readings with all bits restored = %v, want nil", err)
		}
	})
}

// withoutSums removes the sums, so that reports read records.
func withoutSums(t *testing.T, db *database.DB) {
	t.Helper()
	if _, err := db.NewRaw(`DELETE FROM blocks WHERE kind = ?`, facts.SumsKind.Number).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// blocksOf returns the block of each kind.
func blocksOf(t *testing.T, db *database.DB) (map[int16][]byte, error) {
	rows, err := db.QueryContext(t.Context(), `SELECT kind, data FROM blocks`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	blocks := map[int16][]byte{}
	for rows.Next() {
		var kind int16
		var data []byte
		if err := rows.Scan(&kind, &data); err != nil {
			return nil, err
		}
		blocks[kind] = data
	}
	return blocks, rows.Err()
}

func setBlock(t *testing.T, db *database.DB, kind int16, data []byte) {
	t.Helper()
	if _, err := db.NewRaw(`UPDATE blocks SET data = ? WHERE kind = ?`, data, kind).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestStoredIsOfOneTime tests that State reads one point in time: it knows the reference that an account gave up.
func TestStoredIsOfOneTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.load("s")
		directoryStore := &directorydb.Store{DB: db.DB}
		sent := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
		ref := func(n int) directory.Ref { return directory.Ref(fmt.Sprint("rui-", n)) }
		rui := directory.TeacherInput{Name: sent("Rui"), Email: sent("rui@escola.example"), Phone: sent("1"), ReferenceID: sent(string(ref(0))), EntityReferenceID: sent("rede")}
		if _, err := directoryStore.CreateTeacher(t.Context(), f.partner, rui); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		renamed := make(chan error, 1)
		go func() {
			var err error
			for n := 0; err == nil && ctx.Err() == nil; n++ {
				rui.ReferenceID = sent(string(ref(n + 1)))
				_, err = directoryStore.UpdateTeacher(t.Context(), f.partner, ref(n), rui)
			}
			renamed <- err
		}()
		seen := map[directory.Ref]bool{}
		for i := 0; i < 100 || len(seen) < 2 && i < 100_000; i++ {
			st := f.stored()
			for _, a := range st.Accounts {
				var n int
				if _, err := fmt.Sscanf(string(a.Ref), "rui-%d", &n); err != nil || n == 0 {
					continue
				}
				seen[a.Ref] = true
				if st.RefOwners.Last(ref(n-1)) != a.ID {
					t.Errorf("the account has the reference %s, but does not own its earlier one, %s", a.Ref, ref(n-1))
				}
			}
		}
		cancel()
		if err := <-renamed; err != nil {
			t.Fatal(err)
		}
		if len(seen) < 2 {
			t.Fatalf("references read = %v, want at least two", seen)
		}
	})
}
