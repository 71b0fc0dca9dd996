package intake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

var day = calendar.MustParse("2026-03-10")

// read returns an event of a user reading a book.
func read(user directory.UserID, book int64, number int) schools.Event {
	return schools.Event{
		ID: schools.EventID{Series: 1, Number: int64(number)}, User: user, Day: day, Effect: schools.EffectiveReading,
		At: 36_000, MS: 60_000, Book: book, Extent: reading.Interval{From: 0, To: 50},
	}
}

// newFacts returns the facts of a partner in a new database, without a load.
func newFacts(t *testing.T) facts.Facts {
	t.Helper()
	db := dbtest.SQLite(t)
	if _, err := server.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	id, err := directorydb.CreatePartner(t.Context(), db, "p", "P")
	if err != nil {
		t.Fatal(err)
	}
	return facts.Facts{Blocks: server.Snapshots(db, nil), Partner: id}
}

// load loads events and publishes them.
func load(t *testing.T, f *facts.Facts, s *intake.Sorter, m intake.Moves) {
	t.Helper()
	l, err := f.Blocks.(*snapshotdb.Store).Begin(t.Context(), auth.Tenant(f.Partner), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = intake.Load(t.Context(), l, s, intake.LoadOptions{Moves: m}); err == nil {
		_, err = l.Publish(t.Context(), func(_ context.Context, _ bun.Tx, now time.Time, h *snapshotdb.Current) error {
			h.Facts, h.From = l.Number(), now
			return nil
		})
	}
	if err := errors.Join(err, l.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	f.At = l.Number()
}

// TestIndexesOfManyEvents tests that users whose indexes are stored together have all their books, also after a second
// load. Their events are more than are aggregated at a time.
func TestIndexesOfManyEvents(t *testing.T) {
	f := newFacts(t)
	users := []directory.UserID{128, 129, 130, 255}
	for times := range int64(2) {
		p := &intake.Sorter{}
		for _, user := range users {
			for n := range 70_000 {
				if err := p.Add(read(user, 1+times, int(times)<<20+n)); err != nil {
					t.Fatal(err)
				}
			}
		}
		load(t, &f, p, nil)
		index, err := f.Index(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range users {
			if books := index.Books(user, calendar.Period{Start: day, End: day}); int64(len(books)) != 1+times {
				t.Errorf("load %d: user %d has the books %v, want %d of them", times, user, books, 1+times)
			}
		}
	}
}

// sorterOf returns a sorter with events of 500 users in five blocks, three of which are in one partition.
func sorterOf(t *testing.T, limit int) *intake.Sorter {
	t.Helper()
	s := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir(), Limit: limit}}
	t.Cleanup(func() { s.Close() })
	for n := range 10 {
		for i := range 500 {
			block := []int{1, 257, 513, 2, 3}[i%5]
			if err := s.Add(read(directory.UserID(128*block+i/5), int64(1+n%3), n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// TestLargePartitions tests that a load stores the same whether a partition comes in one run or in several. This must
// also be true if events move to other accounts.
func TestLargePartitions(t *testing.T) {
	for _, moves := range []intake.Moves{nil, {128: 0}, {128: 0, 129: 257 * 128, 257*128 + 1: 128 + 2, 2 * 128: 128 + 3}} {
		whole, large := sorterOf(t, 1<<20), sorterOf(t, 16<<10)
		a, b := newFacts(t), newFacts(t)
		load(t, &a, whole, moves)
		load(t, &b, large, moves)
		if got, want := stored(t, b), stored(t, a); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("moves %v: a load of several runs stores %d blocks, want the same %d as a load of one run", moves, len(got), len(want))
		}
	}
}

// sumsRead counts the users whose sums a load reads.
type sumsRead struct {
	snapshot.Writer
	users int
}

func (w *sumsRead) Scan(ctx context.Context, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return w.Writer.Scan(ctx, t, at, k, r, func(b snapshot.Block) error {
		if k.Number == facts.SumsKind.Number {
			w.users++
		}
		return visit(b)
	})
}

// TestSumsRead tests that a load reads the sums of users whose reading it changes, and of nobody else.
func TestSumsRead(t *testing.T) {
	f := newFacts(t)
	load(t, &f, sorterOf(t, 1<<20), nil)
	reads, opens := read(128, 1, 100), read(128, 1, 101)
	opens.Effect = schools.Presence
	for _, tt := range []struct {
		event schools.Event
		want  int
	}{{reads, 1}, {opens, 0}} {
		s := &intake.Sorter{}
		if err := s.Add(tt.event); err != nil {
			t.Fatal(err)
		}
		w := &sumsRead{Writer: snapshot.Unwritten(f.Blocks, auth.Tenant(f.Partner), f.At)}
		fresh, _, err := intake.Load(t.Context(), w, s, intake.LoadOptions{Count: true})
		if err != nil || fresh != 1 || w.users != tt.want {
			t.Errorf("a load of an event of effect %d: %d new, sums of %d users read, %v, want 1, %d", tt.event.Effect, fresh, w.users, err, tt.want)
		}
	}
}

// stored returns the blocks of a snapshot.
func stored(t *testing.T, f facts.Facts) (all []string) {
	t.Helper()
	for _, kind := range []snapshot.Kind{facts.RecordKind, facts.IndexKind, facts.DayKind, facts.EventSetKind, facts.SumsKind} {
		err := f.Scan(t.Context(), kind, snapshot.Range{}, func(b snapshot.Block) error {
			all = append(all, fmt.Sprintf("%s %v %x", kind.Name, b.BlockKey, b.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
