package snapshotdb

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Replaced implements snapshot.Blocks.
func (s *Store) Replaced(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return s.blockKeys(ctx, t, bun.SafeQuery("kind = ? AND ?", k.Number, TakenOut(loads)), visit)
}

// Changed calls visit with the keys of the blocks of a kind that loads wrote or replaced, ascending. A key may come
// twice, and its block may be the same before and after the loads. Changed reads every block of the kind: use it for
// kinds of a few thousand.
func (s *Store) Changed(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return s.blockKeys(ctx, t, bun.SafeQuery("kind = ? AND ?", k.Number, changed(loads)), visit)
}

func (s *Store) blockKeys(ctx context.Context, t auth.Tenant, where schema.QueryWithArgs, visit func(snapshot.BlockKey) error) error {
	return s.keys(ctx, snapshot.BlocksTable, t, where, func(key []int64) error { return visit(snapshot.BlockKey{A: key[1], B: key[2]}) })
}

// changed returns the condition that loads wrote or replaced a row.
func changed(loads snapshot.Span) schema.QueryWithArgs {
	return bun.SafeQuery("(since >= ?0 AND since < ?1 OR until >= ?0 AND until < ?1)", loads.From, loads.End)
}

// ChangedRows calls visit with the keys of the rows of a table that loads wrote or replaced, ascending. A key may come
// twice. ChangedRows reads every row of the tenant: use it for tables of a few thousand.
func (s *Store) ChangedRows(ctx context.Context, of *snapshot.Table, t auth.Tenant, loads snapshot.Span, visit func(key []int64) error) error {
	return s.keys(ctx, of, t, changed(loads), visit)
}

// ReplacedRows calls visit with the keys of the rows of a table that loads replaced or removed, ascending. A key may
// come twice.
func (s *Store) ReplacedRows(ctx context.Context, of *snapshot.Table, t auth.Tenant, loads snapshot.Span, visit func(key []int64) error) error {
	return s.keys(ctx, of, t, TakenOut(loads), visit)
}

// open is snapshot.Open as a literal: the engines match a partial index with a literal, and not with a parameter.
const open = bun.Safe("140737488355327")

// TakenOut returns the condition that loads replaced or removed a row. It matches the partial index of such rows.
func TakenOut(loads snapshot.Span) schema.QueryWithArgs {
	return bun.SafeQuery("until >= ? AND until < ? AND until < ?", loads.From, loads.End, open)
}

// keys calls visit with the keys of the rows that meet a condition. A key is valid until visit returns.
func (s *Store) keys(ctx context.Context, of *snapshot.Table, t auth.Tenant, where schema.QueryWithArgs, visit func(key []int64) error) error {
	columns := list(of.Key)
	rows, err := s.DB.QueryContext(ctx, `SELECT `+columns+` FROM ? WHERE tenant_id = ? AND ? ORDER BY `+columns, bun.Ident(of.Name), t, where)
	key, dest := destination(len(of.Key))
	return Visit(rows, err, of.Name, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return visit(key)
	})
}

// destination returns n integers and the pointers that a row is scanned into them with.
func destination(n int) (values []int64, dest []any) {
	values, dest = make([]int64, n), make([]any, n)
	for i := range values {
		dest[i] = &values[i]
	}
	return values, dest
}
