package directorydb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
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
func (s *Store) write(ctx context.Context, partner directory.PartnerID, f func(ctx context.Context, w *Write) error) (v snapshot.Versions, err error) {
	release, err := s.acquire(ctx, partner)
	if err != nil {
		return v, err
	}
	defer release()
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := snapshotdb.Lock(ctx, tx, auth.Tenant(partner))
		if errors.Is(err, snapshotdb.ErrNotFound) {
			err = fmt.Errorf("partner %d: %w: %w", partner, directory.ErrNotFound, err)
		}
		if err != nil {
			return err
		}
		w := &Write{IDB: tx, Partner: partner, Version: snapshotdb.NextNumber(h.Registers)}
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

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite. They come after authdb's and snapshotdb's.
//
//go:embed migrations
var Migrations embed.FS

// Partner is an account that the operator created.
type Partner struct {
	bun.BaseModel `bun:"table:partners"`

	ID   directory.PartnerID `bun:"tenant_id,pk"`
	Ref  directory.Ref       `bun:"reference_id"`
	Name string

	// The last numbers that were given to an entity and to an account, 0 before the first.
	LastEntity directory.EntityID `bun:"last_entity_id"`
	LastUser   directory.UserID   `bun:"last_user_id"`
}

// CreatePartner adds a partner, in a transaction of its own or as a part of the caller's, and returns its number. The
// error is snapshotdb.ErrExist where there is a partner of that reference, and directory.ErrRef where it cannot be one.
func CreatePartner(ctx context.Context, idb bun.IDB, ref directory.Ref, name string) (directory.PartnerID, error) {
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return 0, fmt.Errorf("partner %q: %w", ref, err)
	}
	if err := directory.CheckText(name); err != nil {
		return 0, fmt.Errorf("partner %q: name: %w", ref, err)
	}
	p := &Partner{Ref: ref, Name: name}
	err := idb.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tenant, err := snapshotdb.CreateTenant(ctx, tx, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: string(ref), Name: name})
		if err != nil {
			return err
		}
		p.ID = directory.PartnerID(tenant)
		_, err = tx.NewInsert().Model(p).Exec(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("create partner: %w", err)
	}
	return p.ID, nil
}

// PartnerByID returns the partner of a number, or directory.ErrNotFound.
func PartnerByID(ctx context.Context, idb bun.IDB, id directory.PartnerID) (Partner, error) {
	p := Partner{ID: id}
	if err := idb.NewSelect().Model(&p).WherePK().Scan(ctx); err != nil {
		return Partner{}, fmt.Errorf("partner %d: %w", id, notFound(err))
	}
	return p, nil
}

// ErrCounters says that a counter was to go back, so that a number would be given twice (S1).
var ErrCounters = errors.New("a counter cannot go back")

// SetCounters sets the last numbers given out. The error is ErrCounters where one is lower than the stored one, and
// directory.ErrNotFound where there is no such partner.
func (w *Write) SetCounters(ctx context.Context, entity directory.EntityID, user directory.UserID) error {
	result, err := w.NewUpdate().Model(&Partner{LastEntity: entity, LastUser: user}).Column("last_entity_id", "last_user_id").
		Where("tenant_id = ? AND last_entity_id <= ? AND last_user_id <= ?", w.Partner, entity, user).Exec(ctx)
	if err != nil {
		return fmt.Errorf("counters of partner %d: %w", w.Partner, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if _, err := PartnerByID(ctx, w, w.Partner); err != nil {
		return err
	}
	return fmt.Errorf("counters of partner %d to %d, %d: %w", w.Partner, entity, user, ErrCounters)
}

// notFound turns the error for no row into the directory's.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return directory.ErrNotFound
	}
	return err
}
