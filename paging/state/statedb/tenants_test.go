package statedb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// start is when the tenants of tests are created.
var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// migrated runs f with a database that has the tables.
func migrated(f func(t *testing.T, db *database.DB)) func(*testing.T, *database.DB) {
	return func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), statedb.Migrations); err != nil {
			t.Fatal(err)
		}
		f(t, db)
	}
}

func create(tb testing.TB, db *database.DB, kind statedb.Kind, reference string) auth.Tenant {
	tb.Helper()
	id, err := statedb.CreateTenant(tb.Context(), db, statedb.Tenant{Kind: kind, Reference: reference, Name: "Name of " + reference, Created: start})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// publishNext makes the next version of the registers, of the facts, or of both current, and returns what is current then.
func publishNext(ctx context.Context, tx bun.IDB, t auth.Tenant, registers, facts bool) (state.Versions, error) {
	h, err := statedb.Lock(ctx, tx, t)
	if err != nil {
		return state.Versions{}, err
	}
	if registers {
		h.Registers = statedb.NextNumber(h.Registers)
	}
	if facts {
		h.Facts = statedb.NextNumber(h.Facts)
	}
	return h.Versions, h.Publish(ctx, tx, t, time.Now())
}

func TestCreateTenant(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		acme := create(t, db, statedb.Partner, "acme")
		central := create(t, db, statedb.Library, "central")
		same := create(t, db, statedb.Library, "acme") // kinds are apart
		cased := create(t, db, statedb.Partner, "Acme")
		if ids := []auth.Tenant{acme, central, same, cased}; !slices.Equal(ids, []auth.Tenant{1, 2, 3, 4}) {
			t.Errorf("tenants %d, want 1 to 4", ids)
		}
		if _, err := statedb.CreateTenant(t.Context(), db, statedb.Tenant{Kind: statedb.Partner, Reference: "acme", Name: "Other"}); !errors.Is(err, statedb.ErrExist) {
			t.Errorf("CreateTenant of a reference in use = %v, want ErrExist", err)
		}
		want := statedb.Tenant{ID: 1, Kind: statedb.Partner, Reference: "acme", Name: "Name of acme", Created: start}
		if got, err := statedb.TenantOf(t.Context(), db, statedb.Partner, "acme"); err != nil || got != want {
			t.Errorf("Tenant = %+v, %v, want %+v", got, err, want)
		}
		if _, err := statedb.TenantOf(t.Context(), db, statedb.Library, "none"); !errors.Is(err, statedb.ErrNotFound) {
			t.Errorf("Tenant of an unknown reference = %v, want ErrNotFound", err)
		}
		list, err := statedb.Tenants(t.Context(), db)
		if err != nil || len(list) != 4 || list[0] != want || list[3].Reference != "Acme" {
			t.Errorf("Tenants = %+v, %v", list, err)
		}
		if v, err := statedb.ReadCurrent(t.Context(), db, acme); err != nil || v != (statedb.Current{}) {
			t.Errorf("versions of a new tenant = %+v, %v, want zero", v, err)
		}
	}))
}

// A tenant is created along with what its owner adds, or not at all.
func TestCreateTenantInTransaction(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		stop := errors.New("stop")
		err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			if id, err := statedb.CreateTenant(ctx, tx, statedb.Tenant{Kind: statedb.Partner, Reference: "acme", Name: "Acme"}); err != nil || id != 1 {
				t.Errorf("CreateTenant = %d, %v", id, err)
			}
			// A reference in use leaves the transaction usable.
			if _, err := statedb.CreateTenant(ctx, tx, statedb.Tenant{Kind: statedb.Partner, Reference: "acme", Name: "Acme"}); !errors.Is(err, statedb.ErrExist) {
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
		if list, err := statedb.Tenants(t.Context(), db); err != nil || len(list) != 0 {
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
				// Half of the references are taken by another.
				_, err := statedb.CreateTenant(t.Context(), db, statedb.Tenant{Kind: statedb.Library, Reference: fmt.Sprint("library-", i/2), Name: ""})
				errs <- err
			}()
		}
		exist := 0
		for range n {
			err := <-errs
			if errors.Is(err, statedb.ErrExist) {
				exist++
			} else if err != nil {
				t.Error(err)
			}
		}
		list, err := statedb.Tenants(t.Context(), db)
		if err != nil || exist != n/2 || len(list) != n/2 || list[n/2-1].ID != n/2 {
			t.Errorf("%d tenants, the last of them %+v, %d refused, %v, want %d numbered from 1", len(list), list[len(list)-1], exist, err, n/2)
		}
	}))
}

