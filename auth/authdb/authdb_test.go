package authdb_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// start is the time at which every test begins.
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

// everywhere is like each, but also runs f on a distributed database.
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

// TestMigrationsAgree tests that both engines have the same migrations.
func TestMigrationsAgree(t *testing.T) {
	names := func(engine database.Engine) (list []string) {
		paths, err := fs.Glob(authdb.Migrations, "migrations/"+string(engine)+"/*")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d migrations, %v, want some", engine, len(paths), err)
		}
		for _, p := range paths {
			list = append(list, filepath.Base(p))
		}
		return list
	}
	if pg, lite := names(database.Postgres), names(database.SQLite); !slices.Equal(pg, lite) {
		t.Errorf("migrations/postgres has %q, migrations/sqlite has %q, want the same", pg, lite)
	}
}
