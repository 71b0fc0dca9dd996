package authdb

import (
	"embed"
	"errors"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// Migrations creates the tables of this package, in migrations/postgres and migrations/sqlite.
//
//go:embed migrations
var Migrations embed.FS

// The errors of this package. Test for them with errors.Is.
var (
	ErrNotFound = errors.New("not found")

	// ErrKey says that a key is not valid for a request. Errors wrap it and say why, without the key's text. The reason
	// is for the log: the client must not learn it (G3).
	ErrKey = errors.New("no valid key")

	// ErrDead says that a key has expired or is revoked, so that it cannot be rotated.
	ErrDead = errors.New("key is expired or revoked")

	// ErrRotated says that a key has a successor, so that it cannot be rotated again.
	ErrRotated = errors.New("key has a successor")

	// ErrExpiry says that a new key would already have expired.
	ErrExpiry = errors.New("expiry is not in the future")
)

// Store stores keys. It is safe for concurrent use.
type Store struct {
	DB  *handle.DB
	Now func() time.Time // nil = the clock that the package doc describes

	// Box seals the secret of a directory key that is issued or rotated. If it is nil, both return auth.ErrBox.
	Box *auth.Box
}
