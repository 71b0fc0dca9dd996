package librariesdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// always is every day.
var always = calendar.Period{Start: -1 << 31, End: 1<<31 - 1}

// networkOf reads the counts of a network.
func networkOf(ctx context.Context, blocks snapshot.Blocks, a report.Access) (*facts.Network, error) {
	return facts.ReadNetwork(ctx, blocks, auth.Tenant(a.Network), a.At.Facts)
}

// reads are all reads of a store.
func (f *fixture) reads(ctx context.Context) map[string]func(report.Access) error {
	marks := report.ListPositions{{Day: firstDay, ID: 1}}
	return map[string]func(report.Access) error{
		"Catalogue": func(a report.Access) error { _, err := f.Catalogue(ctx, a); return err },
		"Readers":   func(a report.Access) error { _, err := reports(f).Readers(ctx, a); return err },
		"Network":   func(a report.Access) error { _, err := networkOf(ctx, f, a); return err },
		"DayBlocks": func(a report.Access) error {
			_, err := f.blocks(ctx, a, facts.DayOfReadersKind, snapshot.Range{})
			return err
		},
		"People": func(a report.Access) error { _, err := f.People(ctx, a, []int64{1}); return err },
		"LoansIn": func(a report.Access) error {
			_, err := f.LoansIn(ctx, a, report.ListWindow{Period: always, Size: 9})
			return err
		},
		"ReservationsIn": func(a report.Access) error {
			_, err := f.ReservationsIn(ctx, a, report.ListWindow{Period: always, Size: 9})
			return err
		},
		"MarksOf": func(a report.Access) error {
			_, err := f.PositionsOf(ctx, a, report.ReservationList, ptr[int64](1), nil)
			return err
		},
		"Loans":        func(a report.Access) error { _, err := f.Loans(ctx, a, marks); return err },
		"Reservations": func(a report.Access) error { _, err := f.Reservations(ctx, a, marks); return err },
		"Requests":     func(a report.Access) error { _, err := f.Requests(ctx, a, always); return err },
		"Channels":     func(a report.Access) error { _, err := f.Channels(ctx, a, always); return err },
	}
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

// TestBitsOfBlocks reads blocks of which a bit is another one: an error that names the place.
func TestBitsOfBlocks(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		f.putBlocks(f.a.Network, facts.NetworkKind, blockOf(0, packed.Append(nil, &facts.Network{Titles: facts.CountsByTitle{{Book: 3, Readings: 1}}})))
		if h, err := networkOf(t.Context(), f, f.a); err != nil || len(h.Titles) != 1 {
			t.Errorf("counts = %v, %v, want one", h, err)
		}
		f.exec(`UPDATE blocks SET b = 1`)
		if h, err := networkOf(t.Context(), f, f.a); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Errorf("counts of another place = %v, %v, want ErrCorrupt", h, err)
		}
	})
}

// TestPresentAndLast: what a network's row says by a time, facts that wait included once their hour has come.
func TestPresentAndLast(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		noon := libraries.Hour(495_000).Time()
		hold := func(n libraries.NetworkID, h snapshotdb.Current) {
			t.Helper()
			if err := h.Publish(t.Context(), f.db, auth.Tenant(n), noon); err != nil {
				t.Fatal(err)
			}
		}
		held := snapshotdb.Current{Versions: snapshot.Versions{Facts: now}, From: noon}
		held.Next, held.NextFrom = now+1, noon.Add(time.Hour)
		hold(f.a.Network, held)
		for _, at := range []time.Time{noon, noon.Add(time.Hour - time.Microsecond), noon.Add(time.Hour)} {
			f.Now = func() time.Time { return at }
			if a, err := f.Last(t.Context(), f.a.Network); err != nil || a.At.Facts != now+1 || a.Hour != 495_001 {
				t.Errorf("Last at %v = %+v, %v, want what waits", at, a, err)
			}
		}
		f.Now = func() time.Time { return noon }
		if a, err := f.Present(t.Context(), f.a.Network); err != nil || a.At.Facts != now || a.Hour != 495_000 {
			t.Errorf("Present = %+v, %v, want what holds", a, err)
		}
		f.Now = func() time.Time { return noon.Add(time.Hour) }
		a, err := f.Present(t.Context(), f.a.Network)
		f.Now = func() time.Time { return noon } // what was served stays served
		if b, berr := f.Present(t.Context(), f.a.Network); err != nil || a.At.Facts != now+1 || a.Hour != 495_001 || b != a || berr != nil {
			t.Errorf("Present at the hour = %+v, %v, and after the clock was put back %+v, %v, want what waited", a, err, b, berr)
		}
	})
}
