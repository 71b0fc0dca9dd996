package intake_test

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
)

func TestLoanRows(t *testing.T) {
	second := time.Second
	tests := []struct {
		name, status string
		change       func(*libraries.Loan)
		want         string
	}{
		{"active", "active", func(*libraries.Loan) {}, ""},
		{"unknown reader", "active", func(l *libraries.Loan) { l.Reader = 3 }, "userId does not exist"},
		{"unknown title", "active", func(l *libraries.Loan) { l.Book = 3 }, "bookId does not exist"},
		{"returned", "returned", func(l *libraries.Loan) { l.Returned = laterInstant }, ""},
		{"returned without a time", "returned", func(*libraries.Loan) {}, "returnedAt is required unless the loan is active"},
		{"expired without a time", "expired", func(*libraries.Loan) {}, "returnedAt is required unless the loan is active"},
		{"active with a time", "active", func(l *libraries.Loan) { l.Returned = laterInstant }, "returnedAt must be empty while the loan is active"},
		{"returned at once", "returned", func(l *libraries.Loan) { l.Returned = someInstant }, ""},
		{"returned before it was made", "returned", func(l *libraries.Loan) { l.Returned = someInstant.Add(-second) }, "returnedAt must not be before borrowedAt"},
		{"expired before it was made", "expired", func(l *libraries.Loan) { l.Returned = someInstant.Add(-second) }, "returnedAt must not be before borrowedAt"},
		{"made five minutes after the load began", "active", func(l *libraries.Loan) { l.Borrowed = lastInstant }, ""},
		{"made later", "active", func(l *libraries.Loan) { l.Borrowed = afterLast }, "borrowedAt must not be more than 5 minutes after the load began"},
		{"returned five minutes after the load began", "returned", func(l *libraries.Loan) { l.Returned = lastInstant }, ""},
		{"returned later", "returned", func(l *libraries.Loan) { l.Returned = afterLast }, "returnedAt must not be more than 5 minutes after the load began"},
		{"made before the history", "active", func(l *libraries.Loan) { l.Borrowed = beforeFirst }, ""},
	}
	for _, tt := range tests {
		l := libraries.Loan{ID: 1, Reader: 1, Book: 1, Borrowed: someInstant}
		l.Status = map[string]libraries.LoanStatus{"active": libraries.LoanActive, "returned": libraries.LoanReturned, "expired": libraries.LoanExpired}[tt.status]
		tt.change(&l)
		_, err := newIntake().Loan(l)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Loan = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestReservationRows(t *testing.T) {
	tests := []struct {
		name, status string
		change       func(*libraries.Reservation)
		want         string
	}{
		{"unknown reader", "waiting", func(r *libraries.Reservation) { r.Reader = 3 }, "userId does not exist"},
		{"unknown title", "waiting", func(r *libraries.Reservation) { r.Book = 3 }, "bookId does not exist"},
		{"waiting", "waiting", func(*libraries.Reservation) {}, ""},
		{"available with a time", "available", func(r *libraries.Reservation) { r.Resolved = laterInstant }, "resolvedAt must be empty while the reservation is waiting or available"},
		{"converted without a time", "converted", func(*libraries.Reservation) {}, "resolvedAt is required unless the reservation is waiting or available"},
		{"cancelled without a time", "cancelled", func(*libraries.Reservation) {}, "resolvedAt is required unless the reservation is waiting or available"},
		{"lost", "lost", func(r *libraries.Reservation) { r.Resolved = laterInstant }, ""},
		{"lost at once", "lost", func(r *libraries.Reservation) { r.Resolved = r.Reserved }, ""},
		{"lost before it was made", "lost", func(r *libraries.Reservation) { r.Resolved = r.Reserved.Add(-time.Microsecond) }, "resolvedAt must not be before reservedAt"},
		{"made five minutes after the load began", "waiting", func(r *libraries.Reservation) { r.Reserved = lastInstant }, ""},
		{"made later", "waiting", func(r *libraries.Reservation) { r.Reserved = afterLast }, "reservedAt must not be more than 5 minutes after the load began"},
		{"lost five minutes after the load began", "lost", func(r *libraries.Reservation) { r.Resolved = lastInstant }, ""},
		{"lost later", "lost", func(r *libraries.Reservation) { r.Resolved = afterLast }, "resolvedAt must not be more than 5 minutes after the load began"},
	}
	for _, tt := range tests {
		r := libraries.Reservation{ID: 1, Reader: 1, Book: 1, Reserved: someInstant, Position: 3}
		for r.Status = libraries.Waiting; r.Status.String() != tt.status; {
			r.Status++
		}
		tt.change(&r)
		made, err := newIntake().Reservation(r)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Reservation = %q, want %q", tt.name, got, tt.want)
		}
		if want := map[bool]int64{true: 3, false: libraries.None}[made.Status.Active()]; err == nil && made.Position != want {
			t.Errorf("%s: position = %d, want %d (L6)", tt.name, made.Position, want)
		}
	}
}

// active returns the active loan 1 of reader 1 and title 1, with changes.
func active(change ...func(*libraries.Loan)) libraries.Loan {
	l := libraries.Loan{ID: 1, Reader: 1, Book: 1, Borrowed: someInstant.UTC(), Status: libraries.LoanActive}
	for _, c := range change {
		c(&l)
	}
	return l
}

func returned(l *libraries.Loan) { l.Status, l.Returned = libraries.LoanReturned, laterInstant.UTC() }

func due(l *libraries.Loan) { l.Due = new(calendar.MustParse("2026-08-15")) }

func early(l *libraries.Loan) { l.Borrowed = beforeFirst.UTC() }

func moved(l *libraries.Loan) { l.Borrowed = l.Borrowed.Add(time.Second) }

func earlier(l *libraries.Loan) { l.Borrowed = beforeFirst.Add(-time.Second).UTC() }

func ofAnother(l *libraries.Loan) { l.Reader = 2 }

func ofTitle2(l *libraries.Loan) { l.Book = 2 }

// TestReconcileLoans tests F1 on loans: which fields must not change, which row counts, and what happens to rows before
// the history.
func TestReconcileLoans(t *testing.T) {
	tests := []struct {
		name      string
		had, rows []libraries.Loan
		want      string
	}{
		{"new", nil, []libraries.Loan{active()}, "new 1"},
		{"same as before", []libraries.Loan{active(due)}, []libraries.Loan{active(due)}, "unchanged 1"},
		{"returned since", []libraries.Loan{active()}, []libraries.Loan{active(returned)}, "changed 1"},
		{"return reverted", []libraries.Loan{active(returned)}, []libraries.Loan{active()}, "changed 1"},
		{"another due date", []libraries.Loan{active()}, []libraries.Loan{active(due)}, "changed 1"},
		{"the later line wins", []libraries.Loan{active()}, []libraries.Loan{active(returned), active()}, "unchanged 1, superseded 1"},
		{"another reader than in the store", []libraries.Loan{active()}, []libraries.Loan{active(ofAnother)}, "line 1 userId must not change"},
		{"another title than in the store", []libraries.Loan{active()}, []libraries.Loan{active(ofTitle2)}, "line 1 bookId must not change"},
		{"another start than in the store", []libraries.Loan{active()}, []libraries.Loan{active(moved)}, "line 1 borrowedAt must not change"},
		{"another reader within the feed", nil, []libraries.Loan{active(), active(ofAnother)}, "new 1, line 2 userId must not change"},
		{"another title within the feed", nil, []libraries.Loan{active(), active(ofTitle2), active(returned)}, "new 1, superseded 1, line 2 bookId must not change"},
		{"another start within the feed", nil, []libraries.Loan{active(), active(moved)}, "new 1, line 2 borrowedAt must not change"},
		{"before the history", nil, []libraries.Loan{active(early), active(early, returned), active(earlier)}, "early 3"},
		{"in the history and before it", nil, []libraries.Loan{active(early, ofAnother, ofTitle2), active()}, "new 1, early 1"},
		{"moved out of the history", []libraries.Loan{active()}, []libraries.Loan{active(early)}, "line 1 borrowedAt must not change"},
		{"moved out of the history within the feed", nil, []libraries.Loan{active(), active(early)}, "new 1, line 2 borrowedAt must not change"},
		{"the history begins after it", []libraries.Loan{active(early)}, []libraries.Loan{active(early, returned)}, "early 1"},
	}
	for _, tt := range tests {
		var s faults
		changes, c, err := reconcile(t, intake.NewLoanSorter, tt.had, tt.rows, s.bad)
		if got := s.of(c); err != nil || got != tt.want {
			t.Errorf("%s: Loans = %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if c.Bad != len(s) || len(changes) != c.New+c.Changed {
			t.Errorf("%s: %d bad, %d changes, want %d and %d", tt.name, c.Bad, len(changes), len(s), c.New+c.Changed)
		}
		for _, ch := range changes {
			if (ch.Was != nil) != (c.Changed == 1) || ch.Was != nil && !reflect.DeepEqual(*ch.Was, tt.had[0]) {
				t.Errorf("%s: Was = %+v, want the stored row", tt.name, ch.Was)
			}
		}
	}
}

// TestReconcileManyLoans tests that Reconcile finds all stored loans of a run, and asks for at most 256 of them at a time.
func TestReconcileManyLoans(t *testing.T) {
	byReader := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir()}}
	defer byReader.Close()
	s := intake.NewLoanSorter(newIntake(), byReader)
	var asked sync.Map
	s.Stored = func(_ context.Context, ids []int64) (map[int64]libraries.Loan, error) {
		if len(ids) > 256 {
			t.Errorf("Stored called with %d loans, want at most 256", len(ids))
		}
		stored := map[int64]libraries.Loan{}
		for _, id := range ids {
			if _, again := asked.LoadOrStore(id, true); again {
				t.Errorf("loan %d requested twice", id)
			}
			stored[id] = active(func(l *libraries.Loan) { l.ID = id })
		}
		return stored, nil
	}
	const n = 4 * 256 * extsort.Partitions // some partition has more than 256 whatever the hash
	for id := range int64(n) {
		noError(t, s.Add(active(returned, func(l *libraries.Loan) { l.ID = id + 1 }), int(id)+1))
	}
	var c row.Counts
	noError(t, s.Reconcile(t.Context(), &c, nil))
	if c.Changed != n || c.New != 0 {
		t.Errorf("%d loans changed and %d new, want all %d changed", c.Changed, c.New, n)
	}
}

