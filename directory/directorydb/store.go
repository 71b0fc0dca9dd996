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
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Store is a directory.Store on a database. It is safe for concurrent use, also by several processes.
type Store struct {
	DB     *handle.DB
	Now    func() time.Time // when references are taken, and the keys of a deleted network revoked; nil = that of handle.Clock
	Random io.Reader        // of the access tokens; nil = crypto/rand

	slots sync.Map // a chan struct{} for each directory.PartnerID, full while a write of the partner is under way
}

var _ directory.Store = (*Store)(nil)

// write runs f in a transaction that has locked the partner: what f reads stays true until the commit. It returns the
// versions of then, which are raised where f has changed something.
func (s *Store) write(ctx context.Context, partner directory.PartnerID, f func(ctx context.Context, w *Write) error) (v state.Versions, err error) {
	release, err := s.acquire(ctx, partner)
	if err != nil {
		return v, err
	}
	defer release()
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := statedb.Lock(ctx, tx, auth.Tenant(partner))
		if errors.Is(err, statedb.ErrNotFound) {
			err = fmt.Errorf("partner %d: %w: %w", partner, directory.ErrNotFound, err)
		}
		if err != nil {
			return err
		}
		w := &Write{IDB: tx, Partner: partner, Version: statedb.NextNumber(h.Registers)}
		if w.now, err = handle.Clock(ctx, tx, s.Now); err != nil {
			return err
		}
		if err := f(ctx, w); err != nil {
			return err
		}
		if w.changed {
			h.Registers = w.Version
			err = h.Publish(ctx, tx, auth.Tenant(partner), w.now)
		}
		v = h.Versions
		return err
	})
	return v, err
}

// acquire waits until no other write of the partner is under way in this process, and returns the function that lets the next
// one go on. So the writes that wait for a partner's lock, which a load may hold, take one connection of the pool at most.
func (s *Store) acquire(ctx context.Context, partner directory.PartnerID) (release func(), err error) {
	value, _ := s.slots.LoadOrStore(partner, make(chan struct{}, 1))
	slot := value.(chan struct{})
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Entity implements directory.Store.
func (s *Store) Entity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.EntityRecord, error) {
	return entityOf(ctx, s.DB, partner, ref)
}

// Teacher implements directory.Store.
func (s *Store) Teacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.AccountRecord, error) {
	return teacherOf(ctx, s.DB, partner, ref)
}
