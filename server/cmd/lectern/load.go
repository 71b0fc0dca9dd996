package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/progress"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
	"github.com/lectern-dev/lectern/server/internal/status"
)

// loading are the flags of both loads.
type loading struct {
	SkipBad string   `placeholder:"FILE" help:"Skip bad rows and list them in FILE, each with its value, instead of stopping at the first."`
	Ignore  []string `placeholder:"NAME" help:"Pass over members and columns of these names, instead of stopping at the first that a file does not know. What a file knows is read all the same."`
	Check   bool     `env:"-" help:"Do all but write: say what the load would count and list the bad rows; exit 1 where a load would stop."`
}

// open opens the database of a load, or of a check, which does not even bring the schema up to date.
func (l loading) open(s *session) (*database.DB, error) {
	if l.Check {
		return s.openExisting(upToDate)
	}
	return s.openExisting(migrated)
}

type loadSchoolsCmd struct {
	Folder  string `arg:"" help:"The feed: a folder with one file for each resource."`
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	loading
	history
}

// Run loads a feed and prints the totals.
func (c *loadSchoolsCmd) Run(s *session) error {
	db, err := c.open(s)
	if err != nil {
		return err
	}
	totals, err := loadSchools(s, db, c.Partner, c.Folder, schoolsload.Options{
		History: &c.SchoolsHistory, SkipBad: c.SkipBad, Ignore: c.Ignore, Check: c.Check,
	})
	if err != nil {
		return err
	}
	return c.print(s, &totals)
}

// loadSchools loads a feed into the partner of a reference. The options say nothing of the partner, the clock and the
// progress.
func loadSchools(s *session, db *database.DB, partner, folder string, o schoolsload.Options) (schoolsload.Totals, error) {
	p, err := s.tenant(db, authdb.Partner, partner)
	if err != nil {
		return schoolsload.Totals{}, err
	}
	bars := s.progress(partner)
	defer bars.Finish()
	o.Partner, o.Ref, o.Now, o.Progress = directory.PartnerID(p.ID), directory.Ref(partner), s.now, bars.Show
	totals, err := schoolsload.Load(s.ctx, &schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: s.clock}, folder, o)
	return totals, s.loaded(db, p.ID, auth.Schools, &totals, err)
}

type loadLibrariesCmd struct {
	Folder  string `arg:"" optional:"" help:"The feed: a folder with one file for each resource."`
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	Now     bool   `env:"-" help:"Take effect at once, which changes answers within the hour, instead of at the next full hour."`
	Drop    bool   `env:"-" help:"Load nothing, but withdraw what was loaded and waits for its hour."`
	loading
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
	db, err := c.open(s)
	if err != nil {
		return err
	}
	if c.Drop {
		return c.drop(s, db)
	}
	totals, err := loadLibraries(s, db, c.Library, c.Folder, librariesload.Options{
		History: &c.LibrariesHistory, SkipBad: c.SkipBad, Ignore: c.Ignore, Check: c.Check, Immediately: c.Now,
	})
	if err != nil {
		return err
	}
	return c.print(s, &totals)
}

// loadLibraries loads a feed into the library network of a slug. The options say nothing of the network, the clock and
// the progress.
func loadLibraries(s *session, db *database.DB, slug, folder string, o librariesload.Options) (librariesload.Totals, error) {
	n, err := s.tenant(db, authdb.Library, slug)
	if err != nil {
		return librariesload.Totals{}, err
	}
	bars := s.progress(slug)
	defer bars.Finish()
	o.Network, o.Now, o.Progress = libraries.NetworkID(n.ID), s.now, bars.Show
	totals, err := librariesload.Load(s.ctx, s.libraries(db), folder, o)
	return totals, s.loaded(db, n.ID, auth.Libraries, &totals, err)
}

// libraries is the store of the library networks, by the command's clock.
func (s *session) libraries(db *database.DB) *librariesdb.Store {
	return &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: s.clock}
}

// drop withdraws what waits for its hour, and says what that was: on a terminal in a sentence, elsewhere in a line of JSON.
func (c *loadLibrariesCmd) drop(s *session, db *database.DB) error {
	n, err := s.tenant(db, authdb.Library, c.Library)
	if err != nil {
		return err
	}
	bars := s.progress(c.Library)
	defer bars.Finish()
	was, err := s.libraries(db).Drop(s.ctx, libraries.NetworkID(n.ID), func() { bars.Show(progress.Wait, 0, 0) })
	if err != nil {
		return err
	}
	var hour *string // from which it was to hold, nil where nothing waited
	said := "nothing waits for its hour: nothing was withdrawn"
	if was.Hour != 0 {
		text := was.Hour.String()
		hour, said = &text, "withdrew what was to hold from "+text+" (Brasilia) on"
	}
	if progress.IsTerminal(s.stdout) {
		_, err := fmt.Fprintln(s.stdout, said)
		return err
	}
	return s.print(map[string]*string{"dropped": hour})
}

// loaded notes for lectern status that a load has ended, and returns the error with which it did. A load stands whether it can
// be noted or not, so that a fault is told and is no error; nor does a signal that comes now undo anything.
func (s *session) loaded(db *database.DB, t auth.Tenant, api auth.API, totals any, err error) error {
	if unknown, ok := errors.AsType[*feed.UnknownError](err); ok {
		return fmt.Errorf("%w; or pass over it with --ignore '%s'", err, strings.Join(unknown.Names, ","))
	}
	if err != nil {
		return err
	}
	sum := status.Summarize(totals)
	if sum.Check != nil {
		return nil
	}
	l := authdb.Load{API: api, Ended: s.now(), Took: time.Duration(sum.Seconds*1000+0.5) * time.Millisecond, Rows: sum.Rows()}
	if err := s.keys(db).RecordLoad(context.WithoutCancel(s.ctx), t, l); err != nil {
		s.report(fmt.Errorf("the feed is loaded, but lectern status will not show it: %w", err))
	}
	return nil
}

// print prints what a load or a check did: on a terminal a table, elsewhere the totals as a line of JSON. The error is for
// a check that has found what would stop a load.
func (l loading) print(s *session, totals any) error {
	sum := status.Summarize(totals)
	var err error
	if progress.IsTerminal(s.stdout) {
		err = sum.Write(s.stdout)
	} else {
		err = s.print(totals)
	}
	if err == nil && sum.Check != nil && sum.Check.Bad > 0 && l.SkipBad == "" {
		err = errors.New(status.English.Sprintf("%d of the feed's rows cannot be loaded, and would stop a load: mend them, or pass over them with --skip-bad FILE", sum.Check.Bad))
	}
	return err
}
