package statedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

const (
	// PullFor is how long the pages of a pull are answered as its first page was (H12).
	PullFor = 24 * time.Hour
	// DefaultPullWindow is how long a pull that asks for nothing keeps its state, unless the operator sets another.
	DefaultPullWindow = 15 * time.Minute
	// maxPulls is how many pulls a budget may have under way; the oldest go first.
	maxPulls = 1000
	// touchEvery is how exactly the last request of a pull is known: to a minute.
	touchEvery = time.Minute
)

// PullKey names a pull: a digest of a query, and whose requests count against which budget.
type PullKey struct {
	Tenant state.Tenant
	Budget int64
	Query  string
}

// BeginPull notes that the pages of a query are answered from a state, from now on; it takes the place of an earlier pull of
// the query.
func (s *Store) BeginPull(ctx context.Context, k PullKey, at state.Snapshot, now time.Time) error {
	err := s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`
			INSERT INTO pulls (tenant_id, budget, query, registers, facts, day, began, asked)
			VALUES (?0, ?1, ?2, ?3, ?4, ?5, ?6, ?6)
			    ON CONFLICT (tenant_id, budget, query) DO UPDATE
			   SET registers = EXCLUDED.registers, facts = EXCLUDED.facts, day = EXCLUDED.day, began = EXCLUDED.began, asked = EXCLUDED.asked`,
			k.Tenant, k.Budget, k.Query, at.Registers, at.Facts, at.Of, now.UnixMicro()).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(`
			DELETE FROM pulls
			 WHERE tenant_id = ?0 AND budget = ?1
			   AND asked < (SELECT asked FROM pulls WHERE tenant_id = ?0 AND budget = ?1 ORDER BY asked DESC LIMIT 1 OFFSET ?2)`,
			k.Tenant, k.Budget, maxPulls-1).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin a pull of tenant %d: %w", k.Tenant, err)
	}
	return nil
}

// Pull returns the state from which the later pages of a query are answered; ok is false where its first page was not asked
// within the last 24 hours. That the pull goes on is noted.
func (s *Store) Pull(ctx context.Context, k PullKey, now time.Time) (at state.Snapshot, ok bool, err error) {
	var asked int64
	err = s.DB.NewRaw(`
		SELECT registers, facts, day, asked
		  FROM pulls
		 WHERE tenant_id = ? AND budget = ? AND query = ? AND began > ?`,
		k.Tenant, k.Budget, k.Query, now.Add(-PullFor).UnixMicro()).Scan(ctx, &at.Registers, &at.Facts, &at.Of, &asked)
	if errors.Is(err, sql.ErrNoRows) {
		return state.Snapshot{}, false, nil
	}
	if err == nil && asked < now.Add(-touchEvery).UnixMicro() {
		_, err = s.DB.NewRaw(`UPDATE pulls SET asked = ? WHERE tenant_id = ? AND budget = ? AND query = ? AND asked < ?`,
			now.UnixMicro(), k.Tenant, k.Budget, k.Query, now.UnixMicro()).Exec(ctx)
	}
	if err != nil {
		return state.Snapshot{}, false, fmt.Errorf("a pull of tenant %d: %w", k.Tenant, err)
	}
	return at, true, nil
}

// Kept returns state.ErrGone unless a state is one of those that are kept: one that was, and that is not older than the oldest.
// Who reads a state that is not the present one asks before the first statement and after the last.
func (s *Store) Kept(ctx context.Context, t state.Tenant, at state.Versions) error {
	var was bool
	err := s.DB.NewRaw(`SELECT EXISTS (SELECT 1 FROM states WHERE tenant_id = ? AND registers = ? AND facts = ?)`,
		t, at.Registers, at.Facts).Scan(ctx, &was)
	if err != nil {
		return ofTenant(t, err)
	}
	h, err := authdb.ReadHeld(ctx, s.DB, auth.Tenant(t))
	if err != nil {
		return err
	}
	if !was || at.Registers < h.Oldest.Registers || at.Facts < h.Oldest.Facts {
		return state.ErrGone
	}
	return nil
}
