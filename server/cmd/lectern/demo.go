package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/server/cmd/lectern/internal/demo"
	"github.com/lectern-dev/lectern/server/internal/pages/demofeed"
)

type demoCmd struct {
	serving
	AdminAddr string `placeholder:"ADDR" help:"Address of /healthz, /readyz and /metrics (default: none)."`
	Feeds     string `env:"-" placeholder:"FOLDER" help:"Write the demo's feeds into FOLDER, where lectern load all finds them, and end."`
}

// Run fills a demo database, unless it is filled already, and serves it with new keys. A taken address is told before anything is
// made.
func (c *demoCmd) Run(s *session) error {
	if c.Feeds != "" {
		return c.writeFeeds(s)
	}
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

// writeFeeds writes the demo's feeds and prints their folders.
func (c *demoCmd) writeFeeds(s *session) error {
	folders := map[string]string{}
	for _, api := range []string{"schools", "libraries"} {
		folders[api] = filepath.Join(c.Feeds, api, demo.Reference)
		err := os.MkdirAll(folders[api], 0o777)
		if err == nil {
			err = demofeed.Unpack(api, folders[api], s.now())
		}
		if err != nil {
			return fmt.Errorf("%w; name a folder that can be made or written", err)
		}
	}
	return s.print(folders)
}
