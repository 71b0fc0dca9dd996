package main

import (
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
)

type loadLibrariesCmd struct {
	Folder  string `arg:"" optional:"" help:"The feed: a folder with one file for each resource."`
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	Now     bool   `env:"-" help:"Take effect at once, which changes answers within the hour, instead of at the next full hour."`
	Drop    bool   `env:"-" help:"Load nothing, but withdraw what was loaded and waits for its hour."`
	loadFlags
	librariesHistory
}

// Validate refuses what does not go together.
func (c *loadLibrariesCmd) Validate() error {
	switch {
	case c.Drop && (c.Folder != "" || c.Now || c.Check):
		return errors.New("--drop withdraws what waits for its hour and loads nothing: give it without a folder, --now and --check")
	case !c.Drop && c.Folder == "":
		return errors.New(`expected "<folder>"`)
	}
	return nil
}

// Run loads a feed and prints the totals.
func (c *loadLibrariesCmd) Run(s *session) error {
	db, err := s.openForLoad(c.loadFlags)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Drop {
		return c.drop(s, db)
	}
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
	o.Network, o.Now, o.Progress = n.ID, s.now, bars.show
	totals, err := librariesload.Load(s.ctx, s.libraries(db), folder, o)
	if err == nil && !o.Check {
		s.recordLoad(db, auth.Tenant(n.ID), auth.Libraries, totals.Seconds, librariesRows(&totals))
	}
	return totals, ignoreHint(err)
}

// libraries is the store of the library networks, by the command's clock.
func (s *session) libraries(db *database.DB) *librariesdb.Store {
	return &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: s.clock}
}

// dropped says what a --drop withdrew.
type dropped struct {
	// Dropped is the hour from which it was to hold, null where nothing waited.
	Dropped *string `json:"dropped"`
}

// drop withdraws what waits for its hour, and says what that was.
func (c *loadLibrariesCmd) drop(s *session, db *database.DB) error {
	n, err := s.library(db, c.Library)
	if err != nil {
		return err
	}
	bars := newLoadProgress(s.stderr, c.Library)
	defer bars.finish()
	was, err := s.libraries(db).Drop(s.ctx, n.ID, func() { bars.show(stageWait, 0, 0) })
	if err != nil {
		return err
	}
	var hour *string
	if was.Hour != 0 {
		text := was.Hour.String()
		hour = &text
	}
	return s.printDropped(hour)
}

// printDropped prints what was withdrawn: on a terminal a sentence, elsewhere a line of JSON.
func (s *session) printDropped(hour *string) error {
	if !isTerminal(s.stdout) {
		return s.print(dropped{hour})
	}
	said := "nothing waits for its hour: nothing was withdrawn"
	if hour != nil {
		said = "withdrew what was to hold from " + *hour + " (Brasilia) on"
	}
	_, err := fmt.Fprintln(s.stdout, said)
	return err
}
