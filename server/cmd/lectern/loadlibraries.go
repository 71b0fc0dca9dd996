package main

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
)

type loadLibrariesCmd struct {
	Folder  string `arg:"" help:"The feed: a folder with one file for each resource."`
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	Now     bool   `env:"-" help:"Take effect at once, which changes answers within the hour, instead of at the next full hour."`
	loadFlags
	librariesHistory
}

// Run loads a feed and prints the totals.
func (c *loadLibrariesCmd) Run(s *session) error {
	db, err := s.openForLoad(c.loadFlags)
	if err != nil {
		return err
	}
	defer db.Close()
	totals, err := loadLibraries(s, db, c.Library, c.Folder, librariesload.Options{
		History: &c.LibrariesHistory, SkipBad: c.SkipBad, Ignore: c.Ignore, Check: c.Check, Immediately: c.Now,
	})
	if err != nil {
		return err
	}
	return s.printLoad(totals, librariesSummary(&totals), c.loadFlags)
}

// loadLibraries loads a feed into the library network of a slug. The options say nothing of the network, the clock and
// the progress.
func loadLibraries(s *session, db *database.DB, slug, folder string, o librariesload.Options) (librariesload.Totals, error) {
	n, err := s.library(db, slug)
	if err != nil {
		return librariesload.Totals{}, err
	}
	bars := newLoadProgress(s.stderr, slug)
	defer bars.finish()
	hour := ""
	o.Network, o.Now, o.Progress = n.ID, s.now, bars.show
	o.Waiting = func(until time.Time) {
		hour = libraries.FormatTime(until)
		bars.wait("read and checked; waiting until " + hour + " (Brasilia) to take effect; --now does not wait")
	}
	store := &librariesdb.Store{DB: db.DB, Copy: db.Copy}
	totals, err := librariesload.Load(s.ctx, store, folder, o)
	if err != nil && s.ctx.Err() != nil && hour != "" {
		err = fmt.Errorf("nothing was loaded: it was to take effect at %s (Brasilia); %w", hour, errInterrupted)
	}
	if err == nil && !o.Check {
		s.recordLoad(db, auth.Tenant(n.ID), auth.Libraries, totals.Seconds, librariesRows(&totals))
	}
	return totals, ignoreHint(err)
}
