package directorydb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
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
	DB  *handle.DB
	Now func() time.Time // nil = the clock of handle.Clock

	slots sync.Map // a chan struct{} of each directory.PartnerID, full during a write of the partner
}

var _ directory.Store = (*Store)(nil)

// write runs f in a transaction that has locked the partner, so that what f reads stays true until the commit. It
// raises the version if f has changed something, and returns the current versions.
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

// acquire waits until no other write of the partner is under way in this process, and returns a function that ends the
// write. Without it, all writes that wait for a partner's lock, which a load may hold, would occupy connections of the
// pool.
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

// Migrations creates the tables of this package, in migrations/postgres and migrations/sqlite. It comes after those of
// authdb and snapshotdb.
//
//go:embed migrations
var Migrations embed.FS

// Partner is the row of a partner, which the operator creates.
type Partner struct {
	bun.BaseModel `bun:"table:partners"`

	ID   directory.PartnerID `bun:"tenant_id,pk"`
	Ref  directory.Ref       `bun:"reference_id"`
	Name string

	// The last numbers given to an entity and to an account, 0 before the first.
	LastEntity directory.EntityID `bun:"last_entity_id"`
	LastUser   directory.UserID   `bun:"last_user_id"`
}

// CreatePartner adds a partner and returns its number. It runs in a transaction of its own, or as part of the caller's.
// The error is snapshotdb.ErrExist if the reference is taken, and directory.ErrRef if it is not valid.
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
		if errors.Is(err, sql.ErrNoRows) {
			err = directory.ErrNotFound
		}
		return Partner{}, fmt.Errorf("partner %d: %w", id, err)
	}
	return p, nil
}

// ErrCounters says that a counter would go back, so that a number would be given twice (S1).
var ErrCounters = errors.New("a counter cannot go back")

// SetCounters sets the last numbers given. The error is ErrCounters if one is lower than the stored one, and
// directory.ErrNotFound if the partner does not exist.
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
