package snapshotdb

import (
	"cmp"
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

// columns returns the columns of an INSERT: the tenant, the key, since, until and the others.
func columns(t *snapshot.Table) []string {
	return slices.Concat([]string{"tenant_id"}, t.Key, []string{"since", "until"}, t.Columns)
}

// fill fills a row of columns with the values of the key and of the others, as a load writes it.
func fill(row []any, t *snapshot.Table, of auth.Tenant, number int64, values []any) {
	k := len(t.Key)
	row[0], row[1+k], row[2+k] = int64(of), number, snapshot.Open
	copy(row[1:], values[:k])
	copy(row[3+k:], values[k:])
}

// chunk is the number of keys that one statement names, since bun writes values into the text.
const chunk = 2000

// withSince returns the columns that name a stored row of a table, besides the tenant.
func withSince(t *snapshot.Table) []string { return append(slices.Clone(t.Key), "since") }

// keyed returns the condition that the columns of a row are one of the keys.
func keyed(columns []string, keys [][]int64) schema.QueryWithArgs {
	if len(columns) == 1 {
		return bun.SafeQuery("? IN (?)", bun.Ident(columns[0]), bun.List(slices.Concat(keys...)))
	}
	tuples := make([]bun.TupleValues, len(keys))
	for i, k := range keys {
		tuples[i] = bun.Tuple(k)
	}
	return bun.SafeQuery("("+list(columns)+") IN (VALUES ?)", bun.List(tuples))
}

func list(columns []string) string { return strings.Join(columns, ", ") }

// sweep calls f with the rows of a tenant that meet a condition, in batches and in the order of the key. A row is given
// by the values of withSince.
func (s *Store) sweep(ctx context.Context, t *snapshot.Table, tenant auth.Tenant, where schema.QueryWithArgs, f func(rows [][]int64) error) error {
	columns := withSince(t)
	order, after := list(columns), bun.SafeQuery("TRUE")
	for {
		rows, err := s.DB.QueryContext(ctx, `
			SELECT `+order+`
			  FROM ?
			 WHERE tenant_id = ? AND ? AND ?
			 ORDER BY `+order+`
			 LIMIT ?`, bun.Ident(t.Name), tenant, after, where, chunk)
		var batch [][]int64
		err = Visit(rows, err, t.Name, func(rows *sql.Rows) error {
			row, dest := destination(len(columns))
			batch = append(batch, row)
			return rows.Scan(dest...)
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := f(batch); err != nil || len(batch) < chunk {
			return err
		}
		after = bun.SafeQuery("("+order+") > ?", handle.Row(batch[len(batch)-1]))
	}
}

// Read calls f with the records of a table that a query finds. from is the query without its SELECT and columns:
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

// Visit calls f at each row of a query and closes the rows. It takes both results of the query. what names the rows in
// an error.
func Visit(rows *sql.Rows, err error, what string, f func(*sql.Rows) error) error {
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			err = f(rows)
		}
		err = cmp.Or(err, rows.Err())
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
