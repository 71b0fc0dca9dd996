package statedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

const (
	// DefaultKeep is how long a state that was replaced stays readable, and MinKeep the least that an operator may set (G8).
	DefaultKeep = 2 * time.Hour
	MinKeep     = 15 * time.Minute

	// removeAfter is how long after the oldest kept state was raised what lies below it is removed: who was reading it has
	// ended by then.
	removeAfter = 5 * time.Minute
)

// Keep returns how long states are kept, as it was set for the database.
func (s *Store) Keep(ctx context.Context) (time.Duration, error) {
	var text string
	err := s.DB.NewRaw(`SELECT value FROM settings WHERE name = 'keep'`).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return DefaultKeep, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read how long states are kept: %w", err)
	}
	return time.ParseDuration(text)
}

// SetKeep sets how long states are kept, for all servers of the database.
func (s *Store) SetKeep(ctx context.Context, keep time.Duration) error {
	_, err := s.DB.NewRaw(`
		INSERT INTO settings (name, value)
		VALUES ('keep', ?)
		    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`, keep.String()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set how long states are kept: %w", err)
	}
	return nil
}

// Remover removes what is no longer kept.
type Remover struct {
	*Store
	// Window is how long a pull that asks for nothing keeps its state; 0 is DefaultPullWindow.
	Window time.Duration
	// Past are the tables of what was replaced in registers that count versions, with their columns tenant_id and until.
	Past []Past
}

// Past is a table of former rows of a register: Key names a row besides the tenant.
type Past struct {
	Table string
	Key   []string
}

