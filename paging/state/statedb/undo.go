package statedb

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/state"
)

// Undo undoes what the load has written so far, so that it can write anew.
func (l *Load) Undo(ctx context.Context) error { return l.undo(ctx) }

// undo undoes every number above the one that the load builds on, while it has the lease: its own rows, and those of loads
// that died.
func (l *Load) undo(ctx context.Context) error {
	if !l.dirty {
		return nil
	}
	// What the database lacks of it, or was never told to have, is no matter any more: all of it goes.
	if err := l.setTurns(ctx, l.store.DB, 0, bun.SafeQuery("TRUE")); err != nil {
		return err
	}
	l.turns = 0
	for _, t := range l.store.tables() {
		err := l.store.sweep(ctx, t, l.tenant, bun.SafeQuery("since > ?", l.base), func(rows []versioned) error {
			return l.guarded(ctx, func(ctx context.Context, tx bun.Tx) error { return deleteRows(ctx, tx, t, l.tenant, rows) })
		})
		if err == nil {
			err = l.reopen(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("undo a load of tenant %d: %w", l.tenant, err)
		}
	}
	l.dirty = false
	return nil
}

// reopen opens what was closed by a number above the one that the load builds on.
func (l *Load) reopen(ctx context.Context, t *state.Table) error {
	closed := bun.SafeQuery("until > ? AND until < ?", l.base, state.Open)
	return l.store.sweep(ctx, t, l.tenant, closed, func(rows []versioned) error {
		return l.guarded(ctx, func(ctx context.Context, tx bun.Tx) error {
			keys := make([][]int64, len(rows))
			for i, r := range rows {
				keys[i] = r.key
			}
			_, err := tx.NewRaw(`UPDATE ? SET until = ? WHERE tenant_id = ? AND ? AND ?`,
				bun.Ident(t.Name), state.Open, l.tenant, closed, keyed(t, keys)).Exec(ctx)
			return err
		})
	})
}
