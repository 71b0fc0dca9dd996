package main

import (
	"context"
	"errors"
	"strings"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/commandline"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/progress"
	"github.com/lectern-dev/lectern/server/internal/status"
	"github.com/lectern-dev/lectern/server/internal/work"
)

type workCmd struct {
	Folder   string            `arg:"" help:"Where the feeds stand: schools/REF and libraries/SLUG, each the folder of a feed."`
	Jobs     commandline.Count `default:"2" placeholder:"N" help:"Loads at a time (default ${default})."`
	Ignore   []string          `placeholder:"NAME" help:"Pass over members and columns of these names in every feed, instead of failing at the first that a file does not know."`
	LogLevel string            `default:"info" placeholder:"LEVEL" enum:"debug,info,warn,error,disabled" help:"Least level to log: debug, info, warn, error or disabled (default ${default})."`
	history
	librariesHistory
}

// Validate refuses to do nothing.
func (c *workCmd) Validate() error {
	if c.Jobs == 0 {
		return errors.New("--jobs: loads at a time are 1 or more")
	}
	return nil
}

// The connections of a worker to PostgreSQL: each load has one that reads and some that write, and the leases are renewed beside them.
const (
	connsOfLoad   = 4
	connsOfWorker = 2
)

// Run loads what is due until the session's context ends.
func (c *workCmd) Run(s *session) error {
	s.forLoads(int(c.Jobs))
	db, err := s.openExisting(migrated)
	if err != nil {
		return err
	}
	if db.Engine == database.Postgres && !strings.Contains(db.URL, "pool_max_conns") {
		db.SetMaxOpenConns(connsOfWorker + connsOfLoad*int(c.Jobs))
	}
	log := progress.NewLog(s.stderr, c.LogLevel)
	w := &work.Worker{Store: s.keys(db), Folder: c.Folder, Jobs: int(c.Jobs), Log: log}
	loader := s.loader(db)
	w.Load = func(ctx context.Context, t authdb.Tenant, folder string) (authdb.Load, error) {
		o := load.Options{History: &c.SchoolsHistory, Ignore: c.Ignore, Progress: func(stage string, _, _ int64) {
			if stage == progress.Wait {
				log.Warn("another load of the tenant is under way and is waited for", "kind", string(t.Kind), "reference", t.Reference)
			}
		}}
		if t.Kind == authdb.Library {
			o.History = &c.LibrariesHistory
		}
		totals, err := loader.Load(ctx, t, folder, o)
		if err != nil {
			return authdb.Load{}, err
		}
		return status.Summarize(totals).Load("", s.now()), nil
	}
	return w.Run(s.ctx)
}
