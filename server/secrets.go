package server

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
)

// SecretKeyVariable is the environment variable in which the command line finds the key of Secrets, in base64.
const SecretKeyVariable = "LECTERN_SECRET_KEY"

// secretKeyBytes is the length of the key.
const secretKeyBytes = 32

// ErrNoSecretKey is the error if there is no key to seal and open the secrets of directory keys with.
var ErrNoSecretKey = errors.New("no key for the secrets of directory keys: set " + SecretKeyVariable +
	" to 32 random bytes in base64, the same for every process; `openssl rand -base64 32` makes them")

// Secrets seal and open the secrets of directory keys. A signature cannot be checked against a hash, so the secrets must be
// recoverable. They are stored sealed: a copy of the database opens none of them.
//
// The key to seal with is the one given. Otherwise, with SQLite, it is in a file beside the database: the database's name and
// `.key`, mode 0600. The file is created when the first directory key is issued, and belongs to the database's owner, even
// if another user issues the key. Back it up apart from the database. PostgreSQL, whose replicas share no folder, and
// sqlite::memory: have no such file: the error is ErrNoSecretKey then.
//
// Secrets are safe for concurrent use, by several processes as well.
type Secrets struct {
	db    *database.DB
	file  string // empty = none
	given bool   // the key was given

	mu  sync.Mutex
	key []byte // nil = not read yet
}

// NewSecrets returns the secrets of a database under a key of 32 bytes; nil is the key of the file. It reads nothing yet.
func NewSecrets(db *database.DB, key []byte) (*Secrets, error) {
	if key != nil && len(key) != secretKeyBytes {
		return nil, fmt.Errorf("the key for secrets has %d bytes, not %d", len(key), secretKeyBytes)
	}
	s := &Secrets{db: db, key: key, given: key != nil}
	if file := db.File(); file != "" {
		s.file = file + ".key"
	}
	return s, nil
}

// EnvironmentKey returns the key in the environment; nil if there is none. The command line has no flag for it, since other users
// of a machine can see flags.
func EnvironmentKey() ([]byte, error) {
	key, err := ParseSecretKey(os.Getenv(SecretKeyVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SecretKeyVariable, err)
	}
	return key, nil
}

// ParseSecretKey reads a key in base64, as the environment and the file have it; the empty text is nil.
func ParseSecretKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != secretKeyBytes {
		return nil, fmt.Errorf("not %d bytes in base64; `openssl rand -base64 %d` makes a key", secretKeyBytes, secretKeyBytes)
	}
	return key, nil
}

// Box returns the box for the secrets. The error is ErrNoSecretKey if there is no key yet: then no secret was sealed either.
func (s *Secrets) Box() (*auth.Box, error) { return s.box(false) }

// MakeBox is Box for a caller that is about to seal a secret: it creates the key file if there may be one and it is missing.
func (s *Secrets) MakeBox() (*auth.Box, error) { return s.box(true) }

func (s *Secrets) box(create bool) (*auth.Box, error) {
	key, err := s.load(create)
	if err != nil {
		return nil, err
	}
	return auth.NewBox(key)
}

// KeyAt names where the key is: SecretKeyVariable if it was given, the file beside the database if that exists, else nil.
func (s *Secrets) KeyAt() *string {
	at := s.file
	if s.given {
		at = SecretKeyVariable
	} else if _, err := os.Stat(at); err != nil {
		return nil
	}
	return &at
}

// Cursors returns the sealer of list cursors. Its key is derived from the key of the secrets, so that replicas agree on it and
// cursors outlive a restart.
func (s *Secrets) Cursors() (paging.Sealer, error) {
	key, err := s.load(false)
	if err != nil {
		return paging.Sealer{}, err
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "lectern cursors 1", sha256.Size)
	return paging.Sealer{Key: derived}, err
}

// load returns the key, which it reads once. With create it makes a missing file first. Of several processes, all read the key
// that the first one wrote.
func (s *Secrets) load(create bool) (key []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	key, err = s.read()
	if create && s.file != "" && errors.Is(err, ErrNoSecretKey) {
		fresh := make([]byte, secretKeyBytes)
		rand.Read(fresh) // never fails
		if err := s.db.WriteBeside(s.file, base64.StdEncoding.EncodeToString(fresh)+"\n"); err != nil {
			return nil, fmt.Errorf("key file %s: %w", s.file, err)
		}
		key, err = s.read()
	}
	s.key = key
	return key, err
}

// read reads the file.
func (s *Secrets) read() ([]byte, error) {
	if s.file == "" {
		return nil, ErrNoSecretKey
	}
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoSecretKey
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("key file: %w; give it to the user of this process, as the database is", err)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	key, err := ParseSecretKey(string(text))
	if err == nil && key == nil {
		err = errors.New("is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", s.file, err)
	}
	return key, nil
}

// Verify returns an error if a live directory key cannot be opened: New refuses to serve then, since every request with the key
// would be refused. now is the clock, nil that of authdb. Keys on a node that does not answer are not checked; if all others can
// be opened, the error is that of EachNode.
func (s *Secrets) Verify(ctx context.Context, now func() time.Time) error {
	store := &authdb.Store{DB: s.db.DB, Now: now}
	tenants, err := snapshotdb.Numbers(ctx, s.db.DB)
	if err != nil {
		return err
	}
	var keys []authdb.SealedKey
	err = s.db.EachNode(ctx, tenants, func(of []auth.Tenant) error {
		list, err := store.SealedKeys(ctx, of...)
		keys = append(keys, list...)
		return err
	})
	if err != nil && database.LeftOut(err) == nil {
		return err
	}
	return cmp.Or(s.open(keys), err)
}

// open returns an error if one of the keys cannot be opened.
func (s *Secrets) open(keys []authdb.SealedKey) error {
	if len(keys) == 0 {
		return nil
	}
	box, err := s.Box()
	if err != nil {
		return fmt.Errorf("directory key %s: %w", keys[0].Key.ID(), err)
	}
	for _, k := range keys {
		if _, err := box.Open(k.Key.ID(), k.Sealed); err != nil {
			return fmt.Errorf("secret of key %s: %w; is %s, or the key file beside the database, the one it was issued with? "+
				"If that one is lost, revoke key %s and issue another", k.Key.ID(), err, SecretKeyVariable, k.Key.ID())
		}
	}
	return nil
}
