package snapshotdb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// waiting returns how many statements on the database wait for a lock. On SQLite it returns 0, since only the whole
// file can be locked.
func waiting(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	if db.Engine != database.Postgres {
		return 0
	}
	query := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	if err := db.NewRaw(query).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRemovalWaitsForNoRow tests that removal skips locked rows, such as those of a load that erases an e-mail in every
// snapshot. Otherwise it could deadlock with a writer that locks rows in another order. A later run removes the skipped
// rows.
func TestRemovalWaitsForNoRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		all := make([]int, 300)
		for i := range all {
			all[i] = i + 1
		}
		s.load(nil, len(all), "a")
		s.load(all, 0, "b")
		s.write(50)
		s.after(snapshotdb.DefaultRetention)
		key := snapshot.PullKey{Tenant: s.tenant, Budget: 1, Query: "old"}
		if err := s.BeginPull(t.Context(), key, snapshot.Snapshot{}, s.now.Add(-25*time.Hour)); err != nil {
			t.Fatal(err)
		}
		*s.now = s.now.Add(5 * time.Minute)

		removed := make(chan error, 1)
		touch := func(ctx context.Context, tx bun.Tx, which string) error {
			var err error
			for _, query := range []string{
				`UPDATE blocks SET lo = 1 WHERE until < ? AND a ` + which, `UPDATE superseded SET n = n WHERE until < ? AND n ` + which, `UPDATE pulls SET asked = 0 WHERE 0 < ? AND 150 ` + which,
			} {
				_, e := tx.NewRaw(query, snapshot.Open).Exec(ctx)
				err = errors.Join(err, e)
			}
			return err
		}
		err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			if err := touch(ctx, tx, "IN (150, 40)"); err != nil {
				return err
			}
			go func() { removed <- s.remover.Remove(t.Context()) }()
			for db.Engine == database.Postgres && len(removed) == 0 && waiting(t, db) == 0 {
			}
			return touch(ctx, tx, "> 0")
		})
		if err != nil {
			t.Errorf("transaction that locks rows beside a removal = %v, want nil", err)
		}
		if err := <-removed; err != nil {
			t.Errorf("removal beside that transaction = %v, want nil", err)
		}
		s.after(time.Minute)
		s.after(time.Minute)
		if b, p, n := s.count("blocks"), s.count("superseded"), s.count("pulls"); b != 300 || p != 0 || n != 0 {
			t.Errorf("%d blocks, %d superseded rows and %d old pulls are left, want 300, 0 and 0", b, p, n)
		}
	})
}

// TestTwoRemovers tests that two replicas can remove at the same time: nothing fails and nothing is left.
func TestTwoRemovers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		other := &snapshotdb.Remover{Store: s.Store, Superseded: s.remover.Superseded}
		if db.Engine == database.Postgres { // a server that plans differently, and so meets rows in another order
			second, err := database.Open(t.Context(), db.URL+"&enable_hashjoin=off&enable_indexscan=off&enable_bitmapscan=off")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { second.Close() })
			other.Store = &snapshotdb.Store{DB: second.DB, Copy: second.Copy, Now: s.Now, Kinds: s.Kinds}
		}
		all := make([]int, 2100)
		for i := range all {
			all[i] = i + 1
		}
		s.load(nil, len(all), "a")
		for round := range 2 {
			s.load(all, 0, "b")
			s.write(300)
			*s.now = s.now.Add(3 * time.Hour)
			for range 3 {
				done := make(chan error, 2)
				for _, r := range []*snapshotdb.Remover{s.remover, other} {
					go func() { done <- r.Remove(t.Context()) }()
				}
				if err := errors.Join(<-done, <-done); err != nil {
					t.Fatalf("round %d: two removers at the same time: %v", round, err)
				}
				*s.now = s.now.Add(5 * time.Minute)
			}
		}
		if b, p, n := s.count("blocks"), s.count("superseded"), s.count("snapshots"); b != len(all) || p != 0 || n != 1 {
			t.Errorf("%d blocks, %d superseded rows and %d snapshots are left, want %d, 0 and 1", b, p, n, len(all))
		}
	})
}
