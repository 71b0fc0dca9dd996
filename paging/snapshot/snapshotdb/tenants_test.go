package snapshotdb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// start is the time at which the tests create tenants.
var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// migrated runs f with a database that has the tables.
func migrated(f func(t *testing.T, db *database.DB)) func(*testing.T, *database.DB) {
	return func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), snapshotdb.Migrations); err != nil {
			t.Fatal(err)
		}
		f(t, db)
	}
}

func create(tb testing.TB, db *database.DB, kind snapshotdb.Kind, reference string) auth.Tenant {
	tb.Helper()
	id, err := snapshotdb.CreateTenant(tb.Context(), db, snapshotdb.Tenant{Kind: kind, Reference: reference, Name: "Name of " + reference, Created: start})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// publishNext publishes the next version of the tables, of the facts, or of both, and returns the current versions.
func publishNext(ctx context.Context, tx bun.IDB, t auth.Tenant, registers, facts bool) (snapshot.Versions, error) {
	h, err := snapshotdb.Lock(ctx, tx, t)
	if err != nil {
		return snapshot.Versions{}, err
	}
	if registers {
		h.Registers = snapshotdb.NextNumber(h.Registers)
	}
	if facts {
		h.Facts = snapshotdb.NextNumber(h.Facts)
	}
	return h.Versions, h.Publish(ctx, tx, t, time.Now())
}

func TestCreateTenant(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		acme := create(t, db, snapshotdb.Partner, "acme")
		central := create(t, db, snapshotdb.Library, "central")
		same := create(t, db, snapshotdb.Library, "acme") // each kind has its own references
		cased := create(t, db, snapshotdb.Partner, "Acme")
		if ids := []auth.Tenant{acme, central, same, cased}; !slices.Equal(ids, []auth.Tenant{1, 2, 3, 4}) {
			t.Errorf("ids of the tenants = %d, want 1 to 4", ids)
		}
		if _, err := snapshotdb.CreateTenant(t.Context(), db, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "acme", Name: "Other"}); !errors.Is(err, snapshotdb.ErrExist) {
			t.Errorf("CreateTenant of a reference in use = %v, want ErrExist", err)
		}
		want := snapshotdb.Tenant{ID: 1, Kind: snapshotdb.Partner, Reference: "acme", Name: "Name of acme", Created: start}
		if got, err := snapshotdb.TenantOf(t.Context(), db, snapshotdb.Partner, "acme"); err != nil || got != want {
			t.Errorf("TenantOf = %+v, %v, want %+v", got, err, want)
		}
		if _, err := snapshotdb.TenantOf(t.Context(), db, snapshotdb.Library, "none"); !errors.Is(err, snapshotdb.ErrNotFound) {
			t.Errorf("TenantOf an unknown reference = %v, want ErrNotFound", err)
		}
		list, err := snapshotdb.Tenants(t.Context(), db)
		if err != nil || len(list) != 4 || list[0] != want || list[3].Reference != "Acme" {
			t.Errorf("Tenants = %+v, %v, want four, from acme to Acme", list, err)
		}
		if v, err := snapshotdb.ReadCurrent(t.Context(), db, acme); err != nil || v != (snapshotdb.Current{}) {
			t.Errorf("versions of a new tenant = %+v, %v, want zero", v, err)
		}
	}))
}

// TestCreateTenantInTransaction tests that a tenant is created together with what its owner adds, or not at all.
func TestCreateTenantInTransaction(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		stop := errors.New("stop")
		err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			if id, err := snapshotdb.CreateTenant(ctx, tx, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "acme", Name: "Acme"}); err != nil || id != 1 {
				t.Errorf("CreateTenant = %d, %v", id, err)
			}
			// A reference in use leaves the transaction usable.
			if _, err := snapshotdb.CreateTenant(ctx, tx, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "acme", Name: "Acme"}); !errors.Is(err, snapshotdb.ErrExist) {
				t.Errorf("CreateTenant again = %v, want ErrExist", err)
			}
			if _, err := publishNext(ctx, tx, 1, true, false); err != nil {
				t.Error(err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if list, err := snapshotdb.Tenants(t.Context(), db); err != nil || len(list) != 0 {
			t.Errorf("Tenants after a rollback = %+v, %v, want none", list, err)
		}
	}))
}

func TestCreateTenantsConcurrently(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		const n = 12
		errs := make(chan error, n)
		for i := range n {
			go func() {
				// Each reference is used twice.
				_, err := snapshotdb.CreateTenant(t.Context(), db, snapshotdb.Tenant{Kind: snapshotdb.Library, Reference: fmt.Sprint("library-", i/2), Name: ""})
				errs <- err
			}()
		}
		exist := 0
		for range n {
			err := <-errs
			if errors.Is(err, snapshotdb.ErrExist) {
				exist++
			} else if err != nil {
				t.Error(err)
			}
		}
		list, err := snapshotdb.Tenants(t.Context(), db)
		if err != nil || exist != n/2 || len(list) != n/2 || list[n/2-1].ID != n/2 {
			t.Errorf("%d tenants, the last of them %+v, %d refused, %v, want %d numbered from 1", len(list), list[len(list)-1], exist, err, n/2)
		}
	}))
}

