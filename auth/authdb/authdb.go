package authdb

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"io"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Migrations are the tables of this package, in migrations/postgres and
// migrations/sqlite.
//
//go:embed migrations
var Migrations embed.FS

// The errors of this package, to be told with errors.Is.
var (
	ErrExist    = errors.New("already exists")
	ErrNotFound = errors.New("not found")

	// ErrKey says that a key is not good for a request. Errors wrap it and say why,
	// without the key's text. That is for the log: the client may not learn it (G3).
	ErrKey = errors.New("no valid key")

	// ErrDead says that a key has expired or is revoked, so that it cannot be rotated.
	ErrDead = errors.New("key is expired or revoked")

	// ErrRotated says that a key has a successor, so that it cannot be rotated again.
	ErrRotated = errors.New("key has a successor")

	// ErrExpiry says that a key was to expire before it exists.
	ErrExpiry = errors.New("expiry is not in the future")
)

// Store keeps tenants and keys. It is safe for concurrent use.
type Store struct {
	DB     *handle.DB
	Now    func() time.Time // nil = the clock of the package's doc
	Random io.Reader        // of the secrets; nil = crypto/rand

	// Box seals the secret of a directory key that is issued or rotated. Nil = such a
	// key is neither, and the error is auth.ErrBox.
	Box *auth.Box
}

// Clock reads the time, in whole microseconds, which both engines keep: that of the package's doc, unless Now is set.
func (s *Store) Clock(ctx context.Context, idb bun.IDB) (time.Time, error) {
	if s.Now != nil || !postgres(idb) {
		return s.processClock(), nil
	}
	var now time.Time
	err := idb.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &now)
	return now.UTC(), err
}

// NowColumn is the clock as a column of a statement, for who reads it together with other things; NowRead makes of it the time.
func (s *Store) NowColumn() string {
	if s.Now == nil && postgres(s.DB) {
		return `clock_timestamp()`
	}
	return `NULL`
}

// NowRead returns the time of what NowColumn gave, the zero time for null.
func (s *Store) NowRead(column time.Time) time.Time {
	if column.IsZero() {
		return s.processClock()
	}
	return column.UTC()
}

// processClock is the clock where it is not the database's.
func (s *Store) processClock() time.Time {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return now().UTC().Truncate(time.Microsecond)
}

func (s *Store) random() io.Reader {
	if s.Random != nil {
		return s.Random
	}
	return rand.Reader
}

func postgres(idb bun.IDB) bool { return idb.Dialect().Name() == dialect.PG }
