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
	// PullFor is how long the pages of a pull are answered from the snapshot of its first page (H12).
	PullFor = 24 * time.Hour
	// DefaultPullWindow is how long an idle pull retains its snapshot, unless the operator sets another time.
	DefaultPullWindow = 15 * time.Minute
	// maxPulls is how many pulls a budget may have under way. Then the oldest end.
	maxPulls = 1000
	// touchEvery is the precision of the time of a pull's last request.
	touchEvery = time.Minute
	// noBudget is the budget of commands: see Store.Use.
	noBudget = -1
)

// BeginPull records that the pages of a query are answered from a snapshot from now on. It replaces an earlier pull of
// the query. Nothing is written if the same was recorded within the last minute, so that page 1 asked again and again
// costs one look-up.
func (s *Store) BeginPull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error {
	again := func(had pull) bool { return had.at == at && had.began > now.Add(-touchEvery).UnixMicro() }
	if had, ok := s.Recent.pull(k); ok && again(had) {
		return nil
	}
	had, ok, err := s.pull(ctx, k)
	if err == nil && (!ok || !again(had)) {
		err = s.putPull(ctx, k, pull{at: at, began: now.UnixMicro(), asked: now.UnixMicro()}, !ok)
	}
	return ofTenant(k.Tenant, "pull", err)
}

// Pull returns the snapshot from which the later pages of a query are answered, and KeptFrom of it, or zero if that is
// not known. It records that the pull goes on. ok is false if the first page was not requested within the last 24
// hours. A recent pull of the current snapshot is not looked up: no other process can have begun the pull again with a
// later one.
func (s *Store) Pull(ctx context.Context, k snapshot.PullKey, current snapshot.Snapshot, now time.Time) (at snapshot.Snapshot, from time.Time, ok bool, err error) {
	if had, ok := s.Recent.pull(k); ok && had.at == current && !had.touchDue(now) && !had.over(now) {
		return had.at, time.Time{}, true, nil
	}
	had, ok, err := s.pull(ctx, k)
	if ok = ok && !had.over(now); ok {
		err = s.touchPull(ctx, k, had, now)
	}
	return had.at, had.from, ok && err == nil, ofTenant(k.Tenant, "pull", err)
}

// UsePull records that a client names a snapshot, which the key contains, so that it is retained as that of a pull.
// Retention ends 24 hours after the snapshot was superseded, however often it is read: nobody can retain a snapshot for
// good.
func (s *Store) UsePull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error {
	had, ok, err := s.pull(ctx, k)
	switch {
	case err != nil:
	case ok && !had.over(now):
		err = s.touchPull(ctx, k, had, now)
	default:
		p := pull{at: at, asked: now.UnixMicro()}
		if p.began, err = s.superseded(ctx, k.Tenant, at.Versions, now); err == nil && !p.over(now) {
			err = s.putPull(ctx, k, p, !ok)
		}
	}
	return ofTenant(k.Tenant, "pull", err)
}

// Use retains a snapshot for a command that reads it, such as load --check, as UsePull does: the command calls it every
// few minutes. who is the command's name.
func (s *Store) Use(ctx context.Context, t auth.Tenant, at snapshot.Versions, who string) error {
	now, err := s.Clock(ctx, s.DB)
	if err != nil {
		return err
	}
	k := snapshot.PullKey{Tenant: t, Budget: noBudget, Query: fmt.Sprintf("%s %d.%d", who, at.Registers, at.Facts)}
	return s.UsePull(ctx, k, snapshot.Snapshot{Versions: at}, now)
}

// superseded returns when the snapshot that followed another began, or now if there is none.
func (s *Store) superseded(ctx context.Context, t auth.Tenant, at snapshot.Versions, now time.Time) (us int64, err error) {
	err = s.DB.NewRaw(`
		SELECT coalesce(min(began), ?)
		  FROM snapshots
		 WHERE tenant_id = ? AND registers >= ? AND (registers > ? OR facts > ?)`,
		now.UnixMicro(), t, at.Registers, at.Registers, at.Facts).Scan(ctx, &us)
	return min(us, now.UnixMicro()), err
}

// pull is a stored pull. Its instants are microseconds since 1970.
type pull struct {
	at           snapshot.Snapshot
	from         time.Time // KeptFrom of at; zero if it is not retained, or was not looked up
	began, asked int64
}

