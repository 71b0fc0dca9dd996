package directorydb

import (
	"context"
	"io"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// Store is a directory.Store on a database. It is safe for concurrent use, also by several processes.
type Store struct {
	DB     *bun.DB
	Now    func() time.Time // when references are taken, and the keys of a deleted network revoked; nil = authdb's clock
	Random io.Reader        // of the access tokens; nil = crypto/rand

	groups groups
}

var _ directory.Store = (*Store)(nil)

// written does a write: the job's is told what a look has shown, and may be asked again, should something have changed since. So
// all writes of a partner, and its loads, follow one another, and what it sees is true until it ends. It returns the versions of
// then; they are raised where something was changed.
func (s *Store) written(ctx context.Context, a ask, write func(ctx context.Context, w *Write, saw sight) error) (authdb.Versions, error) {
	j := &job{ask: a, ctx: ctx, write: write}
	if err := s.do(j); err != nil {
		return authdb.Versions{}, err
	}
	return j.versions, nil
}

// Entity implements directory.Store.
func (s *Store) Entity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.EntityRecord, error) {
	saw, err := s.look(ctx, s.DB.DB.QueryContext, ask{partner: partner, entity: ref})
	if err != nil {
		return directory.EntityRecord{}, err
	}
	return saw.entityOf(ref)
}

// Teacher implements directory.Store.
func (s *Store) Teacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (directory.AccountRecord, error) {
	saw, err := s.look(ctx, s.DB.DB.QueryContext, ask{partner: partner, teacher: ref})
	if err != nil {
		return directory.AccountRecord{}, err
	}
	return saw.teacherOf(ref)
}