// Remove removes what is no longer kept of all tenants that have such.
func (r *Remover) Remove(ctx context.Context) error {
	now, err := r.Clock(ctx, r.DB)
	if err != nil {
		return err
	}
	keep, err := r.Keep(ctx)
	if err != nil {
		return err
	}
	tenants, err := r.due(ctx, now, keep)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range tenants {
		if err := r.remove(ctx, t, now, keep); err != nil {
			errs = append(errs, fmt.Errorf("remove former states of tenant %d: %w", t, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// due returns the tenants that have states which are older than is kept, or rows of such.
func (r *Remover) due(ctx context.Context, now time.Time, keep time.Duration) (tenants []state.Tenant, err error) {
	rows, err := r.DB.QueryContext(ctx, `
		SELECT v.tenant_id
		  FROM versions v
		 WHERE v.oldest_since > 0 AND v.oldest_since <= ?
		 UNION
		SELECT s.tenant_id
		  FROM states s
		  JOIN versions v ON v.tenant_id = s.tenant_id
		 WHERE s.began <= ? AND (s.registers > v.oldest_registers OR s.facts > v.oldest_facts)
		 ORDER BY 1`, now.Add(-removeAfter).UnixMicro(), now.Add(-keep).UnixMicro())
	return tenants, authdb.Visit(rows, err, "tenants with former states", func(rows *sql.Rows) error {
		var t state.Tenant
		err := rows.Scan(&t)
		tenants = append(tenants, t)
		return err
	})
}

// remove removes what lay below the oldest kept state five minutes ago, and raises that state.
func (r *Remover) remove(ctx context.Context, t state.Tenant, now time.Time, keep time.Duration) error {
	var since int64
	if err := r.DB.NewRaw(`SELECT oldest_since FROM versions WHERE tenant_id = ?`, t).Scan(ctx, &since); err != nil {
		return err
	}
	if since > now.Add(-removeAfter).UnixMicro() {
		return nil // the next turn
	}
	h, err := authdb.ReadHeld(ctx, r.DB, auth.Tenant(t))
	if err != nil {
		return err
	}
	if since > 0 {
		if err := r.sweepBelow(ctx, t, h.Oldest); err != nil {
			return err
		}
	}
	return r.raise(ctx, t, h, now, keep)
}

// raise raises the oldest kept state of a tenant to what was the present one when the keep began, or the oldest that a pull uses.
func (r *Remover) raise(ctx context.Context, t state.Tenant, h authdb.Held, now time.Time, keep time.Duration) error {
	oldest, err := r.lastBefore(ctx, t, now.Add(-keep))
	if err != nil {
		return err
	}
	window := r.Window
	if window == 0 {
		window = DefaultPullWindow
	}
	var pull struct{ Registers, Facts sql.NullInt64 }
	err = r.DB.NewRaw(`SELECT min(registers), min(facts) FROM pulls WHERE tenant_id = ? AND asked > ? AND began > ?`,
		t, now.Add(-window-touchEvery).UnixMicro(), now.Add(-PullFor).UnixMicro()).Scan(ctx, &pull.Registers, &pull.Facts)
	if err != nil {
		return err
	}
	if pull.Facts.Valid {
		oldest.Registers, oldest.Facts = min(oldest.Registers, pull.Registers.Int64), min(oldest.Facts, pull.Facts.Int64)
	}
	since := now.UnixMicro()
	if oldest.Registers <= h.Oldest.Registers && oldest.Facts <= h.Oldest.Facts {
		oldest, since = h.Oldest, 0
	}
	_, err = r.DB.NewRaw(`
		UPDATE versions
		   SET oldest_registers = ?, oldest_facts = ?, oldest_since = ?
		 WHERE tenant_id = ? AND oldest_registers <= ? AND oldest_facts <= ?`,
		oldest.Registers, oldest.Facts, since, t, oldest.Registers, oldest.Facts).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = r.DB.NewRaw(`DELETE FROM pulls WHERE tenant_id = ? AND began <= ?`, t, now.Add(-PullFor).UnixMicro()).Exec(ctx)
	return err
}

// lastBefore returns the state that was the present one at a time, the zero one where there was none.
func (r *Remover) lastBefore(ctx context.Context, t state.Tenant, when time.Time) (v authdb.Versions, err error) {
	err = r.DB.NewRaw(`
		SELECT registers, facts
		  FROM states
		 WHERE tenant_id = ? AND began <= ?
		 ORDER BY registers DESC, facts DESC
		 LIMIT 1`, t, when.UnixMicro()).Scan(ctx, &v.Registers, &v.Facts)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

// sweepBelow removes the rows that no state from the oldest kept one on has, in small batches.
func (r *Remover) sweepBelow(ctx context.Context, t state.Tenant, oldest authdb.Versions) error {
	for _, table := range r.tables() {
		which := bun.SafeQuery("until <= ? AND until < ?", oldest.Facts, state.Open) // the second is the index's own condition
		if err := r.clear(ctx, t, table.Name, append(slices.Clone(table.Key), "since"), which); err != nil {
			return err
		}
	}
	for _, p := range r.Past {
		if err := r.clear(ctx, t, p.Table, append(slices.Clone(p.Key), "until"), bun.SafeQuery("until <= ?", oldest.Registers)); err != nil {
			return err
		}
	}
	return r.clear(ctx, t, "states", []string{"registers", "facts"}, bun.SafeQuery("registers < ? OR facts < ?", oldest.Registers, oldest.Facts))
}

// clear deletes the rows of a tenant that a condition holds for, a batch at a time.
func (s *Store) clear(ctx context.Context, t state.Tenant, table string, key []string, which schema.QueryWithArgs) error {
	batch := clearRows
	if postgres(s.DB) {
		batch = chunk
	}
	for {
		rows, err := s.DB.QueryContext(ctx, `SELECT `+list(key)+` FROM ? WHERE tenant_id = ? AND (?) LIMIT ?`, bun.Ident(table), t, which, batch)
		var keys [][]int64
		err = authdb.Visit(rows, err, table, func(rows *sql.Rows) error {
			k := make([]int64, len(key))
			dest := make([]any, len(key))
			for i := range k {
				dest[i] = &k[i]
			}
			keys = append(keys, k)
			return rows.Scan(dest...)
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		_, err = s.DB.NewRaw(`DELETE FROM ? WHERE tenant_id = ? AND (`+list(key)+`) IN (VALUES ?)`, bun.Ident(table), t, bun.List(tuples(keys))).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove rows of %s: %w", table, err)
		}
		if len(keys) < batch {
			return nil
		}
	}
}

// clearRows is how many rows of a SQLite file one statement removes: other writers wait for no longer.
const clearRows = 200

// clearUnread removes blocks that loads up to the one that holds have replaced, of the kinds that no report reads.
func (s *Store) clearUnread(ctx context.Context, t state.Tenant, holds int64) error {
	for _, k := range s.Unread {
		which := bun.SafeQuery("kind = ? AND until <= ? AND until < ?", k.Number, holds, state.Open)
		if err := s.clear(ctx, t, blocksTable.Name, append(slices.Clone(blocksTable.Key), "since"), which); err != nil {
			return err
		}
	}
	return nil
}
