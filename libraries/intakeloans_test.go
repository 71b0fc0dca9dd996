package libraries_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
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
		{"unknown status", "ended", func(*libraries.Loan) {}, "status must be one of active, returned, expired"},
		{"returned", "returned", func(l *libraries.Loan) { l.Returned = laterInstant }, ""},
		{"returned without a time", "returned", func(*libraries.Loan) {}, "returnedAt is required unless the loan is active"},
		{"expired without a time", "expired", func(*libraries.Loan) {}, "returnedAt is required unless the loan is active"},
		{"active with a time", "active", func(l *libraries.Loan) { l.Returned = laterInstant }, "returnedAt must be empty while the loan is active"},
		{"returned at once", "returned", func(l *libraries.Loan) { l.Returned = someInstant }, ""},
		{"returned before it was made", "returned", func(l *libraries.Loan) { l.Returned = someInstant.Add(-second) }, "returnedAt must not be before borrowedAt"},
		{"expired before it was made", "expired", func(l *libraries.Loan) { l.Returned = someInstant.Add(-second) }, "returnedAt must not be before borrowedAt"},
		{"made in the last second", "active", func(l *libraries.Loan) { l.Borrowed = lastSecond }, ""},
		{"made after the day of the load", "active", func(l *libraries.Loan) { l.Borrowed = afterLast }, "borrowedAt must not be after the day of the load"},
		{"returned in the last second", "returned", func(l *libraries.Loan) { l.Returned = lastSecond }, ""},
		{"returned after the day of the load", "returned", func(l *libraries.Loan) { l.Returned = afterLast }, "returnedAt must not be after the day of the load"},
		{"made before the history", "active", func(l *libraries.Loan) { l.Borrowed = beforeFirst }, ""},
	}
	for _, tt := range tests {
		l := libraries.Loan{ID: 1, Reader: 1, Book: 1, Borrowed: someInstant}
		tt.change(&l)
		_, err := newIntake().Loan(l, tt.status)
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
		{"unknown status", "canceled", func(*libraries.Reservation) {}, "status must be one of waiting, available, converted, cancelled, lost"},
		{"waiting", "waiting", func(*libraries.Reservation) {}, ""},
		{"available with a time", "available", func(r *libraries.Reservation) { r.Resolved = laterInstant }, "resolvedAt must be empty while the reservation is waiting or available"},
		{"converted without a time", "converted", func(*libraries.Reservation) {}, "resolvedAt is required unless the reservation is waiting or available"},
		{"cancelled without a time", "cancelled", func(*libraries.Reservation) {}, "resolvedAt is required unless the reservation is waiting or available"},
		{"lost", "lost", func(r *libraries.Reservation) { r.Resolved = laterInstant }, ""},
		{"made in the last second", "waiting", func(r *libraries.Reservation) { r.Reserved = lastSecond }, ""},
		{"made after the day of the load", "waiting", func(r *libraries.Reservation) { r.Reserved = afterLast }, "reservedAt must not be after the day of the load"},
		{"lost in the last second", "lost", func(r *libraries.Reservation) { r.Resolved = lastSecond }, ""},
		{"lost after the day of the load", "lost", func(r *libraries.Reservation) { r.Resolved = afterLast }, "resolvedAt must not be after the day of the load"},
	}
	for _, tt := range tests {
		r := libraries.Reservation{ID: 1, Reader: 1, Book: 1, Reserved: someInstant, Position: 3}
		tt.change(&r)
		made, err := newIntake().Reservation(r, tt.status)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Reservation = %q, want %q", tt.name, got, tt.want)
		}
		if want := map[bool]int64{true: 3, false: libraries.None}[made.Status.Active()]; err == nil && made.Position != want {
			t.Errorf("%s: position = %d, want %d (L6)", tt.name, made.Position, want)
		}
	}
}

// active is the loan 1 of reader 1 and title 1.
func active(change ...func(*libraries.Loan)) libraries.Loan {
	l := libraries.Loan{ID: 1, Reader: 1, Book: 1, Borrowed: someInstant.UTC(), Status: libraries.LoanActive}
	for _, c := range change {
		c(&l)
	}
	return l
}

func returned(l *libraries.Loan)  { l.Status, l.Returned = libraries.LoanReturned, laterInstant.UTC() }
func due(l *libraries.Loan)       { l.Due = new(calendar.MustParse("2026-08-15")) }
func early(l *libraries.Loan)     { l.Borrowed = beforeFirst.UTC() }
func moved(l *libraries.Loan)     { l.Borrowed = l.Borrowed.Add(time.Second) }
func earlier(l *libraries.Loan)   { l.Borrowed = beforeFirst.Add(-time.Second).UTC() }
func ofAnother(l *libraries.Loan) { l.Reader = 2 }
func ofTitle2(l *libraries.Loan)  { l.Book = 2 }

