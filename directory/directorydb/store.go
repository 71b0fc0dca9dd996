package directorydb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// Store is a directory.Store on a database. It is safe for concurrent use, also by several processes.
type Store struct {
	DB     *bun.DB
	Now    func() time.Time // when references are taken, and the keys of a deleted network revoked; nil = authdb's clock
	Random io.Reader        // of the access tokens; nil = crypto/rand

	writers writers
}

// writers bounds the writes that hold a connection at one time. While a load holds a partner's lock its writes wait, and
// must not take the connections that readers, and other partners, need.
type writers struct {
	once  sync.Once
	slots chan struct{}
}

// maxWriters is a fraction of the smallest pool of connections.
const maxWriters = 4

// enter waits for a place, which leave gives back.
func (w *writers) enter(ctx context.Context) (leave func(), err error) {
	w.once.Do(func() { w.slots = make(chan struct{}, maxWriters) })
	select {
	case w.slots <- struct{}{}:
		return func() { <-w.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var _ directory.Store = (*Store)(nil)

// write runs f in a transaction that holds the partner's lock from its first statement on. So all writes of a partner, and
// its loads, follow one another, and what f reads stays true until it ends. The version is raised last, and only where
// f has changed something. It returns the versions of then.
func (s *Store) write(ctx context.Context, partner directory.PartnerID, f func(ctx context.Context, w *Write) error) (v authdb.Versions, err error) {
	leave, err := s.writers.enter(ctx)
	if err != nil {
		return v, fmt.Errorf("partner %d: wait to write: %w", partner, err)
	}
	defer leave()
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := authdb.Lock(ctx, tx, auth.Tenant(partner))
		if errors.Is(err, authdb.ErrNotFound) {
			err = fmt.Errorf("partner %d: %w", partner, directory.ErrNotFound)
		}
		if err != nil {
			return err
		}
		w := &Write{IDB: tx, Partner: partner, Version: authdb.NextNumber(h.Registers), now: s.Now}
		if err := f(ctx, w); err != nil || !w.changed {
			return err
		}
		now, err := w.clock(ctx) // one clock says when states began, that of their removal
		if err != nil {
			return err
		}
		h.Registers = w.Version
		v = h.Versions
		return h.Hold(ctx, tx, auth.Tenant(partner), now)
	})
	return v, err
}

// clock reads the time, by Store.Now where that is set.
func (w *Write) clock(ctx context.Context) (time.Time, error) {
	return (&authdb.Store{Now: w.now}).Clock(ctx, w)
}

// written is write for an f that returns a record.
func written[T any](ctx context.Context, s *Store, partner directory.PartnerID, f func(ctx context.Context, w *Write) (T, error)) (record T, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) (err error) {
		record, err = f(ctx, w)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return record, nil
}

// find returns the record of the live row with a reference; the column that the query reads behind it goes into other.
func (f fields[R]) find(ctx context.Context, q *bun.SelectQuery, ref directory.Ref, other *directory.Ref) (found R, err error) {
	missing := directory.ErrNotFound
	if _, err := directory.ParseRef(string(ref)); err != nil { // it may hold what PostgreSQL cannot compare
		return found, missing
	}
	rows, err := q.Where("reference_id = ? AND NOT deleted", ref).Rows(ctx)
	err = f.read(rows, err, func(r R) error {
		found, missing = r, nil
		return nil
	}, other)
	return found, cmp.Or(err, missing)
}

// readEntity returns a live entity with its parent's reference; what is below the partner shows the partner's own (P1).
func readEntity(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (e directory.EntityRecord, err error) {
	q := idb.NewSelect().TableExpr("entities AS e").ColumnExpr(entityFields.columns).
		ColumnExpr(`coalesce((SELECT p.reference_id FROM entities p WHERE p.tenant_id = ?0 AND p.entity_id = e.parent_id),
		                     (SELECT t.reference_id FROM partners t WHERE t.tenant_id = ?0 AND e.parent_id = 0),
		                     '')`, partner).
		Where("tenant_id = ?", partner)
	if e.Entity, err = entityFields.find(ctx, q, ref, &e.ParentRef); err != nil {
		return directory.EntityRecord{}, fmt.Errorf("entity %q: %w", ref, err)
	}
	return e, nil
}

// readTeacher returns a teacher who is in the directory. The entity may have been deleted (P6).
func readTeacher(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (a directory.AccountRecord, err error) {
	q := idb.NewSelect().TableExpr("accounts AS a").ColumnExpr(accounts.columns).
		ColumnExpr(`coalesce((SELECT e.reference_id FROM entities e WHERE e.tenant_id = ? AND e.entity_id = a.entity_id), '')`, partner).
		Where("tenant_id = ? AND kind = ?", partner, directory.Teacher)
	if a.Account, err = accounts.find(ctx, q, ref, &a.EntityRef); err != nil {
		return directory.AccountRecord{}, fmt.Errorf("teacher %q: %w", ref, err)
	}
	return a, nil
}

// Entity implements directory.Store.
func (s *Store) Entity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.EntityRecord, error) {
	return readEntity(ctx, s.DB, partner, ref)
}

// Teacher implements directory.Store.
func (s *Store) Teacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.AccountRecord, error) {
	return readTeacher(ctx, s.DB, partner, ref)
}
