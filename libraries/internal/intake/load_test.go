package intake_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// remembering is a Writer without a database: blocks in a state.Memory, and beside them the rows of one network.
type remembering struct {
	*state.MemoryLoad
	*registers
}

type registers struct {
	readers map[int64]libraries.Reader
	loans   map[int64]libraries.Loan
	erased  []int64
}

func (r remembering) People(_ context.Context, ids []int64) (list []libraries.Reader, err error) {
	for _, id := range ids {
		if reader, ok := r.readers[id]; ok {
			list = append(list, reader)
		}
	}
	return list, nil
}

func (r remembering) WriteAll(ctx context.Context, changes ...intake.Written) error {
	for _, c := range changes {
		if err := r.Write(ctx, c.Blocks...); err != nil {
			return err
		}
		if err := take(r.readers, c.Readers, func(r libraries.Reader) int64 { return r.ID }); err != nil {
			return err
		}
		if err := take(r.loans, c.Loans, func(l libraries.Loan) int64 { return l.ID }); err != nil {
			return err
		}
		r.erased = append(r.erased, c.Erased...)
	}
	return nil
}

// take puts rows into a table, and holds a load to what it says of them.
func take[T any](table map[int64]T, p intake.Puts[T], id func(T) int64) error {
	for again, list := range map[bool][]T{false: p.New, true: p.Again} {
		for _, v := range list {
			if _, known := table[id(v)]; known != again {
				return fmt.Errorf("row %d is put in as one that is there: %t", id(v), again)
			}
			table[id(v)] = v
		}
	}
	return nil
}

// loadedFeed is what a load has of one day: a row of a reader, a session and a loan of its own.
func loadedFeed(t *testing.T, days ...calendar.Date) *intake.Pile {
	t.Helper()
	pile := &intake.Pile{}
	t.Cleanup(func() { pile.Close() })
	for _, day := range days {
		n := int64(day - libraries.HistoryStart)
		at := day.Start().UTC().Add(time.Hour)
		id := fmt.Append(nil, n)
		for _, err := range []error{
			pile.AddReader(libraries.Reader{ID: n % 3, Name: "Ana", Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: someInstant.UTC()}),
			pile.AddEvent(facts.Event{Kind: libraries.SessionEvent, ID: facts.NewEventID(facts.SessionResource, id, n%3, day), Reader: n % 3,
				Book: 7, Day: day, Second: 60, Seconds: 90, Progress: 1000 * libraries.Progress(n%100), Mode: libraries.Online, Format: libraries.Ebook}),
			pile.AddLoan(facts.LoanChange{Loan: libraries.Loan{ID: n, Reader: n % 3, Book: 7, Borrowed: at, Status: libraries.LoanActive}}),
		} {
			noError(t, err)
		}
	}
	return pile
}

// facts are the blocks of a state, as texts.
func everything(t *testing.T, m *state.Memory) (all []string) {
	t.Helper()
	for _, k := range []state.Kind{
		facts.AttributesKind, facts.ReaderTitlesKind, facts.EventSetKind, facts.TotalsKind,
		facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind, facts.TitleCountsKind,
	} {
		err := m.Scan(t.Context(), 7, m.Now(7), k, state.Range{}, func(b state.Block) error {
			all = append(all, fmt.Sprintf("%s %d/%d %x", k.Name, b.A, b.B, b.Data))
			return nil
		})
		noError(t, err)
	}
	return all
}

// TestLoadWithoutDatabase: a network is loaded into memory, in pieces to the same blocks as whole; what was loaded is counted as
// repeated, and what takes the place of a row is told from what is new.
func TestLoadWithoutDatabase(t *testing.T) {
	var days []calendar.Date
	for day := libraries.HistoryStart; day < libraries.HistoryStart+300; day += 7 { // some share a slot
		days = append(days, day)
	}
	load := func(m *state.Memory, r *registers, pile *intake.Pile) intake.Loaded {
		t.Helper()
		to := m.Load(7)
		steps := -1
		n, err := intake.Load(t.Context(), remembering{to, r}, &intake.Intake{}, pile, intake.LoadOptions{
			Progress: func(done, total int) {
				if steps++; done != steps || done > total {
					t.Errorf("step %d of %d is told as %d", steps, total, done)
				}
			},
		})
		noError(t, err)
		_, err = to.Hold()
		noError(t, err)
		return n
	}
	newRegisters := func() *registers {
		return &registers{readers: map[int64]libraries.Reader{}, loans: map[int64]libraries.Loan{}}
	}

	whole, rows := &state.Memory{}, newRegisters()
	if n, want := load(whole, rows, loadedFeed(t, days...)), (intake.Loaded{New: len(days), Readers: intake.ReaderCounts{New: 3}}); n != want {
		t.Errorf("the whole: %+v, want %+v", n, want)
	}
	pieces, others := &state.Memory{}, newRegisters()
	load(pieces, others, loadedFeed(t, days[20:]...))
	load(pieces, others, loadedFeed(t, days[:20]...))
	if !slices.Equal(everything(t, pieces), everything(t, whole)) {
		t.Error("in pieces the blocks are others than of the whole")
	}
	if !maps.Equal(others.loans, rows.loans) || len(rows.loans) != len(days) {
		t.Errorf("in pieces there are the loans %v, of the whole %v", others.loans, rows.loans)
	}

	again := &intake.Pile{}
	t.Cleanup(func() { again.Close() })
	was := rows.loans[0]
	now := was
	now.Status, now.Returned = libraries.LoanReturned, was.Borrowed.Add(time.Hour)
	gone := rows.readers[0]
	gone.Status, gone.DeletedAt, gone.Updated = libraries.ReaderDeleted, days[0], gone.Updated.Add(time.Hour)
	noError(t, again.AddLoan(facts.LoanChange{Loan: now, Was: &was}))
	noError(t, again.AddReader(gone))
	if n, want := load(whole, rows, again), (intake.Loaded{Readers: intake.ReaderCounts{Changed: 1}}); n != want {
		t.Errorf("a return and a deletion: %+v, want %+v", n, want)
	}
	if !slices.Equal(rows.erased, []int64{0}) || rows.loans[0] != now {
		t.Errorf("erased are %v, and the loan is %+v", rows.erased, rows.loans[0])
	}
}
