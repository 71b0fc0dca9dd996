package snapshotdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
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
	// noBudget is the budget of those who have none: see Store.Use.
	noBudget = -1
)

// PullKey names a pull; see snapshot.PullKey.
type PullKey = snapshot.PullKey

// BeginPull notes that the pages of a query are answered from a state, from now on; it takes the place of an earlier pull of
// the query. Nothing is written where the same was noted within the last minute: page 1 asked again and again costs a look-up.
func (s *Store) BeginPull(ctx context.Context, k PullKey, at snapshot.Snapshot, now time.Time) error {
	again := func(had pull) bool { return had.at == at && had.began > now.Add(-touchEvery).UnixMicro() }
	if had, ok := s.Recent.pull(k); ok && again(had) {
		return nil
	}
	had, ok, err := s.pull(ctx, k)
	if err == nil && (!ok || !again(had)) {
		err = s.putPull(ctx, k, pull{at, now.UnixMicro(), now.UnixMicro()}, !ok)
	}
	return ofPull(k, err)
}

// Pull returns the state from which the later pages of a query are answered; ok is false where its first page was not asked
// within the last 24 hours. That the pull goes on is noted. What is recent is not looked up where it is of the present state: no
// other process can have begun the pull anew with a later one.
func (s *Store) Pull(ctx context.Context, k PullKey, present snapshot.Snapshot, now time.Time) (at snapshot.Snapshot, ok bool, err error) {
	if had, ok := s.Recent.pull(k); ok && had.at == present && had.asked >= now.Add(-touchEvery).UnixMicro() && had.began > now.Add(-PullFor).UnixMicro() {
		return had.at, true, nil
	}
	had, ok, err := s.pull(ctx, k)
	if err != nil || !ok || had.began <= now.Add(-PullFor).UnixMicro() {
		return snapshot.Snapshot{}, false, ofPull(k, err)
	}
	if err := s.touchPull(ctx, k, had, now); err != nil {
		return snapshot.Snapshot{}, false, ofPull(k, err)
	}
	return had.at, true, nil
}

// UsePull notes that a state is read by its snapshot, which the key names: it is kept as that of a pull is. That ends 24 hours
// after the state was replaced, however often it is read, so that nobody can keep a state for good.
func (s *Store) UsePull(ctx context.Context, k PullKey, at snapshot.Snapshot, now time.Time) error {
	had, ok, err := s.pull(ctx, k)
	if err == nil && ok && had.began > now.Add(-PullFor).UnixMicro() {
		return ofPull(k, s.touchPull(ctx, k, had, now))
	}
	if err != nil {
		return ofPull(k, err)
	}
	began, err := s.replaced(ctx, k.Tenant, at.Versions, now)
	if err == nil && began > now.Add(-PullFor).UnixMicro() {
		err = s.putPull(ctx, k, pull{at, began, now.UnixMicro()}, !ok)
	}
	return ofPull(k, err)
}

// Use keeps a state for a command that reads, such as load --check, as it is kept for a pull: for as long as he says so every few
// minutes, up to 24 hours after it was replaced. who is what he is called.
func (s *Store) Use(ctx context.Context, t auth.Tenant, at snapshot.Versions, who string) error {
	now, err := s.Clock(ctx, s.DB)
	if err != nil {
		return err
	}
	k := PullKey{Tenant: t, Budget: noBudget, Query: fmt.Sprintf("%s %d.%d", who, at.Registers, at.Facts)}
	return s.UsePull(ctx, k, snapshot.Snapshot{Versions: at}, now)
}

// replaced returns when the state after another one began, which is now where there is none.
func (s *Store) replaced(ctx context.Context, t auth.Tenant, at snapshot.Versions, now time.Time) (us int64, err error) {
	var next sql.NullInt64
	err = s.DB.NewRaw(`
		SELECT min(began)
		  FROM snapshots
		 WHERE tenant_id = ? AND registers >= ? AND (registers > ? OR facts > ?)`,
		t, at.Registers, at.Registers, at.Facts).Scan(ctx, &next)
	if !next.Valid {
		return now.UnixMicro(), err
	}
	return min(next.Int64, now.UnixMicro()), err
}

// pull is what is known of a pull: instants are microseconds since 1970.
type pull struct {
	at           snapshot.Snapshot
	began, asked int64
}

// Recent keeps in memory what was read or written of pulls last, some thousands of them. A nil Recent keeps none. It is safe for
// concurrent use.
type Recent struct {
	mu    sync.Mutex
	pulls map[PullKey]pull
}

