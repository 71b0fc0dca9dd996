package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/generate"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
)

// The demo's network: small enough to be there in a moment.
const (
	demoURL     = "sqlite:lectern-demo.db"
	demoPartner = "demo"
	demoNetwork = "rede-1"
	demoUsers   = 300
	demoDays    = 90
	demoSeed    = 1
)

type demoCmd struct{ serving }

// Run fills a demo database, unless it is filled already, and serves it with a new key. The keys of former runs are
// revoked, since no key can be shown a second time.
func (c *demoCmd) Run(s *session) error {
	s.db = cmp.Or(s.db, demoURL)
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	partner, err := c.fill(s, db)
	if err != nil {
		return err
	}
	return c.serve(s, db, func(addr string) error {
		key, err := newDemoKey(s, db, partner)
		if err != nil {
			return err
		}
		c.greet(s, addr, key)
		return nil
	})
}

// fill creates the demo's partner and loads its data, whichever of the two is missing.
func (c *demoCmd) fill(s *session, db *database.DB) (directorydb.Partner, error) {
	p, err := directorydb.PartnerByRef(s.ctx, db, demoPartner)
	if errors.Is(err, directory.ErrNotFound) {
		if _, err = createPartner(s, db, demoPartner, "Demonstração"); err == nil {
			p, err = directorydb.PartnerByRef(s.ctx, db, demoPartner)
		}
	}
	if err != nil {
		return p, err
	}
	v, err := authdb.ReadVersions(s.ctx, db, auth.Tenant(p.ID))
	if err != nil || v.Facts > 0 {
		return p, err
	}
	return p, c.load(s, db)
}

// load generates the demo's feed into a temporary folder and loads it.
func (c *demoCmd) load(s *session, db *database.DB) error {
	dir, err := os.MkdirTemp("", "lectern-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	last := calendar.Day(s.now()) - 1 // of today, what is yet to come must not have happened
	first := max(last-demoDays+1, c.SchoolsHistory)
	_, err = generate.Schools(s.ctx, dir, generate.SchoolsParams{
		Users: demoUsers, Days: max(1, int(last-first)+1), Seed: demoSeed, First: first,
	})
	if err != nil {
		return err
	}
	_, err = loadSchools(s, db, demoPartner, dir, c.history, "")
	return err
}

// newDemoKey revokes the demo's keys and issues one.
func newDemoKey(s *session, db *database.DB, p directorydb.Partner) (string, error) {
	store := s.keys(db)
	keys, err := store.List(s.ctx)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if k.Tenant != auth.Tenant(p.ID) || !k.Live(s.now()) {
			continue
		}
		if err := store.Revoke(s.ctx, k.ID()); err != nil {
			return "", err
		}
	}
	return issueSchools(s, db, p, demoNetwork, nil)
}

// greet prints the key and calls that can be pasted into a shell.
func (c *demoCmd) greet(s *session, addr, key string) {
	fmt.Fprintf(s.stdout, "Schools key of the demo network (until the next start): %s\n\n", key)
	for _, route := range []string{"users?pageSize=5", "engagements?pageSize=5", "readings?pageSize=5"} {
		fmt.Fprintf(s.stdout, "curl -H 'X-Api-Key: %s' 'http://%s%s/%s'\n", key, addr, schoolsapi.Prefix, route)
	}
	fmt.Fprintln(s.stdout, "\nServing; stop with Ctrl-C.")
}
