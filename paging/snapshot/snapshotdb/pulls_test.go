package snapshotdb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// pulls returns when the stored pull began and when it was last asked, both in seconds after a time.
func pulls(t *testing.T, s *snapshotdb.Store, k snapshot.PullKey, after time.Time) (began, asked int) {
	t.Helper()
	var b, a int64
	err := s.DB.NewRaw(`SELECT began, asked FROM pulls WHERE tenant_id = ? AND budget = ? AND query = ?`, k.Tenant, k.Budget, k.Query).Scan(t.Context(), &b, &a)
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(us int64) int { return int(time.UnixMicro(us).Sub(after) / time.Second) }
	return seconds(b), seconds(a)
}

// publishAt publishes the next snapshot, as of a time.
func publishAt(t *testing.T, s *snapshotdb.Store, tenant auth.Tenant, now time.Time) snapshot.Versions {
	t.Helper()
	var h snapshotdb.Current
	err := s.DB.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) (err error) {
		if h, err = snapshotdb.Lock(ctx, tx, tenant); err != nil {
			return err
		}
		h.Facts, h.From = snapshotdb.NextNumber(h.Facts), now
		return h.Publish(ctx, tx, tenant, now)
	})
	if err != nil {
		t.Fatal(err)
	}
	return h.Versions
}

// TestPull tests that a pull is found for exactly 24 hours from its start. Later requests are noted once a minute.
func TestPull(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		ctx, begun := t.Context(), *now
		k := snapshot.PullKey{Tenant: tenant, Budget: 2, Query: "q"}
		at := snapshot.Snapshot{Versions: snapshot.Versions{Registers: 5, Facts: 6}, Of: 20000}
		if err := s.BeginPull(ctx, k, at, begun); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			after time.Duration
			ok    bool
			asked int
		}{
			{time.Minute, true, 0},
			{time.Minute + time.Microsecond, true, 60},
			{2 * time.Minute, true, 60},
			{snapshotdb.PullFor - time.Microsecond, true, 24*3600 - 1},
			{snapshotdb.PullFor, false, 24*3600 - 1},
		} {
			got, _, ok, err := s.Pull(ctx, k, snapshot.Snapshot{}, begun.Add(tt.after))
			if err != nil || ok != tt.ok || ok && got != at {
				t.Errorf("Pull after %v = %v, %t, %v, want %t", tt.after, got, ok, err, tt.ok)
			}
			if _, asked := pulls(t, s, k, begun); asked != tt.asked {
				t.Errorf("after %v: last request at %d s, want %d", tt.after, asked, tt.asked)
			}
		}
		for _, other := range []snapshot.PullKey{{Tenant: tenant + 1, Budget: 2, Query: "q"}, {Tenant: tenant, Budget: 3, Query: "q"}, {Tenant: tenant, Budget: 2, Query: "p"}} {
			if _, _, ok, err := s.Pull(ctx, other, snapshot.Snapshot{}, begun); ok || err != nil {
				t.Errorf("Pull(%v) = %t, %v, want none", other, ok, err)
			}
		}
	})
}

// TestPullBegunAgain tests that reading page 1 again writes nothing for a minute, unless the snapshot differs.
func TestPullBegunAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		k := snapshot.PullKey{Tenant: tenant, Query: "q"}
		at := snapshot.Snapshot{Versions: snapshot.Versions{Registers: 5, Facts: 6}, Of: 20000}
		for _, tt := range []struct {
			after int // seconds
			of    int32
			began int
		}{{0, 20000, 0}, {59, 20000, 0}, {60, 20000, 60}, {61, 20001, 61}} {
			at.Of = tt.of
			if err := s.BeginPull(t.Context(), k, at, now.Add(time.Duration(tt.after)*time.Second)); err != nil {
				t.Fatal(err)
			}
			if began, asked := pulls(t, s, k, *now); began != tt.began || asked != tt.began {
				t.Errorf("after %d s: began at %d, last request at %d, want %d", tt.after, began, asked, tt.began)
			}
			if got, _, ok, err := s.Pull(t.Context(), k, snapshot.Snapshot{}, now.Add(time.Duration(tt.after)*time.Second)); got != at || !ok || err != nil {
				t.Errorf("Pull after %d s = %v, %t, %v, want %v", tt.after, got, ok, err, at)
			}
		}
	})
}

