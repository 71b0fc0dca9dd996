package statedb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

var _ state.Blocks = (*Store)(nil)

// Scan implements state.Blocks. A corrupt block is a state.ErrCorrupt.
func (s *Store) Scan(ctx context.Context, t state.Tenant, number int64, k state.Kind, r state.Range, visit func(state.Block) error) error {
	if r.Among != nil && len(r.Among) == 0 {
		return nil
	}
	from, where, args := in(s.DB, r, []any{t, k.Number, number})
	rows, err := authdb.Prepared(s.DB).QueryContext(ctx, `
		SELECT a, b, data
		  FROM `+from+`
		 WHERE tenant_id = $1 AND kind = $2`+where+` AND since <= $3 AND until > $3
		 ORDER BY a, b`, args...)
	// Numbers come out of the driver as int64, and are taken as they are: to convert each costs as much as to check its block's sum.
	var a, b any
	var data sql.RawBytes
	dest := []any{&a, &b, &data}
	all := r.Among == nil || isRun(r.Among)
	return authdb.Visit(rows, err, k.Name, func(rows *sql.Rows) error {
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

// in is what blocks of a range are read from, with a condition, and the parameters with those of these behind them.
func in(idb bun.IDB, r state.Range, args []any) (string, string, []any) {
	from, where := "blocks", strings.Builder{}
	and := func(condition string, values ...any) {
		where.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	span := func(condition string, s state.Span) {
		if s != (state.Span{}) {
			and(fmt.Sprintf(condition, len(args)+1, len(args)+2), s.From, s.End)
		}
	}
	if r.Among != nil {
		table, among, values := authdb.AmongKeys(idb, "blocks", "tenant_id = $1 AND kind = $2", "a", len(args)+1, r.Among)
		from = table
		and(among, values...)
	}
	span("a >= $%d AND a < $%d", r.A)
	span("b >= $%d AND b < $%d", r.B)
	span("hi >= $%d AND lo < $%d", r.Extent)
	return from, where.String(), args
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
