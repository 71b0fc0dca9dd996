package librariesdb

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
)

// numbers returns n numbers from first on, a step apart.
func numbers(first, step int64, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = first + int64(i)*step
	}
	return list
}

// TestByID asks for loans and reservations in reverse order, for more than one statement names. It tests that unknown
// numbers are not found.
func TestByID(t *testing.T) {
	const many = 600
	eachEngine(t, func(t *testing.T, f *fixture) {
		var loans []libraries.Loan
		for _, id := range append(numbers(1, 1, 2*many), 5000, 9000) {
			at := firstDay.Start().UTC().Add(time.Duration(id%7) * 24 * time.Hour)
			loans = append(loans, libraries.Loan{ID: id, Reader: 1, Book: 2, Borrowed: at, Status: libraries.LoanActive})
		}
		f.putLoans(loans)
		asked := append(numbers(2, 2, many+chunk), 5000, 7000) // no loan has those above 1200, except 5000
		want := append(numbers(2, 2, many), 5000)
		slices.Reverse(asked)
		gotLoans, err1 := f.LoansByID(t.Context(), f.a, asked)
		gotReservations, err2 := f.ReservationsByID(t.Context(), f.a, asked)
		if err1 != nil || err2 != nil || len(gotLoans) != len(want) || len(gotReservations) != len(want) {
			t.Fatalf("%d loans, %v, and %d reservations, %v, want %d", len(gotLoans), err1, len(gotReservations), err2, len(want))
		}
		for _, id := range want {
			i := slices.IndexFunc(loans, func(l libraries.Loan) bool { return l.ID == id })
			if !intake.Loans.Same(gotLoans[id], loans[i]) || gotReservations[id] != reservationOf(loans[i]) {
				t.Errorf("loan and reservation %d = %+v, %+v", id, gotLoans[id], gotReservations[id])
			}
		}
	})
}