// TestLoansSettled is F1: what never changes, which row stands, and what came before the history.
func TestLoansSettled(t *testing.T) {
	tests := []struct {
		name  string
		had   []libraries.Loan
		early []libraries.Loan // in the store
		rows  []libraries.Loan
		want  string
	}{
		{"new", nil, nil, []libraries.Loan{active()}, "new 1"},
		{"same as before", []libraries.Loan{active(due)}, nil, []libraries.Loan{active(due)}, "unchanged 1"},
		{"returned since", []libraries.Loan{active()}, nil, []libraries.Loan{active(returned)}, "changed 1"},
		{"taken back", []libraries.Loan{active(returned)}, nil, []libraries.Loan{active()}, "changed 1"},
		{"another due date", []libraries.Loan{active()}, nil, []libraries.Loan{active(due)}, "changed 1"},
		{"the later line stands", []libraries.Loan{active()}, nil, []libraries.Loan{active(returned), active()}, "unchanged 1, superseded 1"},
		{"another reader than in the store", []libraries.Loan{active()}, nil, []libraries.Loan{active(func(l *libraries.Loan) { l.Reader = 2 })}, "line 1 userId must not change"},
		{"another title than in the store", []libraries.Loan{active()}, nil, []libraries.Loan{active(func(l *libraries.Loan) { l.Book = 2 })}, "line 1 bookId must not change"},
		{"another start than in the store", []libraries.Loan{active()}, nil, []libraries.Loan{active(moved)}, "line 1 borrowedAt must not change"},
		{"another reader within the feed", nil, nil, []libraries.Loan{active(), active(func(l *libraries.Loan) { l.Reader = 2 })}, "new 1, line 2 userId must not change"},
		{"another title within the feed", nil, nil, []libraries.Loan{active(), active(func(l *libraries.Loan) { l.Book = 2 }), active(returned)}, "new 1, superseded 1, line 2 bookId must not change"},
		{"another start within the feed", nil, nil, []libraries.Loan{active(), active(moved)}, "new 1, line 2 borrowedAt must not change"},
		{"before the history", nil, nil, []libraries.Loan{active(early)}, "early 1"},
		{"before the history, again", nil, []libraries.Loan{active(early)}, []libraries.Loan{active(early), active(early, returned)}, "early 2"},
		{"moved into the history", nil, []libraries.Loan{active(early)}, []libraries.Loan{active()}, "line 1 borrowedAt must not change"},
		{"before the history, with another start", nil, []libraries.Loan{active(early)}, []libraries.Loan{active(earlier)}, "line 1 borrowedAt must not change"},
		{"before the history, of another reader", nil, []libraries.Loan{active(early)}, []libraries.Loan{active(early, ofAnother)}, "line 1 userId must not change"},
		{"before the history, of another title", nil, []libraries.Loan{active(early)}, []libraries.Loan{active(early, ofTitle2)}, "line 1 bookId must not change"},
		{"before the history, with another start within the feed", nil, nil, []libraries.Loan{active(early), active(earlier)}, "early 1, line 2 borrowedAt must not change"},
		{"the history moved to before it", nil, []libraries.Loan{active()}, []libraries.Loan{active(), active(returned)}, "new 1, superseded 1"},
		{"the history moved to before it, of another reader", nil, []libraries.Loan{active()}, []libraries.Loan{active(ofAnother)}, "line 1 userId must not change"},
		{"the history moved to before it, with another start", nil, []libraries.Loan{active()}, []libraries.Loan{active(moved)}, "line 1 borrowedAt must not change"},
		{"moved into the history within the feed", nil, nil, []libraries.Loan{active(early), active()}, "early 1, line 2 borrowedAt must not change"},
		{"moved out of the history", []libraries.Loan{active()}, nil, []libraries.Loan{active(early)}, "line 1 borrowedAt must not change"},
		{"moved out of the history within the feed", nil, nil, []libraries.Loan{active(), active(early)}, "new 1, line 2 borrowedAt must not change"},
	}
	for _, tt := range tests {
		in, known := newIntake(), knownLoans(tt.had, tt.early)
		var s said
		var c libraries.Counts
		changes, err := in.Loans(libraries.LoanPart{Loans: lined(tt.rows...)}, known, &c, s.bad)
		if got := s.of(c); err != nil || got != tt.want {
			t.Errorf("%s: Loans = %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if c.Bad != len(s) || len(changes) != c.New+c.Changed {
			t.Errorf("%s: %d bad, %d changes, want %d and %d", tt.name, c.Bad, len(changes), len(s), c.New+c.Changed)
		}
		for _, ch := range changes {
			if (ch.Was != nil) != (c.Changed == 1) || ch.Was != nil && !reflect.DeepEqual(*ch.Was, tt.had[0]) {
				t.Errorf("%s: was %+v, want what the store had", tt.name, ch.Was)
			}
		}
		var remembered []libraries.Loan
		if c.BeforeHistory > 0 && tt.early == nil {
			remembered = []libraries.Loan{{ID: 1, Reader: 1, Book: 1, Borrowed: beforeFirst.UTC()}}
		}
		if !slices.Equal(in.EarlyLoans, remembered) {
			t.Errorf("%s: EarlyLoans = %v, want %v", tt.name, in.EarlyLoans, remembered)
		}
		_, still := known.Early[1]
		if left := slices.Equal(in.NoLongerEarly, []int64{1}); left != (tt.early != nil && c.New == 1) || left && still {
			t.Errorf("%s: NoLongerEarly = %v, early is still %v", tt.name, in.NoLongerEarly, known.Early)
		}
	}
}

func knownLoans(loans, early []libraries.Loan) libraries.KnownLoans {
	known := libraries.KnownLoans{Loans: map[int64]libraries.Loan{}, Early: map[int64]libraries.Loan{}}
	for _, l := range loans {
		known.Loans[l.ID] = l
	}
	for _, l := range early {
		known.Early[l.ID] = libraries.Loan{ID: l.ID, Reader: l.Reader, Book: l.Book, Borrowed: l.Borrowed}
	}
	return known
}

// TestRenewalsSettled has renewals of loans of the feed, of the store, before the history, and of none.
func TestRenewalsSettled(t *testing.T) {
	in := newIntake()
	second := func(l *libraries.Loan) { l.ID = 2 }
	third := func(l *libraries.Loan) { l.ID = 3 }
	fourth := func(l *libraries.Loan) { l.ID = 4 }
	sixth := func(l *libraries.Loan) { l.ID = 6 }
	known := knownLoans([]libraries.Loan{active(second)}, []libraries.Loan{active(fourth, early), active(sixth)})
	part := libraries.LoanPart{
		Loans: lined(active(), active(third, early), active(sixth)), // the history moved to before the sixth
		Renewals: lined(
			libraries.Renewal{ID: []byte("a"), Loan: 1, At: laterInstant},
			libraries.Renewal{ID: []byte("b"), Loan: 2, At: firstSecond},
			libraries.Renewal{ID: []byte("c"), Loan: 3, At: laterInstant},
			libraries.Renewal{ID: []byte("d"), Loan: 4, At: laterInstant},
			libraries.Renewal{ID: []byte("e"), Loan: 5, At: laterInstant},
			libraries.Renewal{ID: []byte("f"), Loan: 1, At: beforeFirst},
			libraries.Renewal{ID: []byte("g"), Loan: 6, At: laterInstant},
		),
	}
	if got, want := part.IDs(), []int64{1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("IDs = %v, want %v", got, want)
	}
	var s said
	var loans libraries.Counts
	if _, err := in.Loans(part, known, &loans, s.bad); err != nil {
		t.Fatal(err)
	}
	var c libraries.EventCounts
	events, err := in.Renewals(part, known, &c, s.bad)
	if err != nil {
		t.Fatal(err)
	}
	if c.BeforeHistory != 3 || c.Bad != 1 || strings.Join(s, ", ") != "line 5 loanId does not exist" {
		t.Errorf("Renewals: %+v, %v, want 3 before the history and the fifth bad", c, s)
	}
	day := calendar.MustParse("2026-08-10")
	first := libraries.Event{
		Kind: libraries.RenewalEvent, ID: libraries.NewEventID('r', []byte("a"), 1, day), Reader: 1, Book: 1, Day: day, Second: 14 * 3600,
	}
	if len(events) != 3 || events[0] != first || events[1].Day != calendar.MustParse("2026-07-21") || events[1].Second != 0 {
		t.Errorf("Renewals = %+v, want three, the first %+v", events, first)
	}
	if got, want := reasonOf(in.Renewal(libraries.Renewal{At: afterLast})), "renewedAt must not be after the day of the load"; got != want {
		t.Errorf("Renewal after the day of the load = %q, want %q", got, want)
	}
	if err := in.Renewal(libraries.Renewal{At: lastSecond}); err != nil {
		t.Errorf("Renewal in the last second = %v", err)
	}
}

// TestReservationsSettled is F1 for reservations.
func TestReservationsSettled(t *testing.T) {
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
		had := map[int64]libraries.Reservation{}
		for _, r := range tt.had {
			had[r.ID] = r
		}
		var s said
		var c libraries.Counts
		changes, err := newIntake().Reservations(lined(tt.row), had, &c, s.bad)
		if got := s.of(c); err != nil || got != tt.want || len(changes) != c.New+c.Changed {
			t.Errorf("%s: Reservations = %q, %d changes, %v, want %q", tt.name, got, len(changes), err, tt.want)
		}
	}
}

