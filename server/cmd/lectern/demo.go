package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/commandline"
	"github.com/lectern-dev/lectern/server/internal/demofeed"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/explore"
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
)

// The demo's tenants: small enough to be there in a moment.
const (
	demoURL     = "sqlite:lectern-demo.db"
	demoRef     = "demo" // of the partner and of the library network
	demoName    = "Demonstração"
	demoNetwork = "rede-1"
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
	s.url = cmp.Or(s.url, demoURL)
	db, err := s.open(migrated)
	if err != nil {
		return err
	}
	partner, err := s.fill(db, authdb.Partner, "schools", c.SchoolsHistory)
	if err != nil {
		return err
	}
	library, err := s.fill(db, authdb.Library, "libraries", c.LibrariesHistory) // holds at once, as the first load (L1)
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

// fill returns the demo's tenant of a kind. It creates it where it is missing, and loads the demo's feed of an API where it has
// no data. The feed ends with yesterday: of today, what is yet to come must not have happened. What of it is before the history
// is left out, as of any feed.
func (s *session) fill(db *database.DB, kind authdb.Kind, api string, history calendar.Date) (authdb.Tenant, error) {
	t, err := s.keys(db).Tenant(s.ctx, kind, demoRef)
	if errors.Is(err, authdb.ErrNotFound) {
		t = authdb.Tenant{Kind: kind, Reference: demoRef}
		t.ID, err = s.createTenant(db, kind, demoRef, demoName)
	}
	if err != nil {
		return t, err
	}
	v, err := authdb.ReadHeld(s.ctx, db, t.ID)
	if err != nil || v.Facts > 0 {
		return t, err
	}
	dir, err := os.MkdirTemp("", "lectern-demo-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	if err := demofeed.Unpack(api, dir, calendar.Day(s.now())-1); err != nil {
		return t, err
	}
	_, err = loading{}.load(s, db, t, source{folder: dir, history: history})
	return t, err
}

// demoKeys are the keys of one run.
type demoKeys struct {
	schools, libraries issuedKey
	directory          issuedKey // none where there is no key for secrets
}

// newDemoKeys revokes the demo's keys and issues new ones.
func newDemoKeys(s *session, db *database.DB, partner, library authdb.Tenant) (k demoKeys, err error) {
	store := s.keys(db)
	keys, err := store.List(s.ctx)
	if err != nil {
		return k, err
	}
	for _, old := range keys {
		ours := old.Tenant == partner.ID || old.Tenant == library.ID
		if !ours || !old.Live(s.now()) {
			continue
		}
		if err := store.Revoke(s.ctx, old.ID()); err != nil {
			return demoKeys{}, err
		}
	}
	if k.libraries, err = s.issueKey(db, server.KeyParams{Tenant: library.ID, API: auth.Libraries}); err != nil {
		return k, err
	}
	if k.schools, err = s.issueKey(db, server.KeyParams{Tenant: partner.ID, API: auth.Schools, Network: demoNetwork}); err != nil {
		return k, err
	}
	k.directory, err = s.issueKey(db, server.KeyParams{Tenant: partner.ID, API: auth.Directory})
	if errors.Is(err, server.ErrNoSecretKey) {
		err = nil
	}
	return k, err
}

// greet prints the keys and calls that can be pasted into a shell. That of the datasets calls each of them, since curl itself expands
// the braces.
func (c *demoCmd) greet(s *session, base string, k demoKeys) error {
	yesterday := calendar.Day(s.now()) - 1
	for _, api := range []struct {
		name, of, prefix, key string
		routes                []string
	}{
		{"Schools", "network", schoolsapi.Prefix, k.schools.APIKey, []string{"users?pageSize=5", "engagements?pageSize=5", "readings?pageSize=5"}},
		{"Libraries", "library network", librariesapi.Prefix, k.libraries.APIKey, []string{
			"summary?groupBy=library",
			fmt.Sprintf("engagements?startDate=%v&endDate=%v&pageSize=5", yesterday-6, yesterday),
			"users?pageSize=5",
			"datasets/{books,stock,loans,reservations,logins,channels,suggestions,suggestion-requests}?pageSize=5",
			"dimensions",
		}},
	} {
		fmt.Fprintf(s.stdout, "%s key of the demo %s (until the next start): %s\n\n", api.name, api.of, api.key)
		for _, route := range api.routes {
			fmt.Fprintf(s.stdout, "curl -H 'X-Api-Key: %s' '%s%s/%s'\n", api.key, base, api.prefix, route)
		}
		fmt.Fprintln(s.stdout)
	}
	if k.directory.Secret == "" {
		fmt.Fprintf(s.stdout, "No directory key: %v.\n", server.ErrNoSecretKey)
	} else if err := greetPartner(s, base, k.directory); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "\nLook at the numbers in a browser; the keys are in the links, and are not sent with the address:")
	fmt.Fprintf(s.stdout, "%s\n%s\n", exploreLink(base, "schools", k.schools.APIKey), exploreLink(base, "libraries", k.libraries.APIKey))
	fmt.Fprintf(s.stdout, "\nRead and try the APIs in a browser: %s/docs\n", base)
	fmt.Fprintln(s.stdout, "\n"+demofeed.Credit)
	fmt.Fprintln(s.stdout, "\nServing; stop with Ctrl-C.")
	return nil
}

// exploreLink opens the page of the numbers with a key. It is in the fragment, which no browser sends and no server logs.
func exploreLink(base, report, key string) string {
	return base + explore.Path + "#key=" + key + "&report=" + report
}

// greetPartner prints the directory key and a call of the directory, signed now.
func greetPartner(s *session, base string, k issuedKey) error {
	call := signCmd{
		Method: http.MethodGet, URL: base + directoryapi.Prefix + "/entities/" + demoNetwork + "/subtree",
		KeyID: k.AccessKeyID, Secret: commandline.Secret(k.Secret),
	}
	headers, err := call.headers(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "Directory key of the demo partner (until the next start): %s, secret %s\n\n", k.AccessKeyID, k.Secret)
	fmt.Fprintf(s.stdout, "curl %s %s\n", curlFlags(headers), shellQuote(call.URL))
	fmt.Fprintln(s.stdout, "\nThe signature of that call is good for 15 minutes; lectern sign makes others.")
	return nil
}
