package librariesdb

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
)

// numbers are so many of them, a step from one another.
func numbers(first, step int64, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = first + int64(i)*step
	}
	return list
}

func TestStretches(t *testing.T) {
	type stretch struct {
		n    int
		near bool
	}
	tests := map[string]struct {
		ids  []int64
		want []stretch
	}{
		"none":                  {nil, nil},
		"one":                   {numbers(7, 1, 1), []stretch{{1, false}}},
		"many that stand close": {numbers(7, nearby, many), []stretch{{many, true}}},
		"one too few":           {numbers(7, 1, many-1), []stretch{{many - 1, false}}},
		"farther apart":         {numbers(7, nearby+1, many), []stretch{{many, false}}},
		"some between": {
			slices.Concat(numbers(0, 9, 3), numbers(1000, 1, 200), numbers(2000, 1, 5), numbers(3000, 9, 2), numbers(4000, 1, many)),
			[]stretch{{3, false}, {200, true}, {7, false}, {many, true}},
		},
		"more than a statement names": {numbers(7, 9, 2*chunk+1), []stretch{{chunk, false}, {chunk, false}, {1, false}}},
		"a statement's end within a run": {
			slices.Concat(numbers(0, 9, chunk-1), numbers(100_000, 1, many-1)), []stretch{{chunk, false}, {many - 2, false}},
		},
	}
	for name, tt := range tests {
		var got []stretch
		var all []int64
		for part, near := range stretches(tt.ids) {
			got, all = append(got, stretch{len(part), near}), append(all, part...)
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(all, tt.ids) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestByIDNear asks for loans and reservations that stand close, for some far away, and for some that there are not: those between
// them, and those of other states, are not found.
func TestByIDNear(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		var loans []libraries.Loan
		var reservations []libraries.Reservation
		for _, id := range append(numbers(1, 1, 2*many), 5000, 9000) {
			at := firstDay.Start().UTC().Add(time.Duration(id%7) * 24 * time.Hour)
			loans = append(loans, libraries.Loan{ID: id, Reader: 1, Book: 2, Borrowed: at, Status: libraries.LoanActive})
			reservations = append(reservations, libraries.Reservation{ID: id, Reader: 1, Book: 2, Reserved: at, Status: libraries.Waiting})
		}
		putAll(f, intake.Loans, loans)
		putAll(f, intake.Reservations, reservations)
		asked := append(numbers(2, 2, many+20), 5000, 7000) // the last twenty of the even ones there are not
		want := append(numbers(2, 2, many), 5000)
		slices.Reverse(asked)
		gotLoans, err1 := f.LoansByID(t.Context(), f.a, asked)
		gotReservations, err2 := f.ReservationsByID(t.Context(), f.a, asked)
		if err1 != nil || err2 != nil || len(gotLoans) != len(want) || len(gotReservations) != len(want) {
			t.Fatalf("%d loans, %v, and %d reservations, %v, want %d", len(gotLoans), err1, len(gotReservations), err2, len(want))
		}
		for _, id := range want {
			i := slices.IndexFunc(loans, func(l libraries.Loan) bool { return l.ID == id })
			if !intake.Loans.Same(gotLoans[id], loans[i]) || !intake.Reservations.Same(gotReservations[id], reservations[i]) {
				t.Errorf("of %d: %+v, %+v", id, gotLoans[id], gotReservations[id])
			}
		}
	})
}
