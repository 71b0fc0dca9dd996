package authdb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/uptrace/bun"
)

// start is when every test begins.
var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// each runs f on both engines with a store, whose clock f sets.
func each(t *testing.T, f func(t *testing.T, s *authdb.Store, c *clock)) {
	t.Helper()
	dbtest.Each(t, withStore(f))
}

// everywhere is each, and runs f on a distributed database too.
func everywhere(t *testing.T, f func(t *testing.T, s *authdb.Store, c *clock)) {
	t.Helper()
	dbtest.Everywhere(t, withStore(f))
}

func withStore(f func(t *testing.T, s *authdb.Store, c *clock)) func(*testing.T, *database.DB) {
	return func(t *testing.T, db *database.DB) {
		migrate(t, db)
		c := &clock{now: start}
		f(t, &authdb.Store{DB: db.DB, Now: c.Now}, c)
	}
}

func migrate(tb testing.TB, db *database.DB) {
	tb.Helper()
	if _, err := db.Migrate(tb.Context(), authdb.Migrations); err != nil {
		tb.Fatal(err)
	}
}

func create(tb testing.TB, s *authdb.Store, kind authdb.Kind, reference string) auth.Tenant {
	tb.Helper()
	id, err := s.CreateTenant(tb.Context(), s.DB, authdb.Tenant{Kind: kind, Reference: reference, Name: "Name of " + reference})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// Both engines have the same migrations.
func TestMigrationsAgree(t *testing.T) {
	names := func(engine database.Engine) (list []string) {
		paths, err := fs.Glob(authdb.Migrations, "migrations/"+string(engine)+"/*")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d migrations, %v", engine, len(paths), err)
		}
		for _, p := range paths {
			list = append(list, filepath.Base(p))
		}
		return list
	}
	if pg, lite := names(database.Postgres), names(database.SQLite); !slices.Equal(pg, lite) {
		t.Errorf("migrations/postgres has %q, migrations/sqlite %q", pg, lite)
	}
}

func TestCreateTenant(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := create(t, s, authdb.Partner, "acme")
		central := create(t, s, authdb.Library, "central")
		same := create(t, s, authdb.Library, "acme") // kinds are apart
		cased := create(t, s, authdb.Partner, "Acme")
		if ids := []auth.Tenant{acme, central, same, cased}; !slices.Equal(ids, []auth.Tenant{1, 2, 3, 4}) {
			t.Errorf("tenants %d, want 1 to 4", ids)
		}
		if _, err := s.CreateTenant(t.Context(), s.DB, authdb.Tenant{Kind: authdb.Partner, Reference: "acme", Name: "Other"}); !errors.Is(err, authdb.ErrExist) {
			t.Errorf("CreateTenant of a reference in use = %v, want ErrExist", err)
		}
		want := authdb.Tenant{ID: 1, Kind: authdb.Partner, Reference: "acme", Name: "Name of acme", Created: start}
		if got, err := s.Tenant(t.Context(), authdb.Partner, "acme"); err != nil || got != want {
			t.Errorf("Tenant = %+v, %v, want %+v", got, err, want)
		}
		if _, err := s.Tenant(t.Context(), authdb.Library, "none"); !errors.Is(err, authdb.ErrNotFound) {
			t.Errorf("Tenant of an unknown reference = %v, want ErrNotFound", err)
		}
		list, err := s.Tenants(t.Context())
		if err != nil || len(list) != 4 || list[0] != want || list[3].Reference != "Acme" {
			t.Errorf("Tenants = %+v, %v", list, err)
		}
		if v, err := authdb.ReadHeld(t.Context(), s.DB, acme); err != nil || v != (authdb.Held{}) {
			t.Errorf("versions of a new tenant = %+v, %v, want zero", v, err)
		}
	})
}