// reconcile adds rows to a sorter that spills each of them, reconciles them with stored rows, and returns the new and
// the changed ones.
func reconcile[T libraries.LoanOrReservation](
	t *testing.T, sorterOf func(*intake.Intake, *intake.Sorter) *intake.RecordSorter[T], had, rows []T, bad row.Rejected,
) (changes []libraries.Changed[T], c row.Counts, err error) {
	t.Helper()
	byReader := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir(), Limit: 1}}
	defer byReader.Close()
	s := sorterOf(newIntake(), byReader)
	s.Stored = func(_ context.Context, ids []int64) (map[int64]T, error) {
		stored := map[int64]T{}
		for _, v := range had {
			if slices.Contains(ids, v.Origin().ID) {
				stored[v.Origin().ID] = v
			}
		}
		return stored, nil
	}
	for i, v := range rows {
		noError(t, s.Add(v, i+1))
	}
	err = s.Reconcile(t.Context(), &c, bad)
	for partition := range extsort.Partitions {
		for _, f := range feedsOf(t, byReader, partition) {
			if list, ok := any(f.Loans).([]libraries.Changed[T]); ok {
				changes = append(changes, list...)
			}
			if list, ok := any(f.Reservations).([]libraries.Changed[T]); ok {
				changes = append(changes, list...)
			}
		}
	}
	return changes, c, err
}

