package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// column is a column of a table that has tenant_id, as the database's catalogue describes it.
type column struct {
	Table, Name, Type string
	InKey             bool
}

// catalogue returns the columns of all tables that have tenant_id, except the list of tenants.
func catalogue(t *testing.T, db *database.DB) map[string][]column {
	t.Helper()
	query := `
		SELECT m.name AS "table", c.name AS name, lower(c.type) AS type, c.pk > 0 AS in_key
		  FROM sqlite_master m, pragma_table_info(m.name) c
		 WHERE m.type = 'table'
		 ORDER BY m.name, c.cid`
	if db.Engine == database.Postgres {
		query = `
			SELECT r.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type,
			       EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = r.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS in_key
			  FROM pg_class r
			  JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
			 WHERE r.relkind IN ('r', 'p') AND NOT r.relispartition AND r.relnamespace = 'public'::regnamespace
			 ORDER BY r.relname, a.attnum`
	}
	var all []column
	if err := db.NewRaw(query).Scan(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	tables := map[string][]column{}
	for _, c := range all {
		tables[c.Table] = append(tables[c.Table], c)
	}
	maps.DeleteFunc(tables, func(name string, of []column) bool {
		return name == "tenants" || !slices.ContainsFunc(of, func(c column) bool { return c.Name == "tenant_id" })
	})
	return tables
}

// TestTables tests that removal lists each table that has tenant_id, with its key.
func TestTables(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		create(t, db)
		listed := map[string][]string{}
		for _, rows := range tenantTables(Remover(db, nil)) {
			listed[rows.Table] = slices.Sorted(slices.Values(rows.Key))
		}
		for table, columns := range catalogue(t, db) {
			var key []string
			for _, c := range columns {
				if c.InKey && c.Name != "tenant_id" && (table != "blocks" || c.Name != "until") { // since tells the rows of a block apart
					key = append(key, c.Name)
				}
			}
			if key == nil {
				key = []string{"tenant_id"}
			}
			if slices.Sort(key); !slices.Equal(listed[table], key) {
				t.Errorf("removal lists the key %v of %s, want %v", listed[table], table, key)
			}
			delete(listed, table)
		}
		if len(listed) > 0 {
			t.Errorf("removal lists %v, which are not tables of tenants", listed)
		}
	})
}

