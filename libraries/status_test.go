package libraries_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// name is an enumeration of names.
type name interface {
	~uint8
	fmt.Stringer
}

// checkNames checks that the values from 1 on have the names, and that 0 and the next value have none of them.
func checkNames[E name](t *testing.T, names ...string) {
	t.Helper()
	for i, name := range names {
		if got := E(i + 1).String(); got != name {
			t.Errorf("%T(%d) = %q, want %q", E(0), i+1, got, name)
		}
	}
	for _, none := range []E{0, E(len(names) + 1)} {
		if slices.Contains(names, none.String()) {
			t.Errorf("%T(%d) has the name of a valid value, %v", none, none, none)
		}
	}
}

// named returns the value of a name.
func named[E name](name string) E {
	for e := E(1); ; e++ {
		if e.String() == name {
			return e
		}
	}
}

func TestNames(t *testing.T) {
	checkNames[libraries.ReaderStatus](t, "active", "deactivated", "deleted")
	checkNames[libraries.LoanStatus](t, "active", "returned", "expired")
	checkNames[libraries.ReservationStatus](t, "waiting", "available", "converted", "cancelled", "lost")
	checkNames[stock.Collection](t, "platform", "additional", "external", "manual")
	checkNames[stock.Kind](t, "purchase", "legacy")
}

func TestReaderStatus(t *testing.T) {
	history := calendar.MustParse("2026-07-21")
	for _, test := range []struct {
		status           string
		deletedAt        string
		inactive, counts bool
	}{
		{"active", "2026-08-01", false, false},
		{"deactivated", "2026-07-21", true, true},
		{"deactivated", "2026-07-20", true, false},
		{"deleted", "2026-07-21", true, true},
		{"deleted", "2026-07-20", true, false},
	} {
		s := named[libraries.ReaderStatus](test.status)
		if got := s.Inactive(); got != test.inactive {
			t.Errorf("%s: Inactive() = %v, want %v", s, got, test.inactive)
		}
		if got := s.CountsAsDeleted(calendar.MustParse(test.deletedAt), history); got != test.counts {
			t.Errorf("%s: CountsAsDeleted(%s) = %v, want %v", s, test.deletedAt, got, test.counts)
		}
	}
}

func TestLoanStatus(t *testing.T) {
	for _, test := range []struct {
		status   string
		ended    bool
		end      libraries.EventKind
		activity bool
	}{
		{"active", false, 0, false},
		{"returned", true, libraries.ReturnEvent, true},
		{"expired", true, libraries.ExpiryEvent, false},
	} {
		s := named[libraries.LoanStatus](test.status)
		end, ok := s.End()
		if got := s.Ended(); got != test.ended || ok != test.ended || end != test.end || end.Activity() != test.activity {
			t.Errorf("%s: Ended() = %v, End() = %v, %v, activity %v, want %v, %v, activity %v",
				s, got, end, ok, end.Activity(), test.ended, test.end, test.activity)
		}
	}
}

func TestActiveLoans(t *testing.T) {
	for _, test := range []struct{ loans, returns, want int64 }{{5, 3, 2}, {3, 3, 0}, {2, 3, 0}, {0, 0, 0}} {
		if got := libraries.ActiveLoans(test.loans, test.returns); got != test.want {
			t.Errorf("ActiveLoans(%d, %d) = %d, want %d", test.loans, test.returns, got, test.want)
		}
	}
}

func TestReservationStatus(t *testing.T) {
	for _, test := range []struct {
		status           string
		active, resolved bool
	}{
		{"waiting", true, false}, {"available", true, false},
		{"converted", false, true}, {"cancelled", false, true}, {"lost", false, true},
	} {
		s := named[libraries.ReservationStatus](test.status)
		if s.Active() != test.active || s.Resolved() != test.resolved {
			t.Errorf("%s: Active() = %v, Resolved() = %v, want %v, %v", s, s.Active(), s.Resolved(), test.active, test.resolved)
		}
	}
	for _, none := range []libraries.ReservationStatus{0, 6} {
		if none.Active() || none.Resolved() {
			t.Errorf("%s is active or resolved, want neither", none)
		}
	}
}