// TestRecentPulls tests that a pull read or written within a minute is not read again if it is of the current snapshot.
// The test deletes it from the table to find out. A pull of another snapshot is read again.
func TestRecentPulls(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		s.Recent = new(snapshotdb.Recent)
		ctx, k := t.Context(), snapshot.PullKey{Tenant: tenant, Query: "q"}
		at := snapshot.Snapshot{Versions: snapshot.Versions{Registers: 5, Facts: 6}, Of: 20000}
		other := at
		other.Of++
		begin := func(at snapshot.Snapshot, seconds int) {
			t.Helper()
			if err := s.BeginPull(ctx, k, at, now.Add(time.Duration(seconds)*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		lose := func() {
			t.Helper()
			if _, err := s.DB.NewRaw(`DELETE FROM pulls WHERE tenant_id = ?`, tenant).Exec(ctx); err != nil {
				t.Fatal(err)
			}
		}
		find := func(current snapshot.Snapshot, seconds int, want bool) {
			t.Helper()
			got, _, ok, err := s.Pull(ctx, k, current, now.Add(time.Duration(seconds)*time.Second))
			if err != nil || ok != want || ok && got != at {
				t.Errorf("Pull after %d s = %v, %t, %v, want %t", seconds, got, ok, err, want)
			}
		}
		begin(at, 0)
		find(at, 61, true) // noted again after a minute
		lose()
		find(at, 121, true)
		find(other, 121, false)
		find(at, 122, false)
		begin(at, 200)
		lose()
		begin(at, 259)
		find(other, 259, false) // so the pull was not written
		begin(other, 259)
		began, _ := pulls(t, s, k, *now)
		begin(at, 300)
		if again, _ := pulls(t, s, k, *now); began != 259 || again != 300 {
			t.Errorf("pull began at %d, again at %d, want 259 and 300", began, again)
		}
	})
}

// TestPullsOfABudget tests that a budget has at most a thousand pulls: only its own oldest ones are removed.
func TestPullsOfABudget(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		ctx := t.Context()
		begin := func(budget int64, i int) {
			t.Helper()
			k := snapshot.PullKey{Tenant: tenant, Budget: budget, Query: fmt.Sprint(i)}
			if err := s.BeginPull(ctx, k, snapshot.Snapshot{}, now.Add(time.Duration(i)*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
		}
		begin(1, 0)
		begin(2, 0)
		for i := range 998 {
			_, err := db.NewRaw(`
				INSERT INTO pulls (tenant_id, budget, query, registers, facts, day, began, asked)
				SELECT tenant_id, budget, ?, registers, facts, day, began + ?, asked + ? FROM pulls WHERE budget = 2 AND query = '0'`,
				fmt.Sprint(i+1), (i+1)*1000, (i+1)*1000).Exec(ctx)
			if err != nil {
				t.Fatal(err)
			}
		}
		begin(2, 999)
		found := func(budget int64, i int) bool {
			_, _, ok, err := s.Pull(ctx, snapshot.PullKey{Tenant: tenant, Budget: budget, Query: fmt.Sprint(i)}, snapshot.Snapshot{}, now.Add(2*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if !found(2, 0) {
			t.Error("the first of 1,000 pulls was removed")
		}
		begin(2, 1000)
		if found(2, 0) || !found(2, 1) || !found(2, 1000) || !found(1, 0) {
			t.Errorf("of 1,001 pulls, found: the first %t, the second %t, the last %t, another budget's %t, want all but the first",
				found(2, 0), found(2, 1), found(2, 1000), found(1, 0))
		}
	})
}

// TestUsePull tests that reading a snapshot retains it until 24 hours after it was superseded, but no longer.
func TestUsePull(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		ctx, start := t.Context(), *now
		at := snapshot.Snapshot{Versions: publishAt(t, s, tenant, start)}
		k := snapshot.PullKey{Tenant: tenant, Query: "q"}
		const hour = 3600
		replaced := 0
		for _, tt := range []struct{ after, began, asked int }{
			{hour, hour, hour},
			{26 * hour, 26 * hour, 26 * hour}, // still current
			{40 * hour, 26 * hour, 40 * hour}, // superseded at 30 h
			{50*hour - 1, 26 * hour, 50*hour - 1},
			{50 * hour, 30 * hour, 50 * hour},
			{54*hour - 1, 30 * hour, 54*hour - 1},
			{54 * hour, 30 * hour, 54*hour - 1},
			{90 * hour, 30 * hour, 54*hour - 1},
		} {
			if tt.after > 30*hour && replaced == 0 {
				replaced++
				publishAt(t, s, tenant, start.Add(30*time.Hour))
			}
			if err := s.UsePull(ctx, k, at, start.Add(time.Duration(tt.after)*time.Second)); err != nil {
				t.Fatal(err)
			}
			if began, asked := pulls(t, s, k, start); began != tt.began || asked != tt.asked {
				t.Errorf("after %d s: began at %d, last request at %d, want %d, %d", tt.after, began, asked, tt.began, tt.asked)
			}
		}
	})
}

// TestKept tests that a snapshot is retained if it existed and neither of its versions is older than the oldest one, and
// that the look-up of a pull says the same of its snapshot.
func TestKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		first := publishAt(t, s, tenant, *now)
		second := publishAt(t, s, tenant, now.Add(time.Hour))
		check := func(rule string, at snapshot.Versions, want time.Time, wantErr error) {
			t.Helper()
			from, err := s.KeptFrom(t.Context(), tenant, at)
			if !errors.Is(err, wantErr) || !from.Equal(want) {
				t.Errorf("%s: KeptFrom = %v, %v, want %v, %v", rule, from, err, want, wantErr)
			}
			k := snapshot.PullKey{Tenant: tenant, Query: rule}
			if err := s.BeginPull(t.Context(), k, snapshot.Snapshot{Versions: at}, *now); err != nil {
				t.Fatal(err)
			}
			if _, from, ok, err := s.Pull(t.Context(), k, snapshot.Snapshot{}, *now); !from.Equal(want) || !ok || err != nil {
				t.Errorf("%s: facts of a pull from %v, %t, %v, want %v", rule, from, ok, err, want)
			}
		}
		none := time.Time{}
		check("before the first load", snapshot.Versions{}, none, nil)
		check("the first snapshot", first, *now, nil)
		check("the current snapshot", second, now.Add(time.Hour), nil)
		check("a snapshot that a failover lost", snapshot.Versions{Facts: second.Facts + 1}, none, snapshot.ErrGone)
		if _, err := db.ExecContext(t.Context(), `UPDATE versions SET oldest_facts = ?`, second.Facts); err != nil {
			t.Fatal(err)
		}
		check("before the oldest snapshot", first, none, snapshot.ErrGone)
		check("the oldest snapshot", second, now.Add(time.Hour), nil)
		if _, err := db.ExecContext(t.Context(), `UPDATE versions SET oldest_registers = 1`); err != nil {
			t.Fatal(err)
		}
		check("of an older version of the tables", second, none, snapshot.ErrGone)
	})
}

