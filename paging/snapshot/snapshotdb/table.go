package snapshotdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// columns are those of an INSERT: the tenant, the key, since, until and the others.
func columns(t *snapshot.Table) []string {
	return slices.Concat([]string{"tenant_id"}, t.Key, []string{"since", "until"}, t.Columns)
}

// fill fills a row of columns, of a load's number, with the values of the key and of the others.
func fill(row []any, t *snapshot.Table, of auth.Tenant, number int64, values []any) {
	k := len(t.Key)
	row[0], row[1+k], row[2+k] = int64(of), number, snapshot.Open
	copy(row[1:], values[:k])
	copy(row[3+k:], values[k:])
}

// at is the condition that a row is of the state of a load's number.
func at(number int64) schema.QueryWithArgs {
	return bun.SafeQuery("since <= ? AND until > ?", number, number)
}

// chunk is the number of keys that one statement names: bun writes values into its text.
const chunk = 2000

// keyed is the condition that a row has one of the keys.
func keyed(t *snapshot.Table, keys [][]int64) schema.QueryWithArgs {
	if len(t.Key) == 1 {
		ids := make([]int64, len(keys))
		for i, k := range keys {
			ids[i] = k[0]
		}
		return bun.SafeQuery("? IN (?)", bun.Ident(t.Key[0]), bun.List(ids))
	}
	return bun.SafeQuery("("+list(t.Key)+") IN (VALUES ?)", bun.List(tuples(keys)))
}

// tuples makes each key a tuple of a VALUES list.
func tuples(keys [][]int64) []bun.TupleValues {
	list := make([]bun.TupleValues, len(keys))
	for i, k := range keys {
		list[i] = bun.Tuple(k)
	}
	return list
}

// list is a list of columns.
func list(columns []string) string { return strings.Join(columns, ", ") }

// versioned is the place of one row.
type versioned struct {
	key   []int64
	since int64
}

// sweep calls f with the rows of a tenant that a condition holds for, a batch at a time, along the key.
func (s *Store) sweep(ctx context.Context, t *snapshot.Table, tenant auth.Tenant, where schema.QueryWithArgs, f func([]versioned) error) error {
	columns := append(slices.Clone(t.Key), "since")
	order := list(columns)
	after := bun.SafeQuery("TRUE")
	for {
		rows, err := s.DB.QueryContext(ctx, `
			SELECT `+order+`
			  FROM ?
			 WHERE tenant_id = ? AND ? AND ?
			 ORDER BY `+order+`
			 LIMIT ?`, bun.Ident(t.Name), tenant, after, where, chunk)
		var batch []versioned
		err = Visit(rows, err, t.Name, func(rows *sql.Rows) error {
			v := versioned{key: make([]int64, len(t.Key))}
			dest := make([]any, 0, len(columns))
			for i := range v.key {
				dest = append(dest, &v.key[i])
			}
			err := rows.Scan(append(dest, &v.since)...)
			batch = append(batch, v)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := f(batch); err != nil {
			return err
		}
		if len(batch) < chunk {
			return nil
		}
		last := batch[len(batch)-1]
		after = bun.SafeQuery("("+order+") > ?", handle.Row(append(slices.Clone(last.key), last.since)))
	}
}

// deleteRows removes rows, each by its key and since.
func deleteRows(ctx context.Context, tx bun.IDB, t *snapshot.Table, tenant auth.Tenant, rows []versioned) error {
	keys := make([][]int64, len(rows))
	for i, r := range rows {
		keys[i] = append(slices.Clone(r.key), r.since)
	}
	_, err := tx.NewRaw(`DELETE FROM ? WHERE tenant_id = ? AND (`+list(t.Key)+`, since) IN (VALUES ?)`,
		bun.Ident(t.Name), tenant, bun.List(tuples(keys))).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove rows of %s: %w", t.Name, err)
	}
	return nil
}

// Read calls f with the records of a table that a query finds, of which from is what stands behind SELECT and the columns:
// `FROM libraries_books WHERE …`.
func Read[T any](ctx context.Context, idb bun.IDB, r *snapshot.Records[T], f func(T), from string, args ...any) error {
	rows, err := idb.QueryContext(ctx, `SELECT `+list(r.Fields)+` `+from, args...)
	next := r.Scanner()
	return Visit(rows, err, r.Name, func(rows *sql.Rows) error {
		v, err := next(rows.Scan)
		if err == nil {
			f(v)
		}
		return err
	})
}

// Visit calls f at each of a query's rows and closes them. It takes what a query returns, the error too. what names the
// rows in an error.
func Visit(rows *sql.Rows, err error, what string, f func(*sql.Rows) error) error {
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return fmt.Errorf("read %s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
