package authdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/uptrace/bun"
)

const (
	usesEvery = 15 * time.Second
	usesWait  = 5 * time.Second // for a flush
	usesKeys  = 10_000          // at most between two flushes
)

// Uses records when keys were last used, to the minute, without delaying a request: [Uses.Used] writes to memory, and
// [Uses.Run] writes to the database. It is safe for concurrent use. Of more than 10,000 keys between two flushes it
// drops the rest until their next use.
type Uses struct {
	DB    *handle.DB
	Every time.Duration // between flushes; 0 = 15 s
	Error func(error)   // called with the error of a flush, to log it; may be nil

	mu   sync.Mutex
	last map[keyID]time.Time
}

type keyID struct {
	tenant auth.Tenant
	number int
}

// Used notes that a key, as [Store.Check] read it, was used at a time. It ignores a minute that the key shows already,
// so that each server writes a key at most once a minute.
func (u *Uses) Used(k auth.Key, at time.Time) {
	at = at.UTC().Truncate(time.Minute)
	if k.LastUsed.Before(at) {
		u.note(keyID{k.Tenant, k.Number}, at)
	}
}

// note keeps the later of two minutes.
func (u *Uses) note(id keyID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = make(map[keyID]time.Time)
	}
	old, ok := u.last[id]
	if old.Before(at) && (ok || len(u.last) < usesKeys) {
		u.last[id] = at
	}
}

// Run flushes every 15 seconds until ctx is done, and then once more. A flush takes at most 5 seconds. The error is
// that of the last flush.
func (u *Uses) Run(ctx context.Context) error {
	tick := time.NewTicker(cmp.Or(u.Every, usesEvery))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := u.flushSoon(ctx); err != nil && u.Error != nil && ctx.Err() == nil {
				u.Error(err)
			}
		case <-ctx.Done():
			return u.flushSoon(context.WithoutCancel(ctx))
		}
	}
}

// flushSoon flushes with a time limit: a SQLite file may be busy, and a PostgreSQL server frozen.
func (u *Uses) flushSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, usesWait)
	defer cancel()
	return u.Flush(ctx)
}

// minuteOf groups the keys that one statement writes.
type minuteOf struct {
	tenant auth.Tenant
	at     time.Time
}

// Flush writes what was noted. After an error it keeps the notes for the next flush. A later minute in the database,
// written by another server, stays.
func (u *Uses) Flush(ctx context.Context) error {
	u.mu.Lock()
	last := u.last
	u.last = nil
	u.mu.Unlock()
	if len(last) == 0 {
		return nil
	}
	groups := make(map[minuteOf][]int)
	for id, at := range last {
		g := minuteOf{id.tenant, at}
		groups[g] = append(groups[g], id.number)
	}
	err := u.writeAll(ctx, groups)
	if err != nil {
		for id, at := range last {
			u.note(id, at)
		}
	}
	return err
}

// writeAll writes the groups. On SQLite it uses one transaction, since each commit waits for the disk. On PostgreSQL
// each group has its own, since a tenant's rows may be on another node (G4).
func (u *Uses) writeAll(ctx context.Context, groups map[minuteOf][]int) error {
	all := func(ctx context.Context, idb bun.IDB) error {
		var errs []error
		for g, numbers := range groups {
			_, err := idb.NewUpdate().Model((*keyRow)(nil)).Set("last_used = ?", g.at).
				Where("tenant_id = ? AND number IN (?)", g.tenant, bun.List(numbers)).
				Where("last_used IS NULL OR last_used < ?", g.at).Exec(ctx)
			if err != nil {
				errs = append(errs, fmt.Errorf("last use of keys of tenant %d: %w", g.tenant, err))
			}
		}
		return errors.Join(errs...)
	}
	if handle.Postgres(u.DB) {
		return all(ctx, u.DB)
	}
	return u.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return all(ctx, tx) })
}