// TestPullOfAnExpiredSnapshot tests that pulls of a snapshot that is gone do not retain any other snapshot.
func TestPullOfAnExpiredSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s, tenant, now := newStore(t, db)
		ctx, start := t.Context(), *now
		remover := &snapshotdb.Remover{Store: s}
		var snapshots []snapshot.Versions
		for i := range 3 {
			snapshots = append(snapshots, publishAt(t, s, tenant, start.Add(time.Duration(i)*time.Hour)))
		}
		for i, at := range snapshots {
			*now = start.Add(time.Duration(i)*time.Hour + snapshotdb.DefaultRetention)
			for range 2 { // the second removes what the first has ended
				if err := remover.Remove(ctx); err != nil {
					t.Fatal(err)
				}
				*now = now.Add(6 * time.Minute)
			}
			if _, err := s.KeptFrom(ctx, tenant, at); err != nil {
				t.Errorf("KeptFrom of snapshot %d = %v, want nil", i, err)
			}
			if i > 0 {
				if _, err := s.KeptFrom(ctx, tenant, snapshots[i-1]); !errors.Is(err, snapshot.ErrGone) {
					t.Errorf("KeptFrom of snapshot %d while %d is current = %v, want ErrGone", i-1, i, err)
				}
			}
			expired := snapshot.Snapshot{Versions: snapshot.Versions{Registers: snapshots[0].Registers}}
			if err := s.BeginPull(ctx, snapshot.PullKey{Tenant: tenant, Query: "q"}, expired, now.Add(50*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
