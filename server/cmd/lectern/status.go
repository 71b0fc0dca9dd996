package main

import (
	"cmp"
	"errors"
	"io"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// statusCmd reads no environment variables that would choose tenants.
type statusCmd struct {
	Partner string `env:"-" placeholder:"REF" help:"Show only this partner."`
	Library string `env:"-" placeholder:"SLUG" help:"Show only this library network."`
	JSON    bool   `name:"json" help:"Print a line of JSON for each tenant."`
}

// Validate refuses two tenants.
func (c *statusCmd) Validate() error {
	if c.Partner != "" && c.Library != "" {
		return errors.New("give --partner REF or --library SLUG, or neither for all")
	}
	return nil
}

// Run prints the status of every tenant, or of one, by number. If a node does not answer, the error follows the tenants of the
// other nodes.
func (c *statusCmd) Run(s *session) error {
	db, err := s.openExisting(upToDate)
	if err != nil {
		return err
	}
	tenants, err := c.tenants(s, db)
	if err != nil {
		return err
	}
	all, left := s.status(db).Tenants(s.ctx, tenants)
	return list(s, all, left, c.JSON, status.WriteTenants)
}

// list prints rows as a table, or as one JSON object a line. left is the error for what could not be read: list returns it at the
// end.
func list[T any](s *session, found []T, left error, asJSON bool, table func(io.Writer, []T) error) error {
	if left != nil && len(found) == 0 {
		return left
	}
	if !asJSON {
		return cmp.Or(table(s.stdout, found), left)
	}
	for _, v := range found {
		if err := s.print(v); err != nil {
			return err
		}
	}
	return left
}

// tenants returns the tenants that the flags choose.
func (c *statusCmd) tenants(s *session, db *database.DB) ([]snapshotdb.Tenant, error) {
	kind, reference := snapshotdb.Partner, c.Partner
	switch {
	case c.Library != "":
		kind, reference = snapshotdb.Library, c.Library
	case c.Partner == "":
		return snapshotdb.Tenants(s.ctx, db)
	}
	t, err := s.tenant(db, kind, reference)
	return []snapshotdb.Tenant{t}, err
}
