package statedb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

// Table is a table whose rows carry since and until: its primary key is the tenant, Key and since.
type Table struct {
	Name string
	// Key are the columns that name a row, all of them integers, the one of which there are fewest values first.
	Key []string
	// Columns are all others but tenant_id, since and until.
	Columns []string
	// Unread is true where no report reads the table: what was replaced is of use to nobody once its load holds.
	Unread bool
}

// columns are those of Insert: the tenant, the key, since, until and the others.
func (t *Table) columns() []string {
	return slices.Concat([]string{"tenant_id"}, t.Key, []string{"since", "until"}, t.Columns)
}

// RowChange is what a load does to a table: rows of the keys Gone are closed, and rows are put in, each with the values of
// the key's columns and of the others, in their order.
type RowChange struct {
	Table *Table
	Gone  [][]int64
	Put   func(yield func([]any) bool)
}

// at is the condition that a row is of the state of a load's number.
func at(number int64) schema.QueryWithArgs {
	return bun.SafeQuery("since <= ? AND until > ?", number, number)
}

// chunk is the number of keys that one statement names: bun writes values into its text.
const chunk = 2000

// among is the condition that a row has one of the keys.
func (t *Table) among(keys [][]int64) schema.QueryWithArgs {
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
func (s *Store) sweep(ctx context.Context, t *Table, tenant state.Tenant, where schema.QueryWithArgs, f func([]versioned) error) error {
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
		err = authdb.Visit(rows, err, t.Name, func(rows *sql.Rows) error {
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
		after = bun.SafeQuery("("+order+") > ?", bun.Tuple(append(slices.Clone(last.key), last.since)))
	}
}

// delete removes rows, each by its key and since.
func (t *Table) delete(ctx context.Context, tx bun.IDB, tenant state.Tenant, rows []versioned) error {
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
