package librariesdb

import (
	"context"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// always is the period of all days.
var always = calendar.Period{Start: -1 << 31, End: 1<<31 - 1}

// networkOf reads the counts of a network.
func networkOf(ctx context.Context, blocks snapshot.Blocks, a report.Access) (*facts.Network, error) {
	return facts.ReadNetwork(ctx, blocks, auth.Tenant(a.Network), a.At.Facts)
}

// TestPresentAndLast tests the current and the last snapshot of a network while a load waits, and after its hour has come.
func TestPresentAndLast(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		noon := libraries.Hour(495_000).Time()
		publish := func(n libraries.NetworkID, h snapshotdb.Current) {
			t.Helper()
			if err := h.Publish(t.Context(), f.db, auth.Tenant(n), noon); err != nil {
				t.Fatal(err)
			}
		}
		current := snapshotdb.Current{Versions: snapshot.Versions{Facts: now}, From: noon}
		current.Next, current.NextFrom = now+1, noon.Add(time.Hour)
		publish(f.a.Network, current)
		for _, at := range []time.Time{noon, noon.Add(time.Hour - time.Microsecond), noon.Add(time.Hour)} {
			f.Now = func() time.Time { return at }
			if a, err := f.Last(t.Context(), f.a.Network); err != nil || a.At.Facts != now+1 || a.Hour != 495_001 {
				t.Errorf("Last at %v = %+v, %v, want the waiting snapshot", at, a, err)
			}
		}
		f.Now = func() time.Time { return noon }
		if a, err := f.Present(t.Context(), f.a.Network); err != nil || a.At.Facts != now || a.Hour != 495_000 {
			t.Errorf("Present = %+v, %v, want the published snapshot", a, err)
		}
		f.Now = func() time.Time { return noon.Add(time.Hour) }
		a, err := f.Present(t.Context(), f.a.Network)
		f.Now = func() time.Time { return noon } // a published load stays current
		if b, berr := f.Present(t.Context(), f.a.Network); err != nil || a.At.Facts != now+1 || a.Hour != 495_001 || b != a || berr != nil {
			t.Errorf("Present at the hour = %+v, %v, and after the clock was put back %+v, %v, want the next snapshot", a, err, b, berr)
		}
	})
}