// maxRecent bounds what is kept; then it begins anew.
const maxRecent = 10_000

func (r *Recent) pull(k PullKey) (p pull, ok bool) {
	if r == nil {
		return pull{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok = r.pulls[k]
	return p, ok
}

func (r *Recent) keep(k PullKey, p pull) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pulls == nil || len(r.pulls) >= maxRecent {
		r.pulls = make(map[PullKey]pull)
	}
	r.pulls[k] = p
}

// pull reads a pull, of whatever age.
func (s *Store) pull(ctx context.Context, k PullKey) (p pull, ok bool, err error) {
	err = s.DB.QueryRowContext(ctx,
		`SELECT registers, facts, day, began, asked
		   FROM pulls
		  WHERE tenant_id = ? AND budget = ? AND query = ?`,
		k.Tenant, k.Budget, k.Query).Scan(&p.at.Registers, &p.at.Facts, &p.at.Of, &p.began, &p.asked)
	if errors.Is(err, sql.ErrNoRows) {
		return pull{}, false, nil
	}
	if err == nil {
		s.Recent.keep(k, p)
	}
	return p, err == nil, err
}

// putPull writes a pull, and removes the oldest of the budget where a new one makes too many.
func (s *Store) putPull(ctx context.Context, k PullKey, p pull, fresh bool) error {
	_, err := s.DB.NewRaw(`
		INSERT INTO pulls (tenant_id, budget, query, registers, facts, day, began, asked)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		    ON CONFLICT (tenant_id, budget, query) DO UPDATE
		   SET registers = EXCLUDED.registers, facts = EXCLUDED.facts, day = EXCLUDED.day, began = EXCLUDED.began, asked = EXCLUDED.asked`,
		k.Tenant, k.Budget, k.Query, p.at.Registers, p.at.Facts, p.at.Of, p.began, p.asked).Exec(ctx)
	if err != nil {
		return err
	}
	if s.Recent.keep(k, p); !fresh {
		return nil
	}
	_, err = s.deleteFree(ctx, k.Tenant, "pulls", pullKey, bun.SafeQuery(`budget = ?1
		   AND asked < (SELECT asked FROM pulls WHERE tenant_id = ?0 AND budget = ?1 ORDER BY asked DESC LIMIT 1 OFFSET ?2)`,
		k.Tenant, k.Budget, maxPulls-1))
	return err
}

// pullKey are the columns that name a pull of a tenant.
var pullKey = []string{"budget", "query"}

// touchPull notes that a pull goes on, once a minute.
func (s *Store) touchPull(ctx context.Context, k PullKey, p pull, now time.Time) error {
	if p.asked >= now.Add(-touchEvery).UnixMicro() {
		return nil
	}
	_, err := s.DB.NewRaw(`UPDATE pulls SET asked = ? WHERE tenant_id = ? AND budget = ? AND query = ? AND asked < ?`,
		now.UnixMicro(), k.Tenant, k.Budget, k.Query, now.UnixMicro()).Exec(ctx)
	if p.asked = now.UnixMicro(); err == nil {
		s.Recent.keep(k, p)
	}
	return err
}

func ofPull(k PullKey, err error) error {
	if err != nil {
		return fmt.Errorf("a pull of tenant %d: %w", k.Tenant, err)
	}
	return nil
}

// Kept returns snapshot.ErrGone unless a state is one of those that are kept: one that was, and that is not older than the oldest.
// Who reads a state that is not the present one asks before the first statement and after the last.
func (s *Store) Kept(ctx context.Context, t auth.Tenant, at snapshot.Versions) error {
	_, err := s.KeptFrom(ctx, t, at)
	return err
}

// KeptFrom is Kept, and returns since when the facts of the state held, the zero time before the first load.
func (s *Store) KeptFrom(ctx context.Context, t auth.Tenant, at snapshot.Versions) (from time.Time, err error) {
	var us, registers, facts int64
	err = s.DB.QueryRowContext(ctx,
		`SELECT s.facts_from, v.oldest_registers, v.oldest_facts
		   FROM snapshots s
		   JOIN versions v ON v.tenant_id = s.tenant_id
		  WHERE s.tenant_id = ? AND s.registers = ? AND s.facts = ?`,
		t, at.Registers, at.Facts).Scan(&us, &registers, &facts)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (at.Registers < registers || at.Facts < facts) {
		return time.Time{}, snapshot.ErrGone
	}
	if err != nil || us == 0 {
		return time.Time{}, ofTenant(t, err)
	}
	return time.UnixMicro(us).UTC(), nil
}
