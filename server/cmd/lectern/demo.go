package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/generate"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// The demo's networks: small enough to be there in a moment.
const (
	demoURL     = "sqlite:lectern-demo.db"
	demoPartner = "demo"
	demoNetwork = "rede-1"
	demoUsers   = 300
	demoDays    = 90
	demoSeed    = 1
)

type demoCmd struct {
	serving
	AdminAddr string `placeholder:"ADDR" help:"Address of /healthz, /readyz and /metrics (default: none)."`
}

// Run fills a demo database, unless it is filled already, and serves it with new keys. The keys of former runs are
// revoked, since no key can be shown a second time. A taken address is told before anything is made.
func (c *demoCmd) Run(s *session) error {
	ln, err := c.listen()
	if err != nil {
		return err
	}
	defer ln.Close()
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
	library, err := c.fillLibrary(s, db)
	if err != nil {
		return err
	}
	return c.serve(s, db, front{c.AdminAddr, ln, func(addr string) error {
		keys, err := newDemoKeys(s, db, partner, library)
		if err != nil {
			return err
		}
		return c.greet(s, "http://"+addr, keys)
	}})
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
	v, err := authdb.ReadHeld(s.ctx, db, auth.Tenant(p.ID))
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
	first, days := demoPeriod(s, demoDays, c.SchoolsHistory)
	_, err = generate.Schools(s.ctx, dir, generate.Params{Users: demoUsers, Days: days, Seed: demoSeed, First: first})
	if err != nil {
		return err
	}
	_, err = loadSchools(s, db, demoPartner, dir, schoolsload.Options{History: &c.SchoolsHistory})
	return err
}

// demoPeriod returns the first day of the demo's data and their number: they end yesterday, since of today what is yet to
// come must not have happened, and begin in the history.
func demoPeriod(s *session, most int, history calendar.Date) (first calendar.Date, days int) {
	last := calendar.Day(s.now()) - 1
	first = max(last-calendar.Date(most)+1, history)
	return first, max(1, int(last-first)+1)
}

// demoKeys are the keys of one run.
type demoKeys struct {
	schools   string
	libraries string
	directory directoryKey // none where there is no key for secrets
}

// newDemoKeys revokes the demo's keys and issues new ones.
func newDemoKeys(s *session, db *database.DB, p directorydb.Partner, library librariesdb.Network) (k demoKeys, err error) {
	store := s.keys(db)
	keys, err := store.List(s.ctx)
	if err != nil {
		return k, err
	}
	for _, old := range keys {
		ours := old.Tenant == auth.Tenant(p.ID) || old.Tenant == auth.Tenant(library.ID)
		if !ours || !old.Live(s.now()) {
			continue
		}
		if err := store.Revoke(s.ctx, old.ID()); err != nil {
			return demoKeys{}, err
		}
	}
	if k.libraries, err = issueLibraries(s, db, library.Slug, nil); err != nil {
		return k, err
	}
	if k.schools, err = issueSchools(s, db, p, demoNetwork, nil); err != nil {
		return k, err
	}
	k.directory, err = issueDirectory(s, db, p, time.Time{})
	if errors.Is(err, server.ErrNoSecretKey) {
		err = nil
	}
	return k, err
}

// greet prints the keys and calls that can be pasted into a shell.
func (c *demoCmd) greet(s *session, base string, k demoKeys) error {
	fmt.Fprintf(s.stdout, "Schools key of the demo network (until the next start): %s\n\n", k.schools)
	for _, route := range []string{"users?pageSize=5", "engagements?pageSize=5", "readings?pageSize=5"} {
		fmt.Fprintf(s.stdout, "curl -H 'X-Api-Key: %s' '%s%s/%s'\n", k.schools, base, schoolsapi.Prefix, route)
	}
	c.greetLibrary(s, base, k.libraries)
	if k.directory.Secret == "" {
		fmt.Fprintf(s.stdout, "\nNo directory key: %v.\n", server.ErrNoSecretKey)
	} else if err := greetPartner(s, base, k.directory); err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "\nRead and try the APIs in a browser: %s/docs\n", base)
	fmt.Fprintln(s.stdout, "\nServing; stop with Ctrl-C.")
	return nil
}

// greetPartner prints the directory key and a call of the directory, signed now.
func greetPartner(s *session, base string, k directoryKey) error {
	call := signCmd{
		Method: http.MethodGet, URL: base + directoryapi.Prefix + "/entities/" + demoNetwork + "/subtree",
		KeyID: k.AccessKeyID, Secret: secret(k.Secret),
	}
	headers, err := call.headers(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "\nDirectory key of the demo partner (until the next start): %s, secret %s\n\n", k.AccessKeyID, k.Secret)
	fmt.Fprintf(s.stdout, "curl %s %s\n", curlFlags(headers), shellQuote(call.URL))
	fmt.Fprintln(s.stdout, "\nThe signature of that call is good for 15 minutes; lectern sign makes others.")
	return nil
}
