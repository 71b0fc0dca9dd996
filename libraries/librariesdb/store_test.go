package librariesdb

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// always is every day.
var always = calendar.Period{Start: -1 << 31, End: 1<<31 - 1}

// reads are all reads of a store.
func (f *fixture) reads(ctx context.Context) map[string]func(libraries.Access) error {
	marks := libraries.Marks{}
	return map[string]func(libraries.Access) error{
		"Hour":      func(a libraries.Access) error { _, err := f.Hour(ctx, a); return err },
		"Catalogue": func(a libraries.Access) error { _, err := f.Catalogue(ctx, a); return err },
		"Readers":   func(a libraries.Access) error { _, err := f.Readers(ctx, a); return err },
		"Days":      func(a libraries.Access) error { _, err := f.Days(ctx, a); return err },
		"Holdings":  func(a libraries.Access) error { _, err := f.Holdings(ctx, a); return err },
		"Sheets": func(a libraries.Access) error {
			_, err := f.Sheets(ctx, a, libraries.ReaderSheets, always)
			return err
		},
		"People": func(a libraries.Access) error { _, err := f.People(ctx, a, []int64{1}); return err },
		"Shelves": func(a libraries.Access) error {
			return f.Shelves(ctx, a, []int64{1}, func(int64, []byte) error { return nil })
		},
		"Marks": func(a libraries.Access) error {
			_, err := f.Marks(ctx, a, libraries.LoanRegister, firstDay)
			return err
		},
		"MarksOf": func(a libraries.Access) error {
			_, err := f.MarksOf(ctx, a, libraries.ReservationRegister, ptr[int64](1), nil)
			return err
		},
		"Loans":        func(a libraries.Access) error { _, err := f.Loans(ctx, a, marks); return err },
		"Reservations": func(a libraries.Access) error { _, err := f.Reservations(ctx, a, marks); return err },
		"Requests":     func(a libraries.Access) error { _, err := f.Requests(ctx, a, always); return err },
		"Channels":     func(a libraries.Access) error { _, err := f.Channels(ctx, a, always); return err },
	}
}

// TestReadsNameTheirState asks for a state of which either version is past: every read says which is the present one.
func TestReadsNameTheirState(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		for _, raised := range [][2]bool{{true, true}, {true, false}, {false, true}} {
			now := f.raise(raised[0], raised[1])
			for name, read := range f.reads(t.Context()) {
				var moved *state.MovedError
				if err := read(f.a); !errors.As(err, &moved) || moved.Now != now {
					t.Errorf("%s of %v = %v, want it to have moved on to %v", name, f.a.At, err, now)
				}
				if err := read(libraries.Access{Network: f.a.Network, At: now}); err != nil {
					t.Errorf("%s of %v = %v", name, now, err)
				}
			}
			f.a.At = now
		}
	})
}

// TestCancelledReads reads with a context that is over: no read answers.
func TestCancelledReads(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, read := range f.reads(ctx) {
			if err := read(f.a); !errors.Is(err, context.Canceled) {
				t.Errorf("%s = %v, want it cancelled", name, err)
			}
		}
	})
}

// TestMovedBeforeCorrupt reads what a load has just replaced, and cannot be made sense of: the state has moved on, and the
// read begins again.
func TestMovedBeforeCorrupt(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		f.exec(`UPDATE libraries_networks SET holdings = ? WHERE tenant_id = ?`, []byte{255}, f.a.Network)
		var moved *state.MovedError
		if h, err := f.Holdings(t.Context(), f.a); err == nil || errors.As(err, &moved) {
			t.Errorf("corrupt holdings = %v, %v, want an error of them", h, err)
		}
		f.raise(true, true)
		if h, err := f.Holdings(t.Context(), f.a); !errors.As(err, &moved) {
			t.Errorf("corrupt holdings of a past state = %v, %v, want *state.MovedError", h, err)
		}
	})
}

func TestHourAndHoldings(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		want, err := libraries.Holdings(nil).Add([]libraries.Holding{{Book: 3, Readings: 1}, {Book: 9, ActiveLoans: 2, ActiveReservations: 3, Confirmed: 4}})
		if err != nil {
			t.Fatal(err)
		}
		f.exec(`UPDATE libraries_networks SET hour = ?, holdings = ? WHERE tenant_id = ?`, 495_000, want.AppendBinary(nil), f.a.Network)
		f.exec(`UPDATE libraries_networks SET hour = ? WHERE tenant_id = ?`, 7, f.other)
		if h, err := f.Hour(t.Context(), f.a); err != nil || h != 495_000 {
			t.Errorf("Hour = %d, %v, want 495000", h, err)
		}
		loaded := map[libraries.NetworkID]libraries.Hour{f.other: 7, f.a.Network: 495_000}
		all := []libraries.NetworkID{f.other, f.a.Network, f.create("never"), 99}
		if hours, err := Hours(t.Context(), f.db, all); err != nil || !maps.Equal(hours, loaded) {
			t.Errorf("Hours = %v, %v, want those of the networks alone that were loaded, %v", hours, err, loaded)
		}
		if hours, err := Hours(t.Context(), f.db, nil); err != nil || len(hours) != 0 {
			t.Errorf("Hours of nobody = %v, %v, want none", hours, err)
		}
		got, err := f.Holdings(t.Context(), f.a)
		if err != nil || len(got) != 2 || got.Of(3) != want.Of(3) || got.Of(9) != want.Of(9) {
			t.Errorf("Holdings = %v, %v, want %v", got, err, want)
		}
	})
}
