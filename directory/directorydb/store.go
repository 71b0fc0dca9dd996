package directorydb

import (
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

// write is a transaction that writes a partner's registers, and has it to itself.
type write struct {
	bun.Tx
	partner directory.PartnerID
	version int64 // what the rows are to carry: the one that will be published
	changed bool  // something was written
	now     func() time.Time
}

// write runs f in a transaction that holds the partner's lock from its first statement on. So all writes of a partner, and
// its loads, follow one another, and what f reads stays true until it ends. The version is raised last, and only where
// f has changed something.
func (s *Store) write(ctx context.Context, partner directory.PartnerID, f func(ctx context.Context, w *write) error) error {
	leave, err := s.writers.enter(ctx)
	if err != nil {
		return fmt.Errorf("partner %d: wait to write: %w", partner, err)
	}
	defer leave()
	return s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := authdb.Lock(ctx, tx, auth.Tenant(partner))
		if errors.Is(err, authdb.ErrNotFound) {
			err = fmt.Errorf("partner %d: %w", partner, directory.ErrNotFound)
		}
		if err != nil {
			return err
		}
		w := &write{Tx: tx, partner: partner, version: authdb.NextNumber(h.Registers), now: s.Now}
		if err := f(ctx, w); err != nil || !w.changed {
			return err
		}
		now, err := (&authdb.Store{Now: s.Now}).Clock(ctx, tx) // one clock says when states began, that of their removal
		if err != nil {
			return err
		}
		h.Registers = w.version
		return authdb.Hold(ctx, tx, auth.Tenant(partner), h, now)
	})
}

// exec runs a statement that changes the registers.
func (w *write) exec(ctx context.Context, query string, args ...any) error {
	w.changed = true
	_, err := w.NewRaw(query, args...).Exec(ctx)
	return err
}

// exists reports whether a query has a row.
func (w *write) exists(ctx context.Context, query string, args ...any) (found bool, err error) {
	err = w.NewRaw(`SELECT EXISTS (`+query+`)`, args...).Scan(ctx, &found)
	return found, err
}

// readEntity returns a live entity with its parent's reference; what is below the partner shows the partner's own (P1).
func readEntity(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (directory.EntityRecord, error) {
	var e directory.EntityRecord
	if _, err := directory.ParseRef(string(ref)); err != nil { // it may hold what PostgreSQL cannot compare
		return e, fmt.Errorf("entity %q: %w", ref, directory.ErrNotFound)
	}
	found := idb.QueryRowContext(ctx, `
		SELECT `+entityColumns+`,
		       coalesce((SELECT p.reference_id FROM entities p WHERE p.tenant_id = ?0 AND p.entity_id = e.parent_id),
		                (SELECT t.reference_id FROM partners t WHERE t.tenant_id = ?0 AND e.parent_id = 0),
		                '')
		  FROM entities e
		 WHERE tenant_id = ?0 AND reference_id = ?1 AND NOT deleted`, partner, ref)
	err := entityFields.Scanner().Scan(func(dest ...any) error { return found.Scan(append(dest, &e.ParentRef)...) }, &e.Entity)
	if err != nil {
		return directory.EntityRecord{}, fmt.Errorf("entity %q: %w", ref, notFound(err))
	}
	return e, nil
}

// readTeacher returns a teacher who is in the directory. The entity may have been deleted (P6).
func readTeacher(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (directory.AccountRecord, error) {
	var a directory.AccountRecord
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return a, fmt.Errorf("teacher %q: %w", ref, directory.ErrNotFound)
	}
	found := idb.QueryRowContext(ctx, `
		SELECT `+accountColumns+`,
		       coalesce((SELECT e.reference_id FROM entities e WHERE e.tenant_id = ?0 AND e.entity_id = a.entity_id), '')
		  FROM accounts a
		 WHERE tenant_id = ?0 AND reference_id = ?1 AND NOT deleted AND kind = ?2`, partner, ref, directory.Teacher)
	err := accountFields.Scanner().Scan(func(dest ...any) error { return found.Scan(append(dest, &a.EntityRef)...) }, &a.Account)
	if err != nil {
		return directory.AccountRecord{}, fmt.Errorf("teacher %q: %w", ref, notFound(err))
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
