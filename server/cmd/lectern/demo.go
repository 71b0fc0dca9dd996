package main

import (
	"cmp"

	"github.com/lectern-dev/lectern/server/internal/demo"
)

type demoCmd struct {
	serving
	AdminAddr string `placeholder:"ADDR" help:"Address of /healthz, /readyz and /metrics (default: none)."`
}

// Run fills a demo database, unless it is filled already, and serves it with new keys. A taken address is told before anything is
// made.
func (c *demoCmd) Run(s *session) error {
	ln, err := c.listen()
	if err != nil {
		return err
	}
	defer ln.Close()
	s.url = cmp.Or(s.url, "sqlite:lectern-demo.db")
	db, err := s.open(migrated)
	if err != nil {
		return err
	}
	d := &demo.Demo{Loader: s.loader(db), Keys: s.keys(db)}
	if err := d.Fill(s.ctx, c.SchoolsHistory, c.LibrariesHistory); err != nil {
		return err
	}
	return c.serve(s, db, front{c.AdminAddr, ln, func(addr string) error {
		issuer, err := s.issuer(db)
		if err != nil {
			return err
		}
		return d.Greet(s.ctx, s.stdout, issuer, "http://"+addr)
	}})
}
