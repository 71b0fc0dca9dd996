package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/cmd/lectern/internal/tenants"
	"github.com/lectern-dev/lectern/server/feed"
)

type loadAllCmd struct {
	Folder string   `arg:"" help:"Where the feeds are: schools/REF and libraries/SLUG, each the folder of a feed."`
	Jobs   count    `default:"2" placeholder:"N" help:"Loads at a time (default ${default})."`
	Ignore []string `placeholder:"NAME" help:"Pass over members and columns of these names in every feed, instead of failing at the first that a file does not know."`
	history
	librariesHistory
}

// Validate refuses to do nothing.
func (c *loadAllCmd) Validate() error {
	if c.Jobs == 0 {
		return errors.New("--jobs: loads at a time are 1 or more")
	}
	return nil
}

// loadedFeed is what is printed of one load.
type loadedFeed struct {
	Kind      snapshotdb.Kind `json:"kind"`
	Reference string          `json:"reference"`
	Rows      int64           `json:"rows"`
	Seconds   float64         `json:"seconds"`
	Error     string          `json:"error,omitempty"`
}

// Run loads the feeds that have changed, and prints a line of JSON for each.
func (c *loadAllCmd) Run(s *session) error {
	s.forLoads(int(c.Jobs))
	db, err := s.openExisting(migrated)
	if err != nil {
		return err
	}
	var printing sync.Mutex
	failed := 0
	err = s.loader(db).LoadAll(s.ctx, tenants.All{
		Folder: c.Folder, Jobs: int(c.Jobs),
		Options: func(kind snapshotdb.Kind) server.LoadOptions {
			if kind == snapshotdb.Library {
				return server.LoadOptions{History: &c.LibrariesHistory, Ignore: c.Ignore}
			}
			return server.LoadOptions{History: &c.SchoolsHistory, Ignore: c.Ignore}
		},
		Done: func(t snapshotdb.Tenant, totals *feed.Totals, err error) {
			line := loadedFeed{Kind: t.Kind, Reference: t.Reference}
			printing.Lock()
			defer printing.Unlock()
			if err != nil {
				failed++
				line.Error = err.Error()
			} else {
				line.Rows, line.Seconds = totals.Rows(), totals.Seconds
			}
			_ = s.print(line) // a load stands whether it can be told or not
		},
	})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of the feeds cannot be loaded: mend what their lines say, and run this again", failed)
	}
	return err
}
