package authdb

import (
	"crypto/rand"
	"embed"
	"errors"
	"io"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// Migrations are the tables of this package, in migrations/postgres and
// migrations/sqlite.
//
//go:embed migrations
var Migrations embed.FS

// The errors of this package, to be told with errors.Is.
var (
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

// Store keeps keys. It is safe for concurrent use.
type Store struct {
	DB     *handle.DB
	Now    func() time.Time // nil = the clock of the package's doc
	Random io.Reader        // of the secrets; nil = crypto/rand

	// Box seals the secret of a directory key that is issued or rotated. Nil = such a
	// key is neither, and the error is auth.ErrBox.
	Box *auth.Box
}

func (s *Store) random() io.Reader {
	if s.Random != nil {
		return s.Random
	}
	return rand.Reader
}
