package librariesdb

import (
	"context"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// firstDay is that of the history.
var firstDay = calendar.MustParse("2026-07-21")

// fixture is a database of two networks. Tests read one, and put rows into both where none is to be seen of the other.
type fixture struct {
	testing.TB
	*Store
	db    *database.DB
	a     libraries.Access // to the network that is read, as it was created
	other libraries.NetworkID
}

// eachEngine runs a test with a fixture on each engine.
func eachEngine(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *database.DB) { test(t, newFixture(t, db)) })
}

func newFixture(tb testing.TB, db *database.DB) *fixture {
	tb.Helper()
	if _, err := db.Migrate(tb.Context(), authdb.Migrations, Migrations); err != nil {
		tb.Fatal(err)
	}
	f := &fixture{TB: tb, Store: &Store{DB: db.DB, Copy: db.Copy}, db: db}
	f.other, f.a.Network = f.create("other"), f.create("one") // what is read by mistake comes first
	return f
}

// create creates a network.
func (f *fixture) create(slug string) libraries.NetworkID {
	f.Helper()
	id, err := CreateNetwork(f.Context(), f.db, slug, slug)
	if err != nil {
		f.Fatal(err)
	}
	return id
}

// raise makes the network's state another than that of the fixture's access, and returns its versions.
func (f *fixture) raise(registers, facts bool) state.Versions {
	f.Helper()
	v, err := authdb.Raise(f.Context(), f.db, auth.Tenant(f.a.Network), registers, facts)
	if err != nil {
		f.Fatal(err)
	}
	return state.Versions{Registers: v.Registers, Facts: v.Facts}
}

// put puts rows into a table.
func (f *fixture) put(table string, columns []string, rows ...[]any) {
	f.Helper()
	err := f.db.InTx(f.Context(), func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		_, err := f.Copy(ctx, conn, table, columns, slices.Values(rows))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// putAll puts records into a table of the network, in the opposite of their order.
func putAll[T any](f *fixture, table string, columns []string, values func(libraries.NetworkID, T) []any, records []T) {
	f.Helper()
	var rows [][]any
	for _, r := range slices.Backward(records) {
		rows = append(rows, values(f.a.Network, r))
	}
	f.put(table, columns, rows...)
}

// exec runs a statement.
func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	if _, err := f.db.ExecContext(f.Context(), query, args...); err != nil {
		f.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }
