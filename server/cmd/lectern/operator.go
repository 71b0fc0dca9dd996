package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

type migrateCmd struct{}

// Run applies the migrations that are missing and names them.
func (c *migrateCmd) Run(s *session) error {
	db, err := database.Open(s.ctx, s.url())
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := db.Migrate(s.ctx, server.Schema()...)
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
	Name string `required:"" help:"The partner's name."`
}

// Validate refuses a partner without a name.
func (c *partnerCreateCmd) Validate() error {
	if strings.TrimSpace(c.Name) == "" {
		return errors.New("--name must not be blank")
	}
	return nil
}

// Run creates a partner and prints its number.
func (c *partnerCreateCmd) Run(s *session) error {
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
