package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/pages/demofeed"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
)

const (
	demoReference = "demo" // of the demo's partner and of its library network
	demoName      = "Demonstração"
	demoNetwork   = "rede-1" // the partner's school network, which the feed names
)

type demoCmd struct {
	serving
	AdminAddr string `placeholder:"ADDR" help:"Address of /healthz, /readyz and /metrics (default: none)."`
	Feeds     string `env:"-" placeholder:"FOLDER" help:"Write the demo's feeds into FOLDER, for lectern load all, and exit."`
}

// Run fills a demo database, unless it is filled already, and serves it with new keys. It listens first, so that a taken address is
// reported before anything is made.
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
	partner, err := c.fill(s, db, snapshotdb.Partner, "schools", c.SchoolsHistory)
	if err != nil {
		return err
	}
	library, err := c.fill(s, db, snapshotdb.Library, "libraries", c.LibrariesHistory) // published at once, as a first load is (L1)
	if err != nil {
		return err
	}
	return c.serve(s, db, front{c.AdminAddr, ln, func(addr string) error {
		issuer, err := s.issuer(db)
		if err != nil {
			return err
		}
		if err := revokeAll(s, issuer.Keys, partner.ID, library.ID); err != nil {
			return err
		}
		return greet(s, issuer, partner.ID, library.ID, "http://"+addr)
	}})
}

// writeFeeds writes the demo's feeds and prints their folders.
func (c *demoCmd) writeFeeds(s *session) error {
	folders := map[string]string{}
	for _, api := range []string{"schools", "libraries"} {
		folders[api] = filepath.Join(c.Feeds, api, demoReference)
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

// fill returns the demo's tenant of a kind. It creates the tenant if it is missing, and loads the feed of an API if it has no data.
// Rows before the history are left out, as of any feed.
func (c *demoCmd) fill(s *session, db *database.DB, kind snapshotdb.Kind, api string, history calendar.Date) (snapshotdb.Tenant, error) {
	t, err := snapshotdb.TenantOf(s.ctx, db, kind, demoReference)
	if errors.Is(err, snapshotdb.ErrNotFound) {
		t, err = server.Create(s.ctx, db, kind, demoReference, demoName)
	}
	if err != nil {
		return t, err
	}
	v, err := snapshotdb.ReadCurrent(s.ctx, db, t.ID)
	if err != nil || v.Facts > 0 {
		return t, err
	}
	dir, err := os.MkdirTemp("", "lectern-demo-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	if err := demofeed.Unpack(api, dir, s.now()); err != nil {
		return t, err
	}
	_, err = s.load(db, t, dir, server.LoadOptions{History: &history})
	return t, err
}

// revokeAll revokes the keys of earlier runs: new ones are issued, since no key can be shown a second time.
func revokeAll(s *session, keys *authdb.Store, of ...auth.Tenant) error {
	list, err := keys.List(s.ctx, of...)
	if err != nil {
		return err
	}
	for _, k := range list {
		if !k.Live(s.now()) {
			continue
		}
		if err := keys.Revoke(s.ctx, k.ID()); err != nil {
			return err
		}
	}
	return nil
}

// greet issues keys, and prints them with calls that can be pasted into a shell. One call asks for all datasets: curl itself expands
// the braces.
func greet(s *session, issuer *server.Issuer, partner, library auth.Tenant, base string) error {
	librariesKey, _, err := issuer.Issue(s.ctx, server.KeyParams{Tenant: library, API: auth.Libraries})
	if err != nil {
		return err
	}
	schoolsKey, _, err := issuer.Issue(s.ctx, server.KeyParams{Tenant: partner, API: auth.Schools, Network: demoNetwork})
	if err != nil {
		return err
	}
	yesterday := calendar.Day(s.now()) - 1
	for _, api := range []struct {
		name, of, prefix, key string
		routes                []string
	}{
		{"Schools", "network", schoolsapi.Prefix, schoolsKey, []string{"users?pageSize=5", "engagements?pageSize=5", "readings?pageSize=5"}},
		{"Libraries", "library network", librariesapi.Prefix, librariesKey, []string{
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
	if err := greetPartner(s, issuer, partner, base); err != nil {
		return err
	}
	// The keys are in the fragment, which no browser sends and no server logs.
	link := base + explore.Path + "#key="
	fmt.Fprintln(s.stdout, "\nLook at the numbers in a browser; the keys are in the links, and are not sent with the address:")
	fmt.Fprintf(s.stdout, "%s%s&report=schools\n%s%s&report=libraries\n", link, schoolsKey, link, librariesKey)
	fmt.Fprintf(s.stdout, "\nRead and try the APIs in a browser: %s/docs\n", base)
	fmt.Fprintln(s.stdout, "\n"+demofeed.Credit)
	fmt.Fprintln(s.stdout, "\nServing; stop with Ctrl-C.")
	return nil
}

// greetPartner issues a directory key, and prints it with a call of the directory, signed now.
func greetPartner(s *session, issuer *server.Issuer, partner auth.Tenant, base string) error {
	secret, key, err := issuer.Issue(s.ctx, server.KeyParams{Tenant: partner, API: auth.Directory})
	if errors.Is(err, server.ErrNoSecretKey) {
		fmt.Fprintf(s.stdout, "No directory key: %v.\n", server.ErrNoSecretKey)
		return nil
	}
	if err != nil {
		return err
	}
	url := base + directoryapi.Prefix + "/entities/" + demoNetwork + "/subtree"
	flags, err := signed(http.MethodGet, url, "", auth.Signer{ID: key.ID(), Secret: secret, Now: s.now})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "Directory key of the demo partner (until the next start): %s, secret %s\n\n", key.ID(), secret)
	fmt.Fprintf(s.stdout, "curl %s %s\n", flags, quote(url))
	fmt.Fprintln(s.stdout, "\nThe signature of that call is good for 15 minutes; lectern sign makes others.")
	return nil
}
