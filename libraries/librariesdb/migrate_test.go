package librariesdb_test

import (
	"context"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// until is the migrations up to a number.
func until(t *testing.T, all embed.FS, number string) fs.FS {
	t.Helper()
	some := fstest.MapFS{}
	err := fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n, _, _ := strings.Cut(path.Base(name), "_"); n > number {
			return nil
		}
		data, err := fs.ReadFile(all, name)
		some[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return some
}

// migrate brings a database up to date, forms included, and returns what it applied.
func migrate(t *testing.T, db *database.DB) []string {
	t.Helper()
	applied, err := db.Migrate(t.Context(), authdb.Migrations, statedb.Migrations, librariesdb.Migrations)
	if err == nil {
		err = (&librariesdb.Store{DB: db.DB, Copy: db.Copy}).States().Move(t.Context(), librariesdb.Former(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

// A database whose loads took note of loans before the history goes on without them; its loans stay.
func TestEarlyLoansGo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), authdb.Migrations, statedb.Migrations, until(t, librariesdb.Migrations, "20261121000400")); err != nil {
			t.Fatal(err)
		}
		network, err := librariesdb.CreateNetwork(t.Context(), db, "old", "Old")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{
			`INSERT INTO libraries_early_loans (tenant_id, loan_id, user_id, book_id, borrowed) VALUES (?, 1, 1, 1, 0)`,
			`INSERT INTO libraries_loans (tenant_id, day, loan_id, user_id, book_id, borrowed, returned, status) VALUES (?, 20655, 2, 1, 1, 0, 0, 1)`,
		} {
			if _, err := db.NewRaw(q, network).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if applied := migrate(t, db); len(applied) == 0 || applied[0] != "20261121000410_early_loans" {
			t.Fatalf("Migrate = %v, want 20261121000410_early_loans first", applied)
		}
		if _, err := db.NewRaw(`SELECT loan_id FROM libraries_early_loans`).Exec(t.Context()); err == nil {
			t.Error("the table of early loans is still there")
		}
		store := &librariesdb.Store{DB: db.DB, Copy: db.Copy}
		a := report.Access{Network: network, At: state.Versions{Facts: state.First}}
		if loans, err := store.LoansByID(t.Context(), a, []int64{1, 2}); err != nil || len(loans) != 1 {
			t.Errorf("LoansByID = %v, %v, want the loan 2", loans, err)
		}
	})
}

// former is a database as it was before there were states, with what a network has now in another.
func former(t *testing.T, l *loader, db *database.DB) {
	t.Helper()
	if _, err := db.Migrate(t.Context(), until(t, authdb.Migrations, "20261121000120"), until(t, librariesdb.Migrations, "20261121000410")); err != nil {
		t.Fatal(err)
	}
	insert := func(table string, columns []string, values []any) {
		t.Helper()
		err := db.InTx(t.Context(), func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
			_, err := db.Copy(ctx, conn, table, columns, slices.Values([][]any{values}))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	insert("tenants", []string{"tenant_id", "kind", "reference", "name", "created"}, []any{int64(l.network), string(authdb.Library), "old", "Old", noon})
	insert("versions", []string{"tenant_id", "registers", "facts"}, []any{int64(l.network), 7, 7})
	a := l.present()
	for _, table := range l.States().Tables {
		columns := slices.Concat([]string{"tenant_id"}, table.Key, table.Columns)
		rows, err := l.db.QueryContext(t.Context(), `SELECT ? FROM ? WHERE tenant_id = ? AND until = ?`,
			bun.Safe(strings.Join(columns, ", ")), bun.Ident(table.Name), l.network, state.Open)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			values, dest := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				dest[i] = &values[i]
			}
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			insert(table.Name, columns, values)
		}
	}
	blocks := func(k state.Kind, f func(b state.Block)) {
		t.Helper()
		err := l.States().Scan(t.Context(), state.Tenant(l.network), a.At.Facts, k, state.Range{}, func(b state.Block) error { f(b); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	blocks(facts.AttributesKind, func(b state.Block) {
		insert("libraries_attributes", []string{"tenant_id", "block", "data"}, []any{int64(l.network), b.A, slices.Clone(b.Data)})
	})
	blocks(facts.ReaderTitlesKind, func(b state.Block) {
		insert("libraries_shelves", []string{"tenant_id", "user_id", "data"}, []any{int64(l.network), b.A, slices.Clone(b.Data)})
	})
	blocks(facts.EventSetKind, func(b state.Block) {
		insert("libraries_seen", []string{"tenant_id", "readers", "block", "data"}, []any{int64(l.network), b.A, b.B, slices.Clone(b.Data)})
	})
	blocks(facts.TitleCountsKind, func(b state.Block) {
		insert("libraries_networks", []string{"tenant_id", "hour", "holdings"}, []any{int64(l.network), int64(a.Hour), slices.Clone(b.Data)})
	})
	days := map[int64][]any{}
	for i, k := range []state.Kind{facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind} {
		blocks(k, func(b state.Block) {
			if days[b.A] == nil {
				days[b.A] = []any{int64(l.network), b.A, []byte{}, []byte{}, []byte{}, []byte{}}
			}
			days[b.A][2+i] = slices.Clone(b.Data)
		})
	}
	for _, values := range days {
		insert("libraries_days", []string{"tenant_id", "day", "totals", "readers", "titles", "logins"}, values)
	}
}

// unread is a dump without what was read of the loans of days, which days of before do not get.
func unread(dump map[string][]string) map[string][]string {
	delete(dump, facts.LoanReadingsKind.Name)
	return dump
}

// A database from before there were states is brought up to date where it is: what it has, its hour included, stays, and loads go
// on from there. Nothing is left of the former tables.
func TestFormerDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(21)
		l := loaders(t, db, "old")[0]
		l.put(func(in *intake.Intake) {
			in.PutTerms = []intake.Term{{Vocabulary: libraries.CategoryTerms, Term: libraries.Term{ID: 1, Name: "Romance"}}}
			in.PutBooks = []libraries.Book{{ID: 1, Title: "Iracema", Publisher: libraries.None, Year: 1865}}
			in.PutLines = []stock.BookLine{{Book: 1, Line: stock.Line{ID: 1, Collection: stock.Platform, Kind: stock.LegacyLine}}}
			in.PutChannels = []libraries.ChannelDay{{Day: firstDay, Channel: libraries.App, Sessions: 6, Estimated: true}}
		})
		l.load(w.pieces(2)[0], atOnce)
		old := dbtest.SQLite
		if db.Engine == database.Postgres {
			old = dbtest.Postgres
		}
		m := &loader{T: t, db: old(t), network: l.network, now: noon}
		m.Store = &librariesdb.Store{DB: m.db.DB, Copy: m.db.Copy, Now: l.Store.Now}
		former(t, l, m.db)
		migrate(t, m.db)
		migrate(t, m.db)
		if a := m.present(); a.Hour != 500_000 || a.At.Facts != state.First+7 {
			t.Errorf("%+v holds, want the hour and the number of before", a)
		}
		checkSame(t, "moved", m.dump(m.present()), unread(l.dump(l.present())))
		for _, f := range librariesdb.Former() {
			if _, err := m.db.ExecContext(context.WithoutCancel(t.Context()), `SELECT 1 FROM ?`, bun.Ident(f.Table)); err == nil {
				t.Errorf("%s is still there", f.Table)
			}
		}
		before := m.present()
		was := m.dump(before)
		m.load(w.whole(), atOnce)
		l.load(w.whole(), atOnce)
		checkSame(t, "a load after the move", unread(m.dump(m.present())), unread(l.dump(l.present())))
		now := m.dump(before)
		delete(was, facts.EventSetKind.Name) // which no report reads, and is gone when it is replaced
		delete(now, facts.EventSetKind.Name)
		checkSame(t, "what was moved, after a load", now, was)
	})
}