func TestVersions(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		one, two := create(t, db, snapshotdb.Library, "one"), create(t, db, snapshotdb.Library, "two")
		var was snapshot.Versions
		for _, step := range []struct{ registers, facts bool }{{true, false}, {true, true}, {false, true}, {false, false}} {
			got, err := publishNext(t.Context(), db, one, step.registers, step.facts)
			if err != nil || raised(was.Registers, got.Registers) != step.registers || raised(was.Facts, got.Facts) != step.facts {
				t.Errorf("publishNext(%t, %t) = %+v, %v after %+v, want only these versions raised", step.registers, step.facts, got, err, was)
			}
			if h, err := snapshotdb.ReadCurrent(t.Context(), db, one); err != nil || h.Versions != got {
				t.Errorf("ReadCurrent = %+v, %v, want %+v", h, err, got)
			}
			was = got
		}
		if got, err := snapshotdb.ReadCurrent(t.Context(), db, two); err != nil || got != (snapshotdb.Current{}) {
			t.Errorf("the other tenant has %+v, %v, want zero", got, err)
		}
	}))
}

// raised reports whether a version rose by at most 2^20, counted from 2^32 if the old one is lower.
func raised(was, is int64) bool {
	if is == was {
		return false
	}
	from := max(was, 1<<32)
	return from < is && is <= from+1<<20
}

func TestVersionsOfNobody(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		if _, err := snapshotdb.Lock(t.Context(), db, 9); !errors.Is(err, snapshotdb.ErrNotFound) {
			t.Errorf("Lock = %v, want ErrNotFound", err)
		}
		if _, err := publishNext(t.Context(), db, 9, true, true); !errors.Is(err, snapshotdb.ErrNotFound) {
			t.Errorf("publishNext = %v, want ErrNotFound", err)
		}
		if _, err := snapshotdb.ReadCurrent(t.Context(), db, 9); !errors.Is(err, snapshotdb.ErrNotFound) {
			t.Errorf("ReadCurrent = %v, want ErrNotFound", err)
		}
	}))
}

// TestLock tests that writers with Lock exclude each other: no other writer of the tenant runs between a read and its
// write.
func TestLock(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		id := create(t, db, snapshotdb.Library, "one")
		const writers, rounds = 6, 10
		errs := make(chan error, writers)
		for range writers {
			go func() {
				var err error
				for i := 0; i < rounds && err == nil; i++ {
					err = db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
						before, err := snapshotdb.Lock(ctx, tx, id)
						if err != nil {
							return err
						}
						after, err := publishNext(ctx, tx, id, true, false)
						if err == nil && after.Registers <= before.Registers {
							err = fmt.Errorf("publishNext changed the versions from %+v to %+v", before, after)
						}
						return err
					})
				}
				errs <- err
			}()
		}
		for range writers {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}))
}

// TestLoadedLast tests that tenants are ordered by their last load, latest first, and then by number if never loaded.
// The limit bounds the list.
func TestLoadedLast(t *testing.T) {
	dbtest.Everywhere(t, migrated(func(t *testing.T, db *database.DB) {
		if list, err := snapshotdb.LoadedLast(t.Context(), db, 9); len(list) != 0 || err != nil {
			t.Errorf("LoadedLast without tenants = %+v, %v, want none", list, err)
		}
		never, old, late, last := create(t, db, snapshotdb.Partner, "never"), create(t, db, snapshotdb.Partner, "old"), create(t, db, snapshotdb.Library, "late"), create(t, db, snapshotdb.Partner, "last")
		for tenant, loads := range map[auth.Tenant][]snapshotdb.LastLoad{
			old:  {{Ended: start}},
			late: {{Ended: start}, {Ended: start.Add(time.Hour), Took: 1500 * time.Millisecond, Rows: 7}},
		} {
			for _, l := range loads {
				if err := snapshotdb.NoteLoad(t.Context(), db, tenant, l); err != nil {
					t.Fatal(err)
				}
			}
		}
		versions, err := publishNext(t.Context(), db, late, true, false)
		if err != nil {
			t.Fatal(err)
		}
		for limit, want := range map[int][]auth.Tenant{2: {late, old}, 3: {late, old, never}, 4: {late, old, never, last}, 5: {late, old, never, last}} {
			list, err := snapshotdb.LoadedLast(t.Context(), db, limit, never, old, late, last)
			var ids []auth.Tenant
			for _, tenant := range list {
				ids = append(ids, tenant.ID)
			}
			if !slices.Equal(ids, want) || err != nil {
				t.Errorf("LoadedLast(%d) = %v, %v, want %v", limit, ids, err, want)
				continue
			}
			if first := list[0]; first.Versions != versions || first.Reference != "late" || first.Kind != snapshotdb.Library || list[1].Versions != (snapshot.Versions{}) {
				t.Errorf("LoadedLast(%d) begins with %+v, want late with %+v", limit, first, versions)
			}
			if want := (snapshotdb.LastLoad{Ended: start.Add(time.Hour).UTC(), Took: 1500 * time.Millisecond, Rows: 7}); list[0].Last != want {
				t.Errorf("LoadedLast(%d): the last load of late is %+v, want %+v", limit, list[0].Last, want)
			}
			if end := list[len(list)-1]; limit > 2 && end.Last != (snapshotdb.LastLoad{}) {
				t.Errorf("LoadedLast(%d): the last load of %s is %+v, want none", limit, end.Reference, end.Last)
			}
		}
	}))
}
