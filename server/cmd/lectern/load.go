package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load/progress"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// loading are the flags of both loads.
type loading struct {
	SkipBad string   `placeholder:"FILE" help:"Skip bad rows and list them in FILE, each with its value, instead of stopping at the first."`
	Ignore  []string `placeholder:"NAME" help:"Ignore unknown members and columns of these names, instead of stopping at the first one. Known ones are read anyway."`
	Check   bool     `env:"-" help:"Write nothing: print what the load would count, and the bad rows. The exit code is 1 if the load would stop."`
}

type loadSchoolsCmd struct {
	Folder  string `arg:"" help:"The feed: a folder with one file for each resource."`
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	loading
	history
}

// Run loads a feed and prints the totals.
func (c *loadSchoolsCmd) Run(s *session) error {
	return c.run(s, snapshotdb.Partner, c.Partner, c.Folder, server.LoadOptions{History: &c.SchoolsHistory})
}

type loadLibrariesCmd struct {
	Folder  string `arg:"" optional:"" help:"The feed: a folder with one file for each resource."`
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	Now     bool   `env:"-" help:"Take effect at once instead of at the next full hour. Answers then change within the hour."`
	Drop    bool   `env:"-" help:"Withdraw the loads that are not yet in effect, and load nothing."`
	loading
	librariesHistory
}

// Validate refuses flags that contradict each other.
func (c *loadLibrariesCmd) Validate() error {
	switch {
	case c.Drop && (c.Folder != "" || c.Now || c.Check):
		return errors.New("--drop withdraws the loads that are not yet in effect, and loads nothing: give it without a folder, --now and --check")
	case !c.Drop && c.Folder == "":
		return errors.New(`expected "<folder>"`)
	}
	return nil
}

// Run loads a feed and prints the totals.
func (c *loadLibrariesCmd) Run(s *session) error {
	if c.Drop {
		return c.drop(s)
	}
	return c.run(s, snapshotdb.Library, c.Library, c.Folder, server.LoadOptions{History: &c.LibrariesHistory, Immediately: c.Now})
}

// loadMemory is the memory of one load above which the collector works harder; the database's own is not counted. Without the limit
// the collector would let it double. A load needs less than that, except for the accounts of a school network: they are in memory while
// their file is validated, and the new ones until the end. With 144 MiB, half of a load of 300,000 new accounts was collections. With
// this, 100,000 users and a year take 237 MiB of the 256 that a load may have.
const loadMemory = 176 << 20

// forLoads sets the memory limit for n loads at a time. Call it before the database is opened.
func (s *session) forLoads(n int) {
	boundMemory(int64(n) * loadMemory)
	s.toLoad = true
}

// garbage is GOGC below the memory limit. With the default of 100, a load spends a tenth of its time in collections, and while a
// server collects, its slowest requests take three times as long.
const garbage = 300

// boundMemory sets the memory limit and GOGC, unless GOMEMLIMIT and GOGC set them.
func boundMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(bytes)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// run loads a feed and prints the totals: a table on a terminal, elsewhere a line of JSON. A check does not even migrate the
// schema. Its error is that it has found rows that would stop a load.
func (l loading) run(s *session, kind snapshotdb.Kind, reference, folder string, o server.LoadOptions) error {
	check := migrated
	if l.Check {
		check = upToDate
	}
	s.forLoads(1)
	db, t, err := s.openTenant(check, kind, reference)
	if err != nil {
		return err
	}
	bars := s.progress(t.Reference)
	o.SkipBad, o.Ignore, o.Check, o.Progress = l.SkipBad, l.Ignore, l.Check, bars.Show
	totals, err := s.load(db, t, folder, o)
	bars.Finish()
	if err != nil {
		return err
	}
	if progress.IsTerminal(s.stdout) {
		err = status.WriteTotals(s.stdout, totals)
	} else {
		err = s.print(totals)
	}
	if err == nil && totals.Check != nil && totals.Check.Bad > 0 && l.SkipBad == "" {
		err = errors.New(status.English.Sprintf("%d of the feed's rows cannot be loaded, and would stop a load: mend them, or pass over them with --skip-bad FILE", totals.Check.Bad))
	}
	return err
}

// load loads the feed in a folder into a tenant by the command's clock.
func (s *session) load(db *database.DB, t snapshotdb.Tenant, folder string, o server.LoadOptions) (*feed.Totals, error) {
	o.Now = s.now
	totals, err := server.Load(s.ctx, db, t, os.DirFS(folder), o, s.clock)
	if unknown, ok := errors.AsType[*feed.UnknownError](err); ok {
		err = fmt.Errorf("%w; or pass over it with --ignore '%s'", err, strings.Join(unknown.Names, ","))
	}
	if errors.Is(err, server.ErrNotNoted) {
		s.report(err)
		err = nil
	}
	return totals, err
}

// drop withdraws the load that is not yet in effect, and reports it: in a sentence on a terminal, elsewhere in a line of JSON.
func (c *loadLibrariesCmd) drop(s *session) error {
	db, n, err := s.openTenant(migrated, snapshotdb.Library, c.Library)
	if err != nil {
		return err
	}
	bars := s.progress(c.Library)
	defer bars.Finish()
	store := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: s.clock}
	was, err := store.Drop(s.ctx, libraries.NetworkID(n.ID), func() { bars.Show(progress.Wait, 0, 0) })
	if err != nil {
		return err
	}
	var hour *string // when it was to take effect, nil if no load waited
	said := "no load waits to take effect: nothing was withdrawn"
	if was.Hour != 0 {
		text := was.Hour.String()
		hour, said = &text, "withdrew what was to take effect at "+text+" (Brasilia)"
	}
	if progress.IsTerminal(s.stdout) {
		_, err := fmt.Fprintln(s.stdout, said)
		return err
	}
	return s.print(map[string]*string{"dropped": hour})
}
