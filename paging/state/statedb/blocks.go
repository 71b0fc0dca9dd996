package statedb

import (
	"context"
	"database/sql"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/state"
)

var _ state.Blocks = (*Store)(nil)

// Scan implements state.Blocks. A corrupt block is a state.ErrCorrupt.
func (s *Store) Scan(ctx context.Context, t state.Tenant, number int64, k state.Kind, r state.Range, visit func(state.Block) error) error {
	if r.Among != nil && len(r.Among) == 0 {
		return nil
	}
	rows, err := s.DB.QueryContext(ctx, `
		SELECT a, b, data
		  FROM blocks
		 WHERE tenant_id = ? AND kind = ? AND ? AND ?
		 ORDER BY a, b`, t, k.Number, in(s.DB, r), at(number))
	// Numbers come out of the driver as int64, and are taken as they are: to convert each costs as much as to check its block's sum.
	var a, b any
	var data sql.RawBytes
	dest := []any{&a, &b, &data}
	all := r.Among == nil || isRun(r.Among)
	return Visit(rows, err, k.Name, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		block := state.Block{BlockKey: state.BlockKey{A: a.(int64), B: b.(int64)}, Data: data}
		if !all {
			if _, asked := slices.BinarySearch(r.Among, block.A); !asked {
				return nil
			}
		}
		var err error
		if block.Data, err = state.Unseal(t, k, block); err != nil {
			return err
		}
		return visit(block)
	})
}

// isRun reports whether ascending numbers have no gap.
func isRun(of []int64) bool { return of[len(of)-1]-of[0] == int64(len(of))-1 }

// in is the condition that a block is in a range.
func in(db bun.IDB, r state.Range) schema.QueryWithArgs {
	where := bun.SafeQuery("TRUE")
	and := func(more schema.QueryWithArgs) { where = bun.SafeQuery("? AND ?", where, more) }
	if r.Among != nil {
		// The bounds tell PostgreSQL to use the key while it has no statistics, as after the first load.
		and(bun.SafeQuery("a BETWEEN ? AND ? AND ?", r.Among[0], r.Among[len(r.Among)-1], handle.Among(db, "a", r.Among)))
	}
	if r.A != (state.Span{}) {
		and(bun.SafeQuery("a >= ? AND a < ?", r.A.From, r.A.End))
	}
	if r.B != (state.Span{}) {
		and(bun.SafeQuery("b >= ? AND b < ?", r.B.From, r.B.End))
	}
	if r.Extent != (state.Span{}) {
		and(bun.SafeQuery("hi >= ? AND lo < ?", r.Extent.From, r.Extent.End))
	}
	return where
}

// Tenant implements state.Writer.
func (l *Load) Tenant() state.Tenant { return l.tenant }

// Base implements state.Writer.
func (l *Load) Base() int64 { return l.base }

// Scan implements state.Blocks.
func (l *Load) Scan(ctx context.Context, t state.Tenant, number int64, k state.Kind, r state.Range, visit func(state.Block) error) error {
	return l.store.Scan(ctx, t, number, k, r, visit)
}

var _ state.Writer = (*Load)(nil)
