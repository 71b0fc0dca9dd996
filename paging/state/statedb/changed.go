package statedb

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

// Replaced implements state.Blocks.
func (s *Store) Replaced(ctx context.Context, t state.Tenant, k state.Kind, loads state.Span, visit func(state.BlockKey) error) error {
	// The + keeps the engines from the primary key, by which they would read all blocks of the kind.
	return blocksTable.Replaced(ctx, s.DB, t, loads, bun.SafeQuery("+kind = ?", k.Number), func(key []int64) error {
		return visit(state.BlockKey{A: key[1], B: key[2]})
	})
}

// Changed calls visit with the keys of the blocks of a kind that differ between the two states that the loads lie between, those
// that one of the two lacks included, ascending; some perhaps twice, and some perhaps that are the same in both. It looks at every
// block of the kind: it is for kinds of a few thousand.
func (s *Store) Changed(ctx context.Context, t state.Tenant, k state.Kind, loads state.Span, visit func(state.BlockKey) error) error {
	return blocksTable.keys(ctx, s.DB, t, bun.SafeQuery("kind = ? AND ?", k.Number, changed(loads)), func(key []int64) error {
		return visit(state.BlockKey{A: key[1], B: key[2]})
	})
}

// changed is the condition that loads have put a row in or taken it out.
func changed(loads state.Span) schema.QueryWithArgs {
	return bun.SafeQuery("(since >= ?0 AND since < ?1 OR until >= ?0 AND until < ?1)", loads.From, loads.End)
}

// Changed calls visit with the keys of the rows that loads have put in or taken out, ascending, some perhaps twice. It looks at
// every row of the tenant: it is for tables of a few thousand.
func (t *Table) Changed(ctx context.Context, idb bun.IDB, tenant state.Tenant, loads state.Span, visit func(key []int64) error) error {
	return t.keys(ctx, idb, tenant, changed(loads), visit)
}

// Replaced calls visit with the keys of the rows that loads have taken out, ascending, some perhaps twice, for which a condition
// holds; whether others stand in their place they do not say.
func (t *Table) Replaced(ctx context.Context, idb bun.IDB, tenant state.Tenant, loads state.Span, and schema.QueryWithArgs, visit func(key []int64) error) error {
	return t.keys(ctx, idb, tenant, bun.SafeQuery("? AND ?", TakenOut(loads), and), visit)
}

// TakenOut is the condition that loads have taken a row out, in words that let the index of such rows be used.
func TakenOut(loads state.Span) schema.QueryWithArgs {
	return bun.SafeQuery("until >= ? AND until < ? AND until < ?", loads.From, loads.End, state.Open)
}

// keys calls visit with the keys of the rows that a condition holds for. A key is valid until visit returns.
func (t *Table) keys(ctx context.Context, idb bun.IDB, tenant state.Tenant, where schema.QueryWithArgs, visit func(key []int64) error) error {
	columns := list(t.Key)
	rows, err := idb.QueryContext(ctx, `SELECT `+columns+` FROM ? WHERE tenant_id = ? AND ? ORDER BY `+columns, bun.Ident(t.Name), tenant, where)
	key, dest := make([]int64, len(t.Key)), make([]any, len(t.Key))
	for i := range key {
		dest[i] = &key[i]
	}
	return authdb.Visit(rows, err, t.Name, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return visit(key)
	})
}

// Replaced implements state.Blocks.
func (l *Load) Replaced(ctx context.Context, t state.Tenant, k state.Kind, loads state.Span, visit func(state.BlockKey) error) error {
	return l.store.Replaced(ctx, t, k, loads, visit)
}
