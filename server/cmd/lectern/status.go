package main

import (
	"cmp"

	"github.com/lectern-dev/lectern/server/internal/status"
)

type statusCmd struct {
	JSON bool `name:"json" help:"One JSON object a line, for each tenant."`
}

// Run tells the state of every tenant, one after the other, by number.
func (c *statusCmd) Run(s *session, db current) error {
	var all []status.Tenant
	err := s.status(db.DB).Each(s.ctx, func(t status.Tenant) error {
		if c.JSON {
			return s.print(t)
		}
		all = append(all, t)
		return nil
	})
	if c.JSON || len(all) == 0 && err != nil {
		return err
	}
	return cmp.Or(status.WriteTenants(s.stdout, all), err)
}
