package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// url is the database that a command works on.
func (s *session) url() string { return cmp.Or(s.db, server.DefaultURL) }

// open opens the database and brings its schema up to date, for commands that write.
func (s *session) open() (*database.DB, error) {
	db, err := database.Open(s.ctx, s.url())
	if err != nil {
		return nil, err
	}
	if _, err := server.Migrate(s.ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// openExisting is open of a database that must be there, so that a mistyped name does not make an empty one.
func (s *session) openExisting() (*database.DB, error) {
	if err := s.exists(); err != nil {
		return nil, err
	}
	return s.open()
}

// exists returns an error where the database is a file that is not there.
func (s *session) exists() error {
	file, ok := strings.CutPrefix(s.url(), "sqlite:")
	file, _, _ = strings.Cut(file, "?")
	if file == "" {
		return nil // to open it says what is wrong
	}
	if _, err := os.Stat(file); ok && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("database %s does not exist; name another with --db, or run lectern migrate", s.url())
	}
	return nil
}

// openCurrent opens a database that must have the present schema, for commands that only read.
func (s *session) openCurrent() (*database.DB, error) {
	if err := s.exists(); err != nil {
		return nil, err
	}
	db, err := database.Open(s.ctx, s.url())
	if err != nil {
		return nil, err
	}
	current, err := db.SchemaCurrent(s.ctx, server.Schema()...)
	if err == nil && !current {
		err = fmt.Errorf("the schema of %s is not up to date; run lectern migrate", database.Redact(s.url()))
	}
	if err == nil {
		err = server.Moved(s.ctx, db)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// partner returns the partner with a reference.
func (s *session) partner(db *database.DB, ref string) (directorydb.Partner, error) {
	p, err := directorydb.PartnerByRef(s.ctx, db, directory.Ref(ref))
	if errors.Is(err, directory.ErrNotFound) {
		err = fmt.Errorf("there is no partner %q; create it with lectern partner create", ref)
	}
	return p, err
}

// library returns the library network with a slug.
func (s *session) library(db *database.DB, slug string) (librariesdb.Network, error) {
	n, err := librariesdb.NetworkBySlug(s.ctx, db, slug)
	if errors.Is(err, librariesdb.ErrNotFound) {
		err = fmt.Errorf("there is no library network %q; create it with lectern library create", slug)
	}
	return n, err
}

// openPartner opens a database by open and returns it with the partner of a reference in it.
func (s *session) openPartner(open func() (*database.DB, error), ref string) (*database.DB, directorydb.Partner, error) {
	db, err := open()
	if err != nil {
		return nil, directorydb.Partner{}, err
	}
	p, err := s.partner(db, ref)
	if err != nil {
		db.Close()
		return nil, p, err
	}
	return db, p, nil
}

// keys returns the store of keys and tenants.
func (s *session) keys(db *database.DB) *authdb.Store { return &authdb.Store{DB: db.DB, Now: s.clock} }

// print writes v as one line of JSON to stdout.
func (s *session) print(v any) error {
	enc := json.NewEncoder(s.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
