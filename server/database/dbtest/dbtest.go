// Package dbtest gives tests fresh, empty databases of both engines. A test that
// must hold on both is written once:
//
//	dbtest.Each(t, func(t *testing.T, db *database.DB) {
//		if _, err := db.Migrate(t.Context(), authdb.Migrations); err != nil {
//			t.Fatal(err)
//		}
//		…
//	})
//
// It runs as the subtests "sqlite" and "postgres". One that goes through many statements of a store is run by [Everywhere], which
// also sees to it that they name the tenant. The PostgreSQL server is the
// one that LECTERN_TEST_POSTGRES names; without it the test fails, for a test
// that is skipped tells nobody. "make test" starts a server for the run.
//
// Databases sort bytewise (collation C), as SQLite does, and are removed when the
// test ends. [database.DB.URL] opens a second pool, or a second process, on the
// same data.
package dbtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
)

// Each runs f on each engine, as a subtest named after it.
func Each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Helper()
	t.Run(string(database.SQLite), func(t *testing.T) { f(t, SQLite(t)) })
	t.Run(string(database.Postgres), func(t *testing.T) { f(t, Postgres(t)) })
}

// Everywhere is Each, and also runs f, as "distributed", on tables that are distributed by tenant: see Distributed.
func Everywhere(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Helper()
	Each(t, f)
	t.Run("distributed", func(t *testing.T) { f(t, Distributed(t)) })
}

// SQLite returns an empty database in a file of the test's temporary folder.
func SQLite(tb testing.TB) *database.DB {
	tb.Helper()
	return open(tb, "sqlite:"+filepath.Join(tb.TempDir(), "lectern.db"))
}

// Postgres returns an empty database of its own on the test server. It fails the
// test when there is no server.
func Postgres(tb testing.TB) *database.DB {
	tb.Helper()
	return open(tb, create(tb))
}

// create makes an empty database on the test server and returns its URL.
func create(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv("LECTERN_TEST_POSTGRES")
	if server == "" {
		tb.Fatal("LECTERN_TEST_POSTGRES is not set: run the tests with `make test`, or any command with `.ci/with-postgres COMMAND`, which start a PostgreSQL server")
	}
	name := "lectern_" + strings.ToLower(rand.Text())
	admin(tb, server, `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`)
	// FORCE, for a test that failed may have left connections.
	tb.Cleanup(func() { admin(tb, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })

	u, err := url.Parse(server)
	if err != nil {
		tb.Fatalf("LECTERN_TEST_POSTGRES: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

// open opens a database for the time of the test.
func open(tb testing.TB, url string) *database.DB {
	tb.Helper()
	db, err := database.Open(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// admin runs one statement on the test server. It does not use the test's
// context, which is over when the test cleans up.
func admin(tb testing.TB, server, statement string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	db, err := database.Open(ctx, server)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		tb.Fatal(err)
	}
}
