package snapshotdb

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Rows are the rows that a tenant has in a table. The columns of Key name a row, besides tenant_id.
type Rows struct {
	Table string
	Key   []string
}

func rowsOf(t *snapshot.Table) Rows { return Rows{t.Name, withSince(t)} }

// RemoveAll removes all rows of a tenant from tables, in small batches, once EndTenant has begun its removal. It waits
// for rows that others have locked, and may be repeated.
func (s *Store) RemoveAll(ctx context.Context, t auth.Tenant, from []Rows) error {
	for _, rows := range from {
		for {
			all, err := s.clear(ctx, t, rows, bun.SafeQuery("TRUE"))
			if err != nil {
				return ofTenant(t, "removal", err)
			}
			if all {
				break
			}
			if err := pause(ctx, waitStep); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearLoadsOnly removes superseded blocks of the kinds that no report reads. It compares them with the database's
// current facts, and not with the load that published them: a failover may have lost that load.
func (s *Store) clearLoadsOnly(ctx context.Context, t auth.Tenant) error {
	for _, k := range s.Kinds {
		if !k.LoadsOnly {
			continue
		}
		which := bun.SafeQuery("kind = ? AND until < ? AND until <= (SELECT facts FROM versions WHERE tenant_id = ?)", k.Number, open, t)
		if _, err := s.clear(ctx, t, rowsOf(snapshot.BlocksTable), which); err != nil {
			return err
		}
	}
	return nil
}

// clear deletes the rows of a tenant that meet a condition, a batch at a time. Each statement checks the condition
// again, since a standby that lacks the latest rows may have taken over. clear skips rows that are locked, and reports
// whether there were none.
func (s *Store) clear(ctx context.Context, t auth.Tenant, rows Rows, which schema.QueryWithArgs) (all bool, err error) {
	for {
		began := time.Now()
		var some bool
		err := s.DB.NewRaw(`SELECT EXISTS (SELECT 1 FROM ? WHERE tenant_id = ? AND (?))`, bun.Ident(rows.Table), t, which).Scan(ctx, &some)
		if err != nil || !some {
			return err == nil, err
		}
		deleted, err := s.deleteFree(ctx, t, rows, which)
		if err == nil && deleted > 0 && !handle.Postgres(s.DB) {
			err = pause(ctx, time.Since(began)) // other writers of a SQLite file get as much time as this statement took
		}
		if err != nil || deleted == 0 || ctx.Err() != nil {
			return false, cmp.Or(err, ctx.Err())
		}
	}
}

// sqliteBatch is how many rows of a SQLite file one statement deletes, since other writers wait for it.
const sqliteBatch = 200

// deleteFree deletes a batch of the rows of a tenant that meet a condition. It skips rows that are locked: an erasure
// may be writing them, or another server deleting them in another order. A statement that waits for no row cannot be
// part of a deadlock.
//
// The statement chooses the batch itself. Given a list of 2,000 keys, PostgreSQL without statistics compared each row
// with each key, which took a minute.
func (s *Store) deleteFree(ctx context.Context, t auth.Tenant, rows Rows, which schema.QueryWithArgs) (deleted int64, err error) {
	batch, free := sqliteBatch, ""
	if handle.Postgres(s.DB) {
		batch, free = chunk, " FOR UPDATE SKIP LOCKED"
	}
	key := list(rows.Key)
	res, err := s.DB.NewRaw(`
		DELETE FROM ?0
		 WHERE tenant_id = ?1 AND (`+key+`) IN (SELECT `+key+` FROM ?0 WHERE tenant_id = ?1 AND (?2) LIMIT ?3`+free+`)`,
		bun.Ident(rows.Table), t, which, batch).Exec(ctx)
	if err == nil {
		deleted, err = res.RowsAffected()
	}
	if err != nil {
		return 0, fmt.Errorf("remove rows of %s: %w", rows.Table, err)
	}
	return deleted, nil
}

// pause waits for a while, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