// create creates two partners and two library networks.
func create(t *testing.T, db *database.DB) []snapshotdb.Tenant {
	t.Helper()
	for _, of := range []snapshotdb.Tenant{
		{Kind: snapshotdb.Partner, Reference: "ana"}, {Kind: snapshotdb.Partner, Reference: "bob"},
		{Kind: snapshotdb.Library, Reference: "ana"}, {Kind: snapshotdb.Library, Reference: "bob"},
	} {
		if _, err := Create(t.Context(), db, of.Kind, of.Reference, "Name"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := snapshotdb.Tenants(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// fill gives a tenant rows in every table, the same as other tenants get.
func fill(t *testing.T, db *database.DB, of auth.Tenant, tables map[string][]column) {
	t.Helper()
	for table, columns := range tables {
		names, rows := make([]string, len(columns)), make([]bun.TupleValues, 300) // more than one batch on SQLite
		for i := range rows {
			values := make([]any, len(columns))
			for j, c := range columns {
				names[j], values[j] = c.Name, value(c, of, i)
			}
			rows[i] = bun.Tuple(values)
		}
		if _, err := db.NewRaw(`INSERT INTO ? (`+strings.Join(names, ", ")+`) VALUES ? ON CONFLICT DO NOTHING`,
			bun.Ident(table), bun.List(rows)).Exec(t.Context()); err != nil {
			t.Fatal(table, err)
		}
	}
}

// value is a column's value in a tenant's row.
func value(c column, of auth.Tenant, row int) any {
	switch {
	case c.Name == "tenant_id":
		return of
	case c.Name == "until":
		return 2000 + row // after since
	case strings.Contains(c.Type, "int"):
		return 1000 + row
	case strings.HasPrefix(c.Type, "bool"):
		return true
	case strings.HasPrefix(c.Type, "timestamp"):
		return "2026-01-02 03:04:05+00"
	case c.Type == "blob" || c.Type == "bytea":
		return []byte{1}
	}
	return fmt.Sprint("text ", row)
}

// rowsOf counts the rows of a tenant in each table.
func rowsOf(t *testing.T, db *database.DB, of auth.Tenant, tables map[string][]column) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for table := range tables {
		var n int
		if err := db.NewRaw(`SELECT count(*) FROM ? WHERE tenant_id = ?`, bun.Ident(table), of).Scan(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			counts[table] = n
		}
	}
	return counts
}

// TestRemove tests that a removed tenant leaves no row, even if removal was interrupted, and that others keep theirs.
// Its number is not used again, and its reference starts without data.
func TestRemove(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		all := create(t, db)
		tables := catalogue(t, db)
		had := map[auth.Tenant]map[string]int{}
		for _, of := range all {
			fill(t, db, of.ID, tables)
			had[of.ID] = rowsOf(t, db, of.ID, tables)
			if len(had[of.ID]) != len(tables) {
				t.Fatalf("%s %s has rows of %d tables, want %d", of.Kind, of.Reference, len(had[of.ID]), len(tables))
			}
		}
		interrupted := errors.New("interrupted")
		for _, of := range []snapshotdb.Tenant{all[0], all[3]} {
			err := Remove(t.Context(), db, of, func() error { return interrupted })
			if n, listed := rowsOf(t, db, of.ID, tables), listed(t, db, of); !errors.Is(err, interrupted) || n["keys"] != 0 || n["blocks"] == 0 || !listed {
				t.Errorf("interrupted: %v, rows %v, listed %t, want no keys, the other rows, listed", err, n, listed)
			}
			for range 2 {
				if err := Remove(t.Context(), db, of, func() error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
			if left := rowsOf(t, db, of.ID, tables); len(left) > 0 || listed(t, db, of) {
				t.Errorf("%s %s left %v, want nothing", of.Kind, of.Reference, left)
			}
		}
		for _, of := range all[1:3] {
			if now := rowsOf(t, db, of.ID, tables); !maps.Equal(now, had[of.ID]) {
				t.Errorf("%s %s has %v, want %v as before", of.Kind, of.Reference, now, had[of.ID])
			}
		}
		for i, of := range []snapshotdb.Tenant{all[3], all[0]} {
			again, err := Create(t.Context(), db, of.Kind, of.Reference, "Another")
			n := again.ID
			if want := auth.Tenant(5 + i); err != nil || n != want {
				t.Errorf("created again: tenant %d, %v, want %d", n, err, want)
			}
			if h, err := snapshotdb.ReadCurrent(t.Context(), db, n); err != nil || h != (snapshotdb.Current{}) {
				t.Errorf("created again: %+v, %v, want nothing loaded", h, err)
			}
		}
	})
}

// listed reports whether the database lists a tenant.
func listed(t *testing.T, db *database.DB, of snapshotdb.Tenant) bool {
	t.Helper()
	_, err := snapshotdb.TenantOf(t.Context(), db, of.Kind, of.Reference)
	if err != nil && !errors.Is(err, snapshotdb.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// TestRemoveBesideLoad tests that a load fails at its next step if its tenant is removed, and leaves nothing. No other
// load begins, and no key is issued.
func TestRemoveBesideLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		of := create(t, db)[0]
		snapshots, keys := Snapshots(db, nil), &Issuer{Keys: &authdb.Store{DB: db.DB}}
		l, err := snapshots.Begin(t.Context(), of.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		write := func() error {
			block := snapshot.Block{BlockKey: snapshot.BlockKey{A: 1, B: 2}, Data: []byte{3}}
			return l.Write(t.Context(), snapshot.BlockChange(of.ID, schoolsdb.RecordKind, nil, slices.Values([]snapshot.Block{block})))
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
		removed := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, snapshotdb.ErrRemoved) {
				t.Errorf("%s: %v, want ErrRemoved", what, err)
			}
		}
		err = Remove(t.Context(), db, of, func() error {
			removed("write", write())
			_, err := l.Publish(t.Context(), func(context.Context, bun.Tx, time.Time, *snapshotdb.Current) error { return nil })
			removed("publish", err)
			_, err = snapshots.Begin(t.Context(), of.ID, nil)
			removed("another load", err)
			_, _, err = keys.Issue(t.Context(), KeyParams{Tenant: of.ID, API: auth.Libraries})
			removed("issue a key", err)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		removed("close", l.Close(t.Context()))
		if left := rowsOf(t, db, of.ID, catalogue(t, db)); len(left) > 0 {
			t.Errorf("rows left = %v, want none", left)
		}
	})
}