// TestLoansInPieces settles random rows at once and in pieces, one after the other: the same loans stand, the same rows are
// bad, and the same loans are before the history.
func TestLoansInPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		rows := lined(randomLoans(rnd, 1+rnd.IntN(12))...)
		whole := knownLoans(nil, nil)
		var wholeSaid said
		if _, err := newIntake().Loans(libraries.LoanPart{Loans: slices.Clone(rows)}, whole, new(libraries.Counts), wholeSaid.bad); err != nil {
			t.Fatal(err)
		}
		pieces := knownLoans(nil, nil)
		var piecesSaid said
		for rest := rows; len(rest) > 0; {
			n := 1 + rnd.IntN(len(rest))
			if _, err := newIntake().Loans(libraries.LoanPart{Loans: slices.Clone(rest[:n])}, pieces, new(libraries.Counts), piecesSaid.bad); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		slices.Sort(wholeSaid)
		slices.Sort(piecesSaid)
		if !reflect.DeepEqual(whole.Loans, pieces.Loans) || !slices.Equal(wholeSaid, piecesSaid) {
			t.Fatalf("%+v at once makes %v, %v; in pieces %v, %v", rows, whole.Loans, wholeSaid, pieces.Loans, piecesSaid)
		}
		if !maps.Equal(whole.Early, pieces.Early) {
			t.Fatalf("%+v at once has %v before the history, in pieces %v", rows, whole.Early, pieces.Early)
		}
	}
}

