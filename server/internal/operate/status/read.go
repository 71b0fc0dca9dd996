package status

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// Reader reads the status of tenants and keys.
type Reader struct {
	DB         *database.DB
	Store      *authdb.Store
	Superseded *snapshotdb.Remover // counts superseded rows
}

// most is how many tenants one statement reads.
const most = 1000

// Tenants describes tenants, by number, in a few statements for each thousand. If a node does not answer, its tenants are left
// out, and the error is that of database.DB.EachNode.
func (r *Reader) Tenants(ctx context.Context, of []snapshotdb.Tenant) (list []Tenant, err error) {
	numbers, named := snapshotdb.ByNumber(of)
	err = r.DB.EachNode(ctx, numbers, func(of []auth.Tenant) error {
		for some := range slices.Chunk(of, most) {
			told, err := r.tenants(ctx, named, some)
			if err != nil {
				return fmt.Errorf("status: %w", err)
			}
			list = append(list, told...)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Tenant) int { return cmp.Compare(a.Tenant, b.Tenant) })
	return list, err
}

// tenants describes tenants on one node. All but their keys are read in one snapshot of the database.
func (r *Reader) tenants(ctx context.Context, named map[auth.Tenant]snapshotdb.Tenant, of []auth.Tenant) (list []Tenant, err error) {
	keys, err := r.keys(ctx, named, of)
	if err != nil {
		return nil, err
	}
	keysOf := map[auth.Tenant][]Key{}
	for _, k := range keys {
		keysOf[k.tenant] = append(keysOf[k.tenant], k)
	}
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	err = r.DB.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error {
		versions, err := snapshotdb.LoadedLast(ctx, tx, len(of), of...)
		if err != nil {
			return err
		}
		list = make([]Tenant, len(versions))
		at := map[auth.Tenant]*Tenant{}
		for i, v := range versions {
			list[i] = tenant(v, live(keysOf[v.ID]))
			at[v.ID] = &list[i]
		}
		for _, read := range []func(context.Context, bun.Tx, []auth.Tenant, map[auth.Tenant]*Tenant) error{kept, r.superseded, count} {
			if err := read(ctx, tx, of, at); err != nil {
				return err
			}
		}
		for _, n := range of {
			if t := named[n]; at[n] == nil {
				list = append(list, Tenant{Tenant: n, Kind: t.Kind, Reference: t.Reference, Name: t.Name, Removing: true, Rows: map[string]int64{}, Keys: []LiveKey{}})
			}
		}
		return nil
	})
	return list, err
}

// tenant describes a tenant by its versions and its last load.
func tenant(v snapshotdb.TenantStatus, keys []LiveKey) Tenant {
	st := Tenant{
		Tenant: v.ID, Kind: v.Kind, Reference: v.Reference, Name: v.Name, Keys: keys,
		Versions: Versions{v.Registers, v.Facts}, Rows: map[string]int64{},
	}
	if v.Next != 0 {
		st.Next = &Next{v.Next, v.NextFrom}
	}
	if access := librariesdb.AccessOf(libraries.NetworkID(v.ID), v.Current); v.Kind == snapshotdb.Library && access.Hour != 0 {
		st.Hour = new(access.Hour.String())
	}
	if !v.Last.Ended.IsZero() {
		st.LastLoad = &Load{v.Last.Ended.Truncate(time.Second), v.Last.Took.Seconds(), v.Last.Rows}
	}
	for _, c := range counted()[v.Kind] {
		st.Rows[c.name] = 0
	}
	return st
}

// kept counts the snapshots of tenants that can be read.
func kept(ctx context.Context, tx bun.Tx, of []auth.Tenant, at map[auth.Tenant]*Tenant) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT s.tenant_id, count(*), coalesce(min(s.began), 0)
		  FROM snapshots s
		  JOIN versions v ON v.tenant_id = s.tenant_id
		 WHERE s.tenant_id IN (?0) AND v.tenant_id IN (?0) AND s.registers >= v.oldest_registers AND s.facts >= v.oldest_facts
		 GROUP BY s.tenant_id`, bun.List(of))
	return snapshotdb.Visit(rows, err, "snapshots", func(rows *sql.Rows) error {
		var t auth.Tenant
		var n, began int64
		err := rows.Scan(&t, &n, &began)
		if st := at[t]; st != nil {
			st.Snapshots.Kept = n
			if began > 0 {
				st.Snapshots.Oldest = second(time.UnixMicro(began).UTC())
			}
		}
		return err
	})
}

// superseded counts the superseded rows of tenants.
func (r *Reader) superseded(ctx context.Context, tx bun.Tx, of []auth.Tenant, at map[auth.Tenant]*Tenant) error {
	rows, err := r.Superseded.SupersededRowsOf(ctx, tx, of)
	for t, n := range rows {
		if st := at[t]; st != nil {
			st.Snapshots.SupersededRows = n
		}
	}
	return err
}

// counted returns which rows are counted of each kind of tenant; of entities and accounts only those that are not deleted.
func counted() map[snapshotdb.Kind][]struct{ name, table, which string } {
	blocks := func(k snapshot.Kind) string { return fmt.Sprint("c.kind = ", k.Number, " AND ", present) }
	return map[snapshotdb.Kind][]struct{ name, table, which string }{
		snapshotdb.Partner: {
			{"entities", "entities", "NOT c.deleted"}, {"accounts", "accounts", "NOT c.deleted"},
			{"books", "schools_books", present}, {"records", "blocks", blocks(schoolsdb.RecordKind)}, {"days", "blocks", blocks(schoolsdb.DayKind)},
		},
		snapshotdb.Library: {
			{"readers", "libraries_readers", present}, {"titles", "libraries_books", present},
			{"loans", "libraries_loans", present}, {"reservations", "libraries_reservations", present},
			{"days", "blocks", blocks(librariesdb.DayKind)},
		},
	}
}

// present is the condition for rows c of the current facts, whose number v has.
const present = "c.since <= v.facts AND c.until > v.facts"

// count counts the rows of tenants in their current snapshots, in one statement for each kind of tenant.
func count(ctx context.Context, tx bun.Tx, of []auth.Tenant, at map[auth.Tenant]*Tenant) error {
	for kind, sorts := range counted() {
		var some []auth.Tenant
		for _, t := range of {
			if st := at[t]; st != nil && st.Kind == kind {
				some = append(some, t)
			}
		}
		if len(some) == 0 {
			continue
		}
		parts := make([]string, len(sorts))
		for i, c := range sorts {
			parts[i] = fmt.Sprintf(`
				SELECT c.tenant_id, %d AS sort, count(*) AS n
				  FROM %s c
				  JOIN versions v ON v.tenant_id = c.tenant_id
				 WHERE c.tenant_id IN (?0) AND v.tenant_id IN (?0) AND %s
				 GROUP BY c.tenant_id`, i, c.table, c.which)
		}
		rows, err := tx.QueryContext(ctx, strings.Join(parts, ` UNION ALL `), bun.List(some))
		err = snapshotdb.Visit(rows, err, "numbers of rows", func(rows *sql.Rows) error {
			var t auth.Tenant
			var sort int
			var n int64
			err := rows.Scan(&t, &sort, &n)
			if err == nil {
				at[t].Rows[sorts[sort].name] = n
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
