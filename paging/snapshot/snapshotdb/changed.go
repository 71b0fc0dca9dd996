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
	// The + keeps the engines from the primary key, by which they would read all blocks of the kind.
	which := bun.SafeQuery("? AND +kind = ?", TakenOut(loads), k.Number)
	return s.keys(ctx, snapshot.BlocksTable, t, which, func(key []int64) error {
		return visit(snapshot.BlockKey{A: key[1], B: key[2]})
	})
}

// Changed calls visit with the keys of the blocks of a kind that differ between the two states that the loads lie between, those
// that one of the two lacks included, ascending; some perhaps twice, and some perhaps that are the same in both. It looks at every
// block of the kind: it is for kinds of a few thousand.
func (s *Store) Changed(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return s.keys(ctx, snapshot.BlocksTable, t, bun.SafeQuery("kind = ? AND ?", k.Number, changed(loads)), func(key []int64) error {
		return visit(snapshot.BlockKey{A: key[1], B: key[2]})
	})
}

// changed is the condition that loads have put a row in or taken it out.
func changed(loads snapshot.Span) schema.QueryWithArgs {
	return bun.SafeQuery("(since >= ?0 AND since < ?1 OR until >= ?0 AND until < ?1)", loads.From, loads.End)
}

// ChangedRows calls visit with the keys of the rows of a table that loads have put in or taken out, ascending, some perhaps twice. It
// looks at every row of the tenant: it is for tables of a few thousand.
func (s *Store) ChangedRows(ctx context.Context, of *snapshot.Table, t auth.Tenant, loads snapshot.Span, visit func(key []int64) error) error {
	return s.keys(ctx, of, t, changed(loads), visit)
}

// ReplacedRows calls visit with the keys of the rows of a table that loads have taken out, ascending, some perhaps twice; whether
// others stand in their place they do not say.
func (s *Store) ReplacedRows(ctx context.Context, of *snapshot.Table, t auth.Tenant, loads snapshot.Span, visit func(key []int64) error) error {
	return s.keys(ctx, of, t, TakenOut(loads), visit)
}

// open is snapshot.Open in the text of a statement, as the indexes of rows that were taken out have it: a parameter would not be known to
// be theirs.
const open = bun.Safe("140737488355327")

// TakenOut is the condition that loads have taken a row out, in words that let the index of such rows be used.
func TakenOut(loads snapshot.Span) schema.QueryWithArgs {
	return bun.SafeQuery("until >= ? AND until < ? AND until < ?", loads.From, loads.End, open)
}

// keys calls visit with the keys of the rows that a condition holds for. A key is valid until visit returns.
func (s *Store) keys(ctx context.Context, of *snapshot.Table, t auth.Tenant, where schema.QueryWithArgs, visit func(key []int64) error) error {
	columns := list(of.Key)
	rows, err := s.DB.QueryContext(ctx, `SELECT `+columns+` FROM ? WHERE tenant_id = ? AND ? ORDER BY `+columns, bun.Ident(of.Name), t, where)
	key, dest := make([]int64, len(of.Key)), make([]any, len(of.Key))
	for i := range key {
		dest[i] = &key[i]
	}
	return Visit(rows, err, of.Name, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return visit(key)
	})
}

// Replaced implements snapshot.Blocks.
func (l *Load) Replaced(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return l.store.Replaced(ctx, t, k, loads, visit)
}
