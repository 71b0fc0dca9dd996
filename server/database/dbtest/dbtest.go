// Package dbtest gives tests databases of both engines. A test that must pass on both is written once:
//
//	func TestMain(m *testing.M) { dbtest.Main(m, authdb.Migrations) }
//
//	func TestKeys(t *testing.T) {
//		dbtest.Each(t, func(t *testing.T, db *database.DB) {
//			…
//		})
//	}
//
// It runs as the subtests "sqlite" and "postgres". [Everywhere] also runs it on tables that are distributed by tenant, and
// checks that each statement names the tenant. LECTERN_TEST_POSTGRES is the URL of the PostgreSQL server. Without it
// the test fails, since nobody notices a skipped test. "make test" starts a server.
//
// [Main] migrates one database of each engine, and every test gets a copy of it. Without Main a database is empty.
//
// Databases sort bytewise (collation C), as SQLite does, and are removed when the
// test ends. [database.DB.URL] opens a second pool, or a second process, on the
// same data.
package dbtest

import (
	"context"
	"crypto/rand"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
)

// schema has the sets of migrations that Main was given.
var schema []fs.FS

// Main runs the tests of a package. Each test gets a copy of a database to which the migrations of the sets were applied.
// TestMain calls it.
func Main(m *testing.M, sets ...fs.FS) {
	schema = sets
	m.Run()
	if t, err := template(); made && err == nil {
		t.remove()
	}
}

// templates are the migrated databases that tests copy.
type templates struct {
	file string // of SQLite
	name string // on the PostgreSQL server, or empty
}

// made reports whether a test has needed the templates.
var made bool

// template creates the templates when they are first needed.
var template = sync.OnceValues(func() (t templates, err error) {
	made = true
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "dbtest-")
	if err != nil {
		return t, err
	}
	t.file = filepath.Join(folder, "lectern.db")
	if err := migrate(ctx, "sqlite:"+t.file); err != nil || os.Getenv(variable) == "" {
		return t, err
	}
	server, err := admin()
	if err != nil {
		return t, err
	}
	t.name = newName()
	if _, err := server.ExecContext(ctx, create(t.name, "template0")); err != nil {
		return t, err
	}
	return t, migrate(ctx, urlOf(t.name))
})

// migrate applies the migrations of Main to an empty database.
func migrate(ctx context.Context, url string) error {
	db, err := database.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx, schema...)
	return err
}

func (t templates) remove() {
	os.RemoveAll(filepath.Dir(t.file))
	if server, err := admin(); err == nil {
		server.ExecContext(context.Background(), `DROP DATABASE IF EXISTS `+t.name)
	}
}

// Each runs f on each engine, as a subtest named after it.
func Each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Helper()
	t.Run(string(database.SQLite), func(t *testing.T) { f(t, SQLite(t)) })
	t.Run(string(database.Postgres), func(t *testing.T) { f(t, Postgres(t)) })
}

// Everywhere runs f as Each does, and as the subtest "distributed" on tables that are distributed by tenant: see [Distributed].
func Everywhere(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Helper()
	Each(t, f)
	t.Run("distributed", func(t *testing.T) { f(t, Distributed(t)) })
}

// Empty runs f as Each does, but on databases without the migrations of Main.
func Empty(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Helper()
	t.Run(string(database.SQLite), func(t *testing.T) { f(t, EmptySQLite(t)) })
	t.Run(string(database.Postgres), func(t *testing.T) { f(t, EmptyPostgres(t)) })
}

// SQLite returns a database in a file of the test's temporary folder, with the migrations of Main.
func SQLite(tb testing.TB) *database.DB {
	tb.Helper()
	if schema == nil {
		return EmptySQLite(tb)
	}
	t, err := template()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(t.file)
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), "lectern.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return open(tb, "sqlite:"+file)
}

// EmptySQLite returns a database without tables in a file of the test's temporary folder.
func EmptySQLite(tb testing.TB) *database.DB {
	tb.Helper()
	return open(tb, "sqlite:"+filepath.Join(tb.TempDir(), "lectern.db"))
}

// Postgres returns a new database on the test server, with the migrations of Main. It fails the test if there is no
// server.
func Postgres(tb testing.TB) *database.DB {
	tb.Helper()
	needServer(tb)
	if schema == nil {
		return EmptyPostgres(tb)
	}
	t, err := template()
	if err != nil {
		tb.Fatal(err)
	}
	return open(tb, copyOf(tb, t.name))
}

// EmptyPostgres returns a database without tables on the test server.
func EmptyPostgres(tb testing.TB) *database.DB {
	tb.Helper()
	return open(tb, copyOf(tb, "template0"))
}

// copyOf copies a database on the test server and returns the URL of the copy, which is dropped when the test ends.
func copyOf(tb testing.TB, template string) string {
	tb.Helper()
	needServer(tb)
	name := newName()
	exec(tb, create(name, template))
	// FORCE is needed because a failed test may have left connections open.
	tb.Cleanup(func() { exec(tb, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	return urlOf(name)
}

func newName() string { return "lectern_" + strings.ToLower(rand.Text()) }

// create returns the statement that creates a database.
func create(name, template string) string {
	return `CREATE DATABASE ` + name + ` TEMPLATE ` + template + ` ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`
}

// variable is the environment variable with the URL of the PostgreSQL server.
const variable = "LECTERN_TEST_POSTGRES"

func needServer(tb testing.TB) {
	tb.Helper()
	if os.Getenv(variable) == "" {
		tb.Fatal(variable + " is not set: run the tests with `make test`, or any command with `.ci/with-postgres COMMAND`, which start a PostgreSQL server")
	}
}

// urlOf returns the URL of a database on the test server.
func urlOf(name string) string {
	u, err := url.Parse(os.Getenv(variable))
	if err != nil {
		panic(variable + ": " + err.Error())
	}
	u.Path = "/" + name
	return u.String()
}

// open opens a database and closes it when the test ends.
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

// admin returns the pool that the process uses to create and drop databases.
var admin = sync.OnceValues(func() (*database.DB, error) {
	return database.Open(context.Background(), os.Getenv(variable))
})

// exec runs a statement on the test server. It does not use the test's context, which is canceled before the test cleans up.
func exec(tb testing.TB, statement string) {
	tb.Helper()
	server, err := admin()
	if err == nil {
		_, err = server.ExecContext(context.WithoutCancel(tb.Context()), statement)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