// randomLoans returns rows of a few loans, some of which change what must not change.
func randomLoans(rnd *rand.Rand, n int) []libraries.Loan {
	var list []libraries.Loan
	for range n {
		l := active(func(l *libraries.Loan) { l.ID = int64(rnd.IntN(3)) })
		if rnd.IntN(3) == 0 {
			returned(&l)
		}
		switch rnd.IntN(6) {
		case 0:
			l.Reader = 2
		case 1:
			moved(&l)
		case 2:
			early(&l)
		}
		list = append(list, l)
	}
	return list
}

// TestSetAside gets back from the piles what is put on them, also from files.
func TestSetAside(t *testing.T) {
	for _, limit := range []int{0, 1} {
		loans := libraries.LoanPile{Spill: spill.Pile{Dir: t.TempDir(), Limit: limit}}
		reservations := libraries.ReservationPile{Spill: spill.Pile{Dir: t.TempDir(), Limit: limit}}
		with := active(returned, due, func(l *libraries.Loan) { l.ID, l.Reader, l.Book = 256+7, 1<<53-1, 0 })
		without := active(func(l *libraries.Loan) { l.ID = 7 })
		renewal := libraries.Renewal{ID: []byte("r"), Loan: 7, At: someInstant.UTC()}
		waiting := libraries.Reservation{ID: 7, Reader: 3, Book: 4, Reserved: someInstant.UTC(), Status: libraries.Available, Position: 0}
		lost := libraries.Reservation{ID: 7, Reader: 3, Book: 4, Reserved: someInstant.UTC(), Status: libraries.Lost, Position: libraries.None, Resolved: laterInstant.UTC()}
		for _, err := range []error{
			loans.AddLoan(300, with), loans.AddRenewal(2, renewal), loans.AddLoan(4, without), loans.AddLoan(5, active()),
			reservations.Add(300, waiting), reservations.Add(2, lost),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		part, err := loans.Part(7)
		want := libraries.LoanPart{
			Loans:    []libraries.Lined[libraries.Loan]{{Line: 300, Row: with}, {Line: 4, Row: without}},
			Renewals: []libraries.Lined[libraries.Renewal]{{Line: 2, Row: renewal}},
		}
		if err != nil || !reflect.DeepEqual(part, want) {
			t.Errorf("limit %d: Part = %+v, %v, want %+v", limit, part, err, want)
		}
		rows, err := reservations.Part(7)
		if want := []libraries.Lined[libraries.Reservation]{{Line: 300, Row: waiting}, {Line: 2, Row: lost}}; err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("limit %d: Part = %+v, %v, want %+v", limit, rows, err, want)
		}
		if again, err := loans.Part(7); err != nil || len(again.Loans)+len(again.Renewals) != 0 {
			t.Errorf("limit %d: the part again = %+v, %v, want nothing", limit, again, err)
		}
		if err := loans.Close(); err != nil {
			t.Error(err)
		}
		if err := reservations.Close(); err != nil {
			t.Error(err)
		}
	}
}
