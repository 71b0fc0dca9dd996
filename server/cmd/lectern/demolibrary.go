package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/generate"
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
)

// The demo's library network.
const (
	demoLibrary     = "demo"
	demoReaders     = 500
	demoLibraryDays = 120
)

// fillLibrary creates the demo's library network and loads its data, whichever of the two is missing.
func (c *demoCmd) fillLibrary(s *session, db *database.DB) (librariesdb.Network, error) {
	n, err := librariesdb.NetworkBySlug(s.ctx, db, demoLibrary)
	if errors.Is(err, librariesdb.ErrNotFound) {
		if _, err = createLibrary(s, db, demoLibrary, "Demonstração"); err == nil {
			n, err = librariesdb.NetworkBySlug(s.ctx, db, demoLibrary)
		}
	}
	if err != nil {
		return n, err
	}
	v, err := authdb.ReadHeld(s.ctx, db, auth.Tenant(n.ID))
	if err != nil || v.Facts > 0 {
		return n, err
	}
	return n, c.loadLibrary(s, db)
}

// loadLibrary generates the library network's feed into a temporary folder and loads it. As the first load it takes effect
// at once (L1).
func (c *demoCmd) loadLibrary(s *session, db *database.DB) error {
	dir, err := os.MkdirTemp("", "lectern-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	first, days := demoPeriod(s, demoLibraryDays, c.LibrariesHistory)
	_, err = generate.Libraries(s.ctx, dir, generate.Params{Users: demoReaders, Days: days, Seed: demoSeed, First: first})
	if err != nil {
		return err
	}
	_, err = loadLibraries(s, db, demoLibrary, dir, librariesload.Options{History: &c.LibrariesHistory})
	return err
}

// greetLibrary prints the libraries key and a call of each route; that of the datasets calls each of them, since curl itself
// expands the braces.
func (c *demoCmd) greetLibrary(s *session, base, key string) {
	yesterday := calendar.Day(s.now()) - 1
	fmt.Fprintf(s.stdout, "\nLibraries key of the demo library network (until the next start): %s\n\n", key)
	for _, route := range []string{
		"summary?groupBy=library",
		fmt.Sprintf("engagements?startDate=%v&endDate=%v&pageSize=5", yesterday-6, yesterday),
		"users?pageSize=5",
		"datasets/{books,stock,loans,reservations,logins,channels,suggestions,suggestion-requests}?pageSize=5",
		"dimensions",
	} {
		fmt.Fprintf(s.stdout, "curl -H 'X-Api-Key: %s' '%s%s/%s'\n", key, base, librariesapi.Prefix, route)
	}
}
