package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/operate/degrees"
)

type migrateCmd struct {
	Distribute shards `env:"-" placeholder:"SHARDS" help:"Also distribute the tables over the nodes of a Citus cluster, by tenant, in this many shards (--distribute=64; default 32)."`
}

// Run applies the missing migrations and prints their names. With --distribute it also distributes the tables and prints their
// names.
func (c *migrateCmd) Run(s *session) error {
	db, err := s.open(nil)
	if err != nil {
		return err
	}
	applied, err := server.Migrate(s.ctx, db)
	err = cmp.Or(s.list("applied", applied), err)
	if err == nil && len(applied) == 0 {
		_, err = fmt.Fprintln(s.stdout, "the schema is up to date")
	}
	if err != nil || !c.Distribute.Asked {
		return err
	}
	tables, err := db.Distribute(s.ctx, c.Distribute.Number, server.Schema()...)
	if err = cmp.Or(s.list("distributed", tables), err); err != nil {
		return err
	}
	return s.warnOfNodes(db)
}

// list prints one line for each thing that was done.
func (s *session) list(done string, names []string) error {
	for _, name := range names {
		if _, err := fmt.Fprintln(s.stdout, done, name); err != nil {
			return err
		}
	}
	return nil
}

// warnOfNodes warns about what keeps tenants from being moved between the nodes of a cluster, and prints the number of shards.
func (s *session) warnOfNodes(db *database.DB) error {
	stuck, err := db.Unmovable(s.ctx)
	for _, a := range stuck {
		s.warn(a.Wrong + "; " + a.Do)
	}
	spread, err1 := db.Spread(s.ctx, server.Schema()...)
	if err = cmp.Or(err, err1); err == nil {
		_, err = fmt.Fprintf(s.stdout, "the tables are distributed by tenant into %d shards\n", spread.Shards)
	}
	return err
}

// create creates a tenant in the database, which is made if it is missing.
func (s *session) create(kind snapshotdb.Kind, reference, name string) (snapshotdb.Tenant, error) {
	db, err := s.open(migrated)
	if err != nil {
		return snapshotdb.Tenant{}, err
	}
	return server.Create(s.ctx, db, kind, reference, name)
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
	t, err := s.create(snapshotdb.Partner, c.Ref, c.Name)
	if err != nil {
		return err
	}
	return s.print(struct {
		Tenant      auth.Tenant `json:"tenant"`
		ReferenceID string      `json:"referenceId"`
		Name        string      `json:"name"`
	}{t.ID, c.Ref, c.Name})
}

type libraryCreateCmd struct {
	Slug string `arg:"" help:"The network's slug: 1 to 63 characters a-z, 0-9 and -."`
	Name string `required:"" placeholder:"NAME" help:"The network's name."`
}

// Run creates a library network and prints its number.
func (c *libraryCreateCmd) Run(s *session) error {
	t, err := s.create(snapshotdb.Library, c.Slug, c.Name)
	if err != nil {
		return err
	}
	return s.print(struct {
		Tenant auth.Tenant `json:"tenant"`
		Slug   string      `json:"slug"`
		Name   string      `json:"name"`
	}{t.ID, c.Slug, c.Name})
}

type degreesCmd struct {
	File    string `arg:"" optional:"" help:"The new vocabulary: a .csv or .ndjson file (also .gz or .zst) with code, stage and grade."`
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
}

// Run prints the vocabulary, or replaces it by that of a file and reports which degrees that leaves behind.
func (c *degreesCmd) Run(s *session) error {
	if c.File == "" {
		return c.show(s)
	}
	ds, err := degrees.Read(s.ctx, c.File)
	if err != nil {
		return err
	}
	db, p, err := s.openTenant(migrated, snapshotdb.Partner, c.Partner)
	if err != nil {
		return err
	}
	v, left, err := (&directorydb.Store{DB: db.DB, Now: s.clock}).PutDegrees(s.ctx, directory.PartnerID(p.ID), ds)
	if err != nil {
		return err
	}
	done := degrees.Describe(ds, v, left)
	if len(left) > 0 {
		fmt.Fprintf(s.stderr, "lectern: note: entities keep degrees that %s has not: %v; they show no stage and grade, "+
			"and a feed that still names such a degree has bad rows\n", c.File, done)
	}
	return s.print(done)
}

// show prints the current vocabulary as a file that could replace it.
func (c *degreesCmd) show(s *session) error {
	db, p, err := s.openTenant(upToDate, snapshotdb.Partner, c.Partner)
	if err != nil {
		return err
	}
	ds, err := directorydb.Latest(db, directory.PartnerID(p.ID)).Degrees(s.ctx)
	if err != nil {
		return err
	}
	return degrees.Write(s.stdout, ds)
}