func TestVersions(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		one, two := create(t, db, statedb.Library, "one"), create(t, db, statedb.Library, "two")
		var was state.Versions
		for _, step := range []struct{ registers, facts bool }{{true, false}, {true, true}, {false, true}, {false, false}} {
			got, err := publishNext(t.Context(), db, one, step.registers, step.facts)
			if err != nil || raised(was.Registers, got.Registers) != step.registers || raised(was.Facts, got.Facts) != step.facts {
				t.Errorf("publishNext(%t, %t) = %+v, %v after %+v", step.registers, step.facts, got, err, was)
			}
			if h, err := statedb.ReadCurrent(t.Context(), db, one); err != nil || h.Versions != got {
				t.Errorf("ReadCurrent = %+v, %v, want %+v", h, err, got)
			}
			was = got
		}
		if got, err := statedb.ReadCurrent(t.Context(), db, two); err != nil || got != (statedb.Current{}) {
			t.Errorf("the other tenant has %+v, %v, want zero", got, err)
		}
	}))
}

// raised reports whether a version is another one, which is then a step of at most 2^20 above it, and above 2^32.
func raised(was, is int64) bool {
	if is == was {
		return false
	}
	from := max(was, 1<<32)
	return from < is && is <= from+1<<20
}

func TestVersionsOfNobody(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		if _, err := statedb.Lock(t.Context(), db, 9); !errors.Is(err, statedb.ErrNotFound) {
			t.Errorf("Lock = %v, want ErrNotFound", err)
		}
		if _, err := publishNext(t.Context(), db, 9, true, true); !errors.Is(err, statedb.ErrNotFound) {
			t.Errorf("raise = %v, want ErrNotFound", err)
		}
		if _, err := statedb.ReadCurrent(t.Context(), db, 9); !errors.Is(err, statedb.ErrNotFound) {
			t.Errorf("ReadCurrent = %v, want ErrNotFound", err)
		}
	}))
}

// Writers that hold Lock exclude each other: no other writer of the tenant runs between a read and its write.
func TestLock(t *testing.T) {
	dbtest.Each(t, migrated(func(t *testing.T, db *database.DB) {
		id := create(t, db, statedb.Library, "one")
		const writers, rounds = 6, 10
		errs := make(chan error, writers)
		for range writers {
			go func() {
				var err error
				for i := 0; i < rounds && err == nil; i++ {
					err = db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
						before, err := statedb.Lock(ctx, tx, id)
						if err != nil {
							return err
						}
						after, err := publishNext(ctx, tx, id, true, false)
						if err == nil && after.Registers <= before.Registers {
							err = fmt.Errorf("raised from %+v to %+v", before, after)
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

// Tenants are ordered by their last load, latest first; those never loaded follow by number. The limit bounds the list.
func TestLoadedLast(t *testing.T) {
	dbtest.Everywhere(t, migrated(func(t *testing.T, db *database.DB) {
		if list, err := statedb.LoadedLast(t.Context(), db, 9); len(list) != 0 || err != nil {
			t.Errorf("without tenants: %+v, %v, want none", list, err)
		}
		never, old, late, last := create(t, db, statedb.Partner, "never"), create(t, db, statedb.Partner, "old"), create(t, db, statedb.Library, "late"), create(t, db, statedb.Partner, "last")
		for tenant, loads := range map[auth.Tenant][]statedb.LastLoad{
			old:  {{Ended: start}},
			late: {{Ended: start}, {Ended: start.Add(time.Hour), Took: 1500 * time.Millisecond, Rows: 7}},
		} {
			for _, l := range loads {
				if err := statedb.NoteLoad(t.Context(), db, tenant, l); err != nil {
					t.Fatal(err)
				}
			}
		}
		versions, err := publishNext(t.Context(), db, late, true, false)
		if err != nil {
			t.Fatal(err)
		}
		for limit, want := range map[int][]auth.Tenant{2: {late, old}, 3: {late, old, never}, 4: {late, old, never, last}, 5: {late, old, never, last}} {
			list, err := statedb.LoadedLast(t.Context(), db, limit, never, old, late, last)
			var ids []auth.Tenant
			for _, tenant := range list {
				ids = append(ids, tenant.ID)
			}
			if !slices.Equal(ids, want) || err != nil {
				t.Errorf("LoadedLast(%d) = %v, %v, want %v", limit, ids, err, want)
				continue
			}
			if first := list[0]; first.Versions != versions || first.Reference != "late" || first.Kind != statedb.Library || list[1].Versions != (state.Versions{}) {
				t.Errorf("LoadedLast(%d) begins %+v, want late with %+v", limit, first, versions)
			}
			if want := (statedb.LastLoad{Ended: start.Add(time.Hour).UTC(), Took: 1500 * time.Millisecond, Rows: 7}); list[0].Last != want {
				t.Errorf("LoadedLast(%d): the last load of late is %+v, want %+v", limit, list[0].Last, want)
			}
			if end := list[len(list)-1]; limit > 2 && end.Last != (statedb.LastLoad{}) {
				t.Errorf("LoadedLast(%d): the last load of %s is %+v, want none", limit, end.Reference, end.Last)
			}
		}
	}))
}