// TestReconcileReservations tests F1 on reservations.
func TestReconcileReservations(t *testing.T) {
	waiting := libraries.Reservation{ID: 1, Reader: 1, Book: 1, Reserved: someInstant.UTC(), Position: 2, Status: libraries.Waiting}
	with := func(change func(*libraries.Reservation)) libraries.Reservation {
		r := waiting
		change(&r)
		return r
	}
	lost := with(func(r *libraries.Reservation) {
		r.Status, r.Position, r.Resolved = libraries.Lost, libraries.None, laterInstant.UTC()
	})
	tests := []struct {
		name string
		had  []libraries.Reservation
		row  libraries.Reservation
		want string
	}{
		{"new", nil, waiting, "new 1"},
		{"same as before", []libraries.Reservation{waiting}, waiting, "unchanged 1"},
		{"lost since", []libraries.Reservation{waiting}, lost, "changed 1"},
		{"lost on another day", []libraries.Reservation{lost}, func() libraries.Reservation { r := lost; r.Resolved = r.Resolved.Add(time.Hour); return r }(), "changed 1"},
		{"moved up", []libraries.Reservation{waiting}, with(func(r *libraries.Reservation) { r.Position = 1 }), "changed 1"},
		{"another reader", []libraries.Reservation{waiting}, with(func(r *libraries.Reservation) { r.Reader = 2 }), "line 1 userId must not change"},
		{"another title", []libraries.Reservation{waiting}, with(func(r *libraries.Reservation) { r.Book = 2 }), "line 1 bookId must not change"},
		{"another start", []libraries.Reservation{waiting}, with(func(r *libraries.Reservation) { r.Reserved = r.Reserved.Add(1000) }), "line 1 reservedAt must not change"},
		{"before the history", nil, with(func(r *libraries.Reservation) { r.Reserved = beforeFirst.UTC() }), "early 1"},
	}
	for _, tt := range tests {
		var s faults
		changes, c, err := reconcile(t, intake.NewReservationSorter, tt.had, []libraries.Reservation{tt.row}, s.bad)
		if got := s.of(c); err != nil || got != tt.want || len(changes) != c.New+c.Changed {
			t.Errorf("%s: Reservations = %q, %d changes, %v, want %q", tt.name, got, len(changes), err, tt.want)
		}
	}
}
