package librariesdb

import (
	"context"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// firstDay is the first day of the history.
var firstDay = calendar.MustParse("2026-07-21")

// fixture is a database of two networks. Tests read one of them, and must see no rows of the other.
type fixture struct {
	testing.TB
	*Store
	db    *database.DB
	a     report.Access // to the network that is read, at a snapshot between two others
	other libraries.NetworkID
}

// eachEngine runs a test with a fixture on each engine.
func eachEngine(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *database.DB) { test(t, newFixture(t, db)) })
}

func newFixture(tb testing.TB, db *database.DB) *fixture {
	tb.Helper()
	if _, err := db.Migrate(tb.Context(), snapshotdb.Migrations, Migrations); err != nil {
		tb.Fatal(err)
	}
	f := &fixture{TB: tb, Store: &Store{DB: db.DB, Copy: db.Copy}, db: db}
	f.other, f.a.Network = f.create("other"), f.create("one") // rows that are read by mistake come first
	f.a.At.Facts = now
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

// now is the number of the snapshot that the fixture reads.
const now = snapshot.First + 100

// put puts rows of a network into a table, each in the snapshot that is read. It puts them into an earlier and a later
// snapshot too, where they must not be visible.
func (f *fixture) put(n libraries.NetworkID, t *snapshot.Table, rows ...[]any) {
	f.Helper()
	var all [][]any
	for _, r := range rows {
		for _, of := range [][]any{{now + 1, snapshot.Open}, {now - 2, now - 1}, {now, now + 1}} {
			k := len(t.Key)
			all = append(all, slices.Concat([]any{int64(n)}, r[:k], of, r[k:]))
		}
	}
	columns := slices.Concat([]string{"tenant_id"}, t.Key, []string{"since", "until"}, t.Columns)
	conn, err := f.db.Conn(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close()
	err = conn.RunInTx(f.Context(), nil, func(ctx context.Context, _ bun.Tx) error {
		_, err := f.Copy(ctx, conn, t.Name, columns, slices.Values(all))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// putBlocks puts blocks of a kind as put does rows.
func (f *fixture) putBlocks(n libraries.NetworkID, k snapshot.Kind, blocks ...snapshot.Block) {
	f.Helper()
	var rows [][]any
	for _, b := range blocks {
		rows = append(rows, []any{int64(k.Number), b.A, b.B, b.Lo, b.Hi, snapshot.Seal(auth.Tenant(n), k, b)})
	}
	f.put(n, snapshot.BlocksTable, rows...)
}

// blockOf returns a block whose key has no B.
func blockOf[T ~int | ~int32 | ~int64](a T, data []byte) snapshot.Block {
	return snapshot.Block{BlockKey: snapshot.BlockKey{A: int64(a)}, Data: data}
}

// putAll puts records into a table of the network, in reverse order.
func putAll[T any](f *fixture, t *snapshot.Records[T], records []T) {
	f.Helper()
	var rows [][]any
	for _, r := range slices.Backward(records) {
		rows = append(rows, t.Values(r))
	}
	f.put(f.a.Network, t.Table, rows...)
}

// exec runs a statement.
func (f *fixture) exec(query string, args ...any) {
	f.Helper()
	if _, err := f.db.ExecContext(f.Context(), query, args...); err != nil {
		f.Fatal(err)
	}
}

// reports returns the reports of a store, without a cache.
func reports(s report.Store) *report.Reports { return &report.Reports{Store: s} }

func ptr[T any](v T) *T { return &v }
