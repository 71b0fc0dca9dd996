package intake_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// load loads a pile into a network in memory, and holds what it writes to what it says of it.
func load(t *testing.T, m *state.Memory, pile *intake.Pile, o intake.LoadOptions) (intake.Loaded, []int64) {
	t.Helper()
	to := m.Load(7)
	o.People = func(_ context.Context, ids []int64) (people []libraries.Reader, err error) {
		for _, r := range rows(t, m, intake.Readers) {
			if slices.Contains(ids, r.ID) {
				people = append(people, r)
			}
		}
		return people, nil
	}
	n, erased, err := intake.Load(t.Context(), checked{to, t}, &intake.Intake{}, pile, o)
	noError(t, err)
	_, err = to.Hold()
	noError(t, err)
	return n, erased
}

// checked is a load that is told of a row whether there is one in its place.
type checked struct {
	*state.MemoryLoad
	t *testing.T
}

func (c checked) Write(ctx context.Context, changes ...state.Change) error {
	for _, change := range changes {
		gone := map[string]bool{}
		for _, key := range change.Gone {
			gone[fmt.Sprint(key)] = true
		}
		if change.Put == nil {
			continue
		}
		for values := range change.Put {
			key := values[:len(change.Table.Key)]
			known := false
			for was := range c.Rows(c.Tenant(), change.Table, state.At(c.Base())) {
				known = known || slices.Equal(was[:len(key)], key)
			}
			if known != gone[fmt.Sprint(key)] {
				c.t.Errorf("row %v of %s is put in as one that is there: %t", key, change.Table.Name, !known)
			}
		}
	}
	return c.MemoryLoad.Write(ctx, changes...)
}

// rows are the records of a table that hold now.
func rows[T any](t *testing.T, m *state.Memory, of *state.Records[T]) (list []T) {
	t.Helper()
	for v, err := range state.ReadRows(m, 7, of, state.At(m.Now(7))) {
		noError(t, err)
		list = append(list, v)
	}
	return list
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
			pile.AddLoan(facts.LoanChange{Now: libraries.Loan{ID: n, Reader: n % 3, Book: 7, Borrowed: at, Status: libraries.LoanActive}}),
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
		facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind, facts.TitleCountsKind, facts.LoanReadingsKind,
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
	whole := &state.Memory{}
	steps := -1
	counted := intake.LoadOptions{Progress: func(done, total int) {
		if steps++; done != steps || done > total {
			t.Errorf("step %d of %d is told as %d", steps, total, done)
		}
	}}
	n, _ := load(t, whole, loadedFeed(t, days...), counted)
	if want := (intake.Loaded{New: len(days), Readers: intake.ReaderCounts{New: 3}}); n != want {
		t.Errorf("the whole: %+v, want %+v", n, want)
	}
	pieces := &state.Memory{}
	load(t, pieces, loadedFeed(t, days[20:]...), intake.LoadOptions{})
	load(t, pieces, loadedFeed(t, days[:20]...), intake.LoadOptions{})
	if !slices.Equal(everything(t, pieces), everything(t, whole)) {
		t.Error("in pieces the blocks are others than of the whole")
	}
	loans := rows(t, whole, intake.Loans)
	if others := rows(t, pieces, intake.Loans); !reflect.DeepEqual(others, loans) || len(loans) != len(days) {
		t.Errorf("in pieces there are the loans %v, of the whole %v", others, loans)
	}

	again := &intake.Pile{}
	t.Cleanup(func() { again.Close() })
	was := loans[0]
	now := was
	now.Status, now.Returned = libraries.LoanReturned, was.Borrowed.Add(time.Hour)
	gone := rows(t, whole, intake.Readers)[0]
	gone.Status, gone.DeletedAt, gone.Updated = libraries.ReaderDeleted, days[0], gone.Updated.Add(time.Hour)
	noError(t, again.AddLoan(facts.LoanChange{Now: now, Was: &was}))
	noError(t, again.AddReader(gone))
	n, erased := load(t, whole, again, intake.LoadOptions{})
	if want := (intake.Loaded{Readers: intake.ReaderCounts{Changed: 1}}); n != want || !slices.Equal(erased, []int64{0}) {
		t.Errorf("a return and a deletion: %+v, want %+v; erased are %v", n, want, erased)
	}
	if got := rows(t, whole, intake.Loans)[0]; got != now {
		t.Errorf("the loan is %+v", got)
	}
}

// TestReadingsOfLoans: what was read of the loans of a day stands with the day as readers' titles have it, from its first loan on. A
// day that had loans without, as one of an earlier version, stays without.
func TestReadingsOfLoans(t *testing.T) {
	days := []calendar.Date{libraries.HistoryStart + 1, libraries.HistoryStart + 5, libraries.HistoryStart + 10}
	m := &state.Memory{}
	load(t, m, loadedFeed(t, days...), intake.LoadOptions{})
	check := func(what string, want ...string) {
		t.Helper()
		var got []string
		err := m.Scan(t.Context(), 7, m.Now(7), facts.LoanReadingsKind, state.Range{}, func(b state.Block) error {
			readings, err := facts.ParseLoanReadings(b.Data)
			got = append(got, fmt.Sprint(b.A-int64(libraries.HistoryStart), readings))
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
	}
	check("a first load", "1 [{1 7 180 10.00}]", "5 [{2 7 90 5.00}]", "10 [{1 7 180 10.00}]")

	former := m.Load(7)
	noError(t, former.Write(t.Context(), state.Change{Table: state.BlocksTable, Gone: [][]int64{{int64(facts.LoanReadingsKind.Number), int64(days[1]), 0}}}))
	_, err := former.Hold()
	noError(t, err)
	load(t, m, loadedFeed(t, days[1]+6), intake.LoadOptions{})
	check("a day of a former version", "1 [{1 7 180 10.00}]", "10 [{1 7 180 10.00}]", "11 [{2 7 180 11.00}]")
}

// TestWriteRows: rows of loans that are written while the pile still grows are those that a load writes by itself.
func TestWriteRows(t *testing.T) {
	days := []calendar.Date{libraries.HistoryStart + 1, libraries.HistoryStart + 5, libraries.HistoryStart + 10}
	whole := &state.Memory{}
	load(t, whole, loadedFeed(t, days...), intake.LoadOptions{})

	early, pile := &state.Memory{}, loadedFeed(t, days...)
	to := early.Load(7)
	pile.WriteRows(t.Context(), to)
	late := libraries.Reader{ID: 9, Name: "Eva", Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: someInstant.UTC()}
	noError(t, pile.AddReader(late))
	_, _, err := intake.Load(t.Context(), to, &intake.Intake{}, pile, intake.LoadOptions{})
	noError(t, err)
	_, err = to.Hold()
	noError(t, err)
	if got, want := rows(t, early, intake.Loans), rows(t, whole, intake.Loans); !reflect.DeepEqual(got, want) || len(got) != len(days) {
		t.Errorf("loans written early are %v, want %v", got, want)
	}
	if got := rows(t, early, intake.Readers); len(got) != 3 || got[2] != late {
		t.Errorf("the readers are %v", got)
	}
}

// refusing is a load that cannot write loans: its Write says why, or waits for the end of its context where that is nil.
type refusing struct {
	*state.MemoryLoad
	why   error
	begun chan struct{}
}

func (r refusing) Write(ctx context.Context, changes ...state.Change) error {
	for _, c := range changes {
		if c.Table != intake.Loans.Table {
			continue
		}
		close(r.begun)
		if r.why == nil {
			<-ctx.Done()
			return ctx.Err()
		}
		return r.why
	}
	return r.MemoryLoad.Write(ctx, changes...)
}

// TestRowsThatCannotBeWritten fail the load; where there is none, as after a bad row, they are not written on.
func TestRowsThatCannotBeWritten(t *testing.T) {
	m, why := &state.Memory{}, errors.New("no room")
	_, _, err := intake.Load(t.Context(), refusing{m.Load(7), why, make(chan struct{})}, &intake.Intake{}, loadedFeed(t, libraries.HistoryStart), intake.LoadOptions{})
	if !errors.Is(err, why) {
		t.Errorf("the load of loans that cannot be written is %v", err)
	}
	pile := loadedFeed(t, libraries.HistoryStart)
	to := refusing{m.Load(7), nil, make(chan struct{})}
	pile.WriteRows(t.Context(), to)
	<-to.begun
	noError(t, pile.Close())
}
