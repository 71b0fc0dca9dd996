package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

type migrateCmd struct{}

// Run applies the migrations that are missing and names them, and moves what former versions have stored elsewhere.
func (c *migrateCmd) Run(s *session) error {
	db, err := database.Open(s.ctx, s.url())
	if err != nil {
		return err
	}
	defer db.Close()
	moves := newLoadProgress(s.stderr, "migrate")
	defer moves.finish()
	applied, err := server.MigrateAll(s.ctx, db, func(table string, done, total int64) { moves.show(stageMove+table, done, total) })
	for _, name := range applied {
		if _, err := fmt.Fprintln(s.stdout, "applied", name); err != nil {
			return err
		}
	}
	if err == nil && len(applied) == 0 {
		_, err = fmt.Fprintln(s.stdout, "the schema is up to date")
	}
	return err
}

type partnerCreateCmd struct {
	Ref  string `arg:"" help:"The partner's reference_id."`
	Name string `required:"" placeholder:"NAME" help:"The partner's name."`
}

// Run creates a partner and prints its number.
func (c *partnerCreateCmd) Run(s *session) error {
	if strings.TrimSpace(c.Name) == "" {
		return errors.New("--name must not be blank; give the partner's name")
	}
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	id, err := createPartner(s, db, c.Ref, c.Name)
	if err != nil {
		return err
	}
	return s.print(struct {
		Tenant      directory.PartnerID `json:"tenant"`
		ReferenceID string              `json:"referenceId"`
		Name        string              `json:"name"`
	}{id, c.Ref, c.Name})
}

func createPartner(s *session, db *database.DB, ref, name string) (directory.PartnerID, error) {
	id, err := directorydb.CreatePartner(s.ctx, db, directory.Ref(ref), name)
	switch {
	case errors.Is(err, directory.ErrRef):
		err = fmt.Errorf("%q is no reference; give 1 to 255 characters, neither . nor .. nor control characters", ref)
	case errors.Is(err, authdb.ErrExist):
		err = fmt.Errorf("there is a partner %q already; choose another reference", ref)
	}
	return id, err
}

type libraryCreateCmd struct {
	Slug string `arg:"" help:"The network's slug: 1 to 63 characters a-z, 0-9 and -."`
	Name string `required:"" placeholder:"NAME" help:"The network's name."`
}

// Run creates a library network and prints its number.
func (c *libraryCreateCmd) Run(s *session) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	id, err := createLibrary(s, db, c.Slug, c.Name)
	if err != nil {
		return err
	}
	return s.print(struct {
		Tenant libraries.NetworkID `json:"tenant"`
		Slug   string              `json:"slug"`
		Name   string              `json:"name"`
	}{id, c.Slug, c.Name})
}

func createLibrary(s *session, db *database.DB, slug, name string) (libraries.NetworkID, error) {
	id, err := librariesdb.CreateNetwork(s.ctx, db, slug, name)
	switch {
	case errors.Is(err, librariesdb.ErrSlug):
		err = fmt.Errorf("%q is no slug; give 1 to 63 characters a-z, 0-9 and -, with no - at either end", slug)
	case errors.Is(err, librariesdb.ErrName):
		err = fmt.Errorf("%q is no name; give 1 to 255 characters, not all of them spaces, without control characters", name)
	case errors.Is(err, authdb.ErrExist):
		err = fmt.Errorf("there is a library network %q already; choose another slug", slug)
	}
	return id, err
}
