// Package demo makes a database to try the product with, and says what can be done with it.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/cmd/lectern/internal/tenants"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/operate/shell"
	"github.com/lectern-dev/lectern/server/internal/pages/demofeed"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
)

// Reference is that of the demo's partner and of its library network.
const Reference = "demo"

const (
	name    = "Demonstração"
	network = "rede-1"
)

// Demo is the demo's database.
type Demo struct {
	*tenants.Loader
	Keys *authdb.Store

	partner, library snapshotdb.Tenant
}

// Fill creates the demo's tenants where they are missing, and loads their feeds where they have no data.
func (d *Demo) Fill(ctx context.Context, schools, libraries calendar.Date) (err error) {
	if d.partner, err = d.fill(ctx, snapshotdb.Partner, "schools", schools); err == nil {
		d.library, err = d.fill(ctx, snapshotdb.Library, "libraries", libraries) // holds at once, as the first load (L1)
	}
	return err
}

// fill returns the tenant of a kind with the feed of an API. Rows before the history are left out, as of any feed.
func (d *Demo) fill(ctx context.Context, kind snapshotdb.Kind, api string, history calendar.Date) (snapshotdb.Tenant, error) {
	t, err := snapshotdb.TenantOf(ctx, d.DB, kind, Reference)
	if errors.Is(err, snapshotdb.ErrNotFound) {
		t, err = server.Create(ctx, d.DB, kind, Reference, name)
	}
	if err != nil {
		return t, err
	}
	v, err := snapshotdb.ReadCurrent(ctx, d.DB, t.ID)
	if err != nil || v.Facts > 0 {
		return t, err
	}
	dir, err := os.MkdirTemp("", "lectern-demo-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	if err := demofeed.Unpack(api, dir, d.Now()); err != nil {
		return t, err
	}
	_, err = d.Load(ctx, t, dir, server.LoadOptions{History: &history})
	return t, err
}

// keys are the keys of one run.
type keys struct {
	schools, libraries string
	directory, secret  string // none where there is no key for secrets
}

// issue issues new keys and revokes those of former runs, since no key can be shown a second time.
func (d *Demo) issue(ctx context.Context, by *server.Issuer) (k keys, err error) {
	list, err := d.Keys.List(ctx)
	if err != nil {
		return k, err
	}
	for _, old := range list {
		ours := old.Tenant == d.partner.ID || old.Tenant == d.library.ID
		if !ours || !old.Live(d.Now()) {
			continue
		}
		if err := d.Keys.Revoke(ctx, old.ID()); err != nil {
			return k, err
		}
	}
	if k.libraries, _, err = by.Issue(ctx, server.KeyParams{Tenant: d.library.ID, API: auth.Libraries}); err != nil {
		return k, err
	}
	if k.schools, _, err = by.Issue(ctx, server.KeyParams{Tenant: d.partner.ID, API: auth.Schools, Network: network}); err != nil {
		return k, err
	}
	secret, key, err := by.Issue(ctx, server.KeyParams{Tenant: d.partner.ID, API: auth.Directory})
	if errors.Is(err, server.ErrNoSecretKey) {
		return k, nil
	}
	k.directory, k.secret = key.ID(), secret
	return k, err
}

// Greet issues keys, and prints them and calls that can be pasted into a shell. That of the datasets calls each of them, since curl
// itself expands the braces.
func (d *Demo) Greet(ctx context.Context, w io.Writer, by *server.Issuer, base string) error {
	k, err := d.issue(ctx, by)
	if err != nil {
		return err
	}
	yesterday := calendar.Day(d.Now()) - 1
	for _, api := range []struct {
		name, of, prefix, key string
		routes                []string
	}{
		{"Schools", "network", schoolsapi.Prefix, k.schools, []string{"users?pageSize=5", "engagements?pageSize=5", "readings?pageSize=5"}},
		{"Libraries", "library network", librariesapi.Prefix, k.libraries, []string{
			"summary?groupBy=library",
			fmt.Sprintf("engagements?startDate=%v&endDate=%v&pageSize=5", yesterday-6, yesterday),
			"users?pageSize=5",
			"datasets/{books,stock,loans,reservations,logins,channels,suggestions,suggestion-requests}?pageSize=5",
			"dimensions",
		}},
	} {
		fmt.Fprintf(w, "%s key of the demo %s (until the next start): %s\n\n", api.name, api.of, api.key)
		for _, route := range api.routes {
			fmt.Fprintf(w, "curl -H 'X-Api-Key: %s' '%s%s/%s'\n", api.key, base, api.prefix, route)
		}
		fmt.Fprintln(w)
	}
	if k.secret == "" {
		fmt.Fprintf(w, "No directory key: %v.\n", server.ErrNoSecretKey)
	} else if err := d.greetPartner(w, base, k); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nLook at the numbers in a browser; the keys are in the links, and are not sent with the address:")
	fmt.Fprintf(w, "%s\n%s\n", exploreLink(base, "schools", k.schools), exploreLink(base, "libraries", k.libraries))
	fmt.Fprintf(w, "\nRead and try the APIs in a browser: %s/docs\n", base)
	fmt.Fprintln(w, "\n"+demofeed.Credit)
	fmt.Fprintln(w, "\nServing; stop with Ctrl-C.")
	return nil
}

// exploreLink opens the page of the numbers with a key. It is in the fragment, which no browser sends and no server logs.
func exploreLink(base, report, key string) string {
	return base + explore.Path + "#key=" + key + "&report=" + report
}

// greetPartner prints the directory key and a call of the directory, signed now.
func (d *Demo) greetPartner(w io.Writer, base string, k keys) error {
	url := base + directoryapi.Prefix + "/entities/" + network + "/subtree"
	flags, err := shell.Call{Method: http.MethodGet, URL: url, ID: k.directory, Secret: k.secret}.Flags(d.Now)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Directory key of the demo partner (until the next start): %s, secret %s\n\n", k.directory, k.secret)
	fmt.Fprintf(w, "curl %s %s\n", flags, shell.Quote(url))
	fmt.Fprintln(w, "\nThe signature of that call is good for 15 minutes; lectern sign makes others.")
	return nil
}