// over reports whether the pull began too long ago to go on.
func (p pull) over(now time.Time) bool { return p.began <= now.Add(-PullFor).UnixMicro() }

// touchDue reports whether a request is to be recorded.
func (p pull) touchDue(now time.Time) bool { return p.asked < now.Add(-touchEvery).UnixMicro() }

// Recent keeps some thousands of the pulls in memory that were read or written last. A nil Recent keeps none. It is
// safe for concurrent use.
type Recent struct {
	mu    sync.Mutex
	pulls map[snapshot.PullKey]pull
}

// maxRecent bounds a Recent: a full one is emptied.
const maxRecent = 10_000

func (r *Recent) pull(k snapshot.PullKey) (p pull, ok bool) {
	if r == nil {
		return pull{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok = r.pulls[k]
	return p, ok
}

func (r *Recent) keep(k snapshot.PullKey, p pull) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pulls == nil || len(r.pulls) >= maxRecent {
		r.pulls = make(map[snapshot.PullKey]pull)
	}
	r.pulls[k] = p
}

// pull reads a pull, of whatever age, and KeptFrom of its snapshot.
func (s *Store) pull(ctx context.Context, k snapshot.PullKey) (p pull, ok bool, err error) {
	err = s.DB.QueryRowContext(ctx,
		`SELECT p.registers, p.facts, p.day, coalesce(s.facts_from, 0), p.began, p.asked
		   FROM pulls p
		   JOIN versions v ON v.tenant_id = p.tenant_id
		   LEFT JOIN snapshots s
		     ON s.tenant_id = p.tenant_id AND s.registers = p.registers AND s.facts = p.facts
		    AND `+retained+`
		  WHERE p.tenant_id = ? AND p.budget = ? AND p.query = ?`,
		k.Tenant, k.Budget, k.Query).Scan(&p.at.Registers, &p.at.Facts, &p.at.Of, (*instant)(&p.from), &p.began, &p.asked)
	if errors.Is(err, sql.ErrNoRows) {
		return pull{}, false, nil
	}
	if err == nil {
		s.Recent.keep(k, p)
	}
	return p, err == nil, err
}

// putPull writes a pull. If a new one is one too many for the budget it removes the oldest.
func (s *Store) putPull(ctx context.Context, k snapshot.PullKey, p pull, fresh bool) error {
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
	_, err = s.deleteFree(ctx, k.Tenant, pullRows, bun.SafeQuery(`budget = ?1
		   AND asked < (SELECT asked FROM pulls WHERE tenant_id = ?0 AND budget = ?1 ORDER BY asked DESC LIMIT 1 OFFSET ?2)`,
		k.Tenant, k.Budget, maxPulls-1))
	return err
}

var pullRows = Rows{"pulls", []string{"budget", "query"}}

// touchPull records that a pull goes on, once a minute.
func (s *Store) touchPull(ctx context.Context, k snapshot.PullKey, p pull, now time.Time) error {
	if !p.touchDue(now) {
		return nil
	}
	_, err := s.DB.NewRaw(`UPDATE pulls SET asked = ? WHERE tenant_id = ? AND budget = ? AND query = ? AND asked < ?`,
		now.UnixMicro(), k.Tenant, k.Budget, k.Query, now.UnixMicro()).Exec(ctx)
	if p.asked = now.UnixMicro(); err == nil {
		s.Recent.keep(k, p)
	}
	return err
}

// retained is the condition that a row s of snapshots is retained, by its tenant's row v of versions.
const retained = `s.registers >= v.oldest_registers AND s.facts >= v.oldest_facts`

// KeptFrom returns when the facts of a snapshot became current, zero before the first load. The error is
// snapshot.ErrGone if the snapshot is not retained, or never was the tenant's. A reader of a snapshot that is not
// current calls it before its first statement and again after its last.
func (s *Store) KeptFrom(ctx context.Context, t auth.Tenant, at snapshot.Versions) (from time.Time, err error) {
	err = s.DB.QueryRowContext(ctx,
		`SELECT s.facts_from
		   FROM snapshots s
		   JOIN versions v ON v.tenant_id = s.tenant_id
		  WHERE s.tenant_id = ? AND s.registers = ? AND s.facts = ? AND `+retained,
		t, at.Registers, at.Facts).Scan((*instant)(&from))
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, snapshot.ErrGone
	}
	return from, ofTenant(t, "snapshots", err)
}