// A tenant is created along with what its owner adds, or not at all.
func TestCreateTenantInTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		stop := errors.New("stop")
		err := s.DB.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			if id, err := s.CreateTenant(ctx, tx, authdb.Tenant{Kind: authdb.Partner, Reference: "acme", Name: "Acme"}); err != nil || id != 1 {
				t.Errorf("CreateTenant = %d, %v", id, err)
			}
			// A reference in use leaves the transaction usable.
			if _, err := s.CreateTenant(ctx, tx, authdb.Tenant{Kind: authdb.Partner, Reference: "acme", Name: "Acme"}); !errors.Is(err, authdb.ErrExist) {
				t.Errorf("CreateTenant again = %v, want ErrExist", err)
			}
			if _, err := authdb.Raise(ctx, tx, 1, true, false); err != nil {
				t.Error(err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if list, err := s.Tenants(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("Tenants after a rollback = %+v, %v, want none", list, err)
		}
	})
}

func TestCreateTenantsConcurrently(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		const n = 12
		errs := make(chan error, n)
		for i := range n {
			go func() {
				// Half of the references are taken by another.
				_, err := s.CreateTenant(t.Context(), s.DB, authdb.Tenant{Kind: authdb.Library, Reference: fmt.Sprint("library-", i/2), Name: ""})
				errs <- err
			}()
		}
		exist := 0
		for range n {
			err := <-errs
			if errors.Is(err, authdb.ErrExist) {
				exist++
			} else if err != nil {
				t.Error(err)
			}
		}
		list, err := s.Tenants(t.Context())
		if err != nil || exist != n/2 || len(list) != n/2 || list[n/2-1].ID != n/2 {
			t.Errorf("%d tenants, the last of them %+v, %d refused, %v, want %d numbered from 1", len(list), list[len(list)-1], exist, err, n/2)
		}
	})
}

func TestVersions(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		one, two := create(t, s, authdb.Library, "one"), create(t, s, authdb.Library, "two")
		var was authdb.Versions
		for _, step := range []struct{ registers, facts bool }{{true, false}, {true, true}, {false, true}, {false, false}} {
			got, err := authdb.Raise(t.Context(), s.DB, one, step.registers, step.facts)
			if err != nil || raised(was.Registers, got.Registers) != step.registers || raised(was.Facts, got.Facts) != step.facts {
				t.Errorf("Raise(%t, %t) = %+v, %v after %+v", step.registers, step.facts, got, err, was)
			}
			if h, err := authdb.ReadHeld(t.Context(), s.DB, one); err != nil || h.Versions != got {
				t.Errorf("ReadHeld = %+v, %v, want %+v", h, err, got)
			}
			was = got
		}
		if got, err := authdb.ReadHeld(t.Context(), s.DB, two); err != nil || got != (authdb.Held{}) {
			t.Errorf("the other tenant has %+v, %v, want zero", got, err)
		}
	})
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
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		if _, err := authdb.Lock(t.Context(), s.DB, 9); !errors.Is(err, authdb.ErrNotFound) {
			t.Errorf("Lock = %v, want ErrNotFound", err)
		}
		if _, err := authdb.Raise(t.Context(), s.DB, 9, true, true); !errors.Is(err, authdb.ErrNotFound) {
			t.Errorf("Raise = %v, want ErrNotFound", err)
		}
		if _, err := authdb.ReadHeld(t.Context(), s.DB, 9); !errors.Is(err, authdb.ErrNotFound) {
			t.Errorf("ReadHeld = %v, want ErrNotFound", err)
		}
	})
}

// What writers under Lock read and write, no other writer of the tenant comes between.
func TestLock(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := create(t, s, authdb.Library, "one")
		const writers, rounds = 6, 10
		errs := make(chan error, writers)
		for range writers {
			go func() {
				var err error
				for i := 0; i < rounds && err == nil; i++ {
					err = s.DB.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
						before, err := authdb.Lock(ctx, tx, id)
						if err != nil {
							return err
						}
						after, err := authdb.Raise(ctx, tx, id, true, false)
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
	})
}
