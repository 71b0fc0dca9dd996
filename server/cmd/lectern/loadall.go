package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

type loadAllCmd struct {
	Folder string   `arg:"" help:"Folder of the feeds, in schools/REF and libraries/SLUG."`
	Jobs   count    `default:"2" placeholder:"N" help:"Loads at a time (default ${default})."`
	Ignore []string `placeholder:"NAME" help:"Ignore unknown members and columns of these names in every feed, instead of failing at the first one."`
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

// Run loads the feeds whose files differ from those of the tenant's last load, and prints a line of JSON for each load. Any number of
// processes may do so at once: the files are compared again while no other load of the tenant runs. The order is random, so that
// processes that begin together seldom wait for one another.
func (c *loadAllCmd) Run(s *session) error {
	s.forLoads(int(c.Jobs))
	db, err := s.openExisting(migrated)
	if err != nil {
		return err
	}
	list, err := c.feeds(s.ctx, db)
	if err != nil {
		return err
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var printing sync.Mutex
	failed := 0
	var loads errgroup.Group
	loads.SetLimit(int(c.Jobs))
	for _, t := range list {
		loads.Go(func() error {
			if s.ctx.Err() != nil {
				return nil
			}
			totals, err := c.load(s, db, t)
			if errors.Is(err, server.ErrUnchanged) {
				return nil
			}
			printing.Lock()
			defer printing.Unlock()
			line := loadedFeed{Kind: t.Kind, Reference: t.Reference}
			if err != nil {
				failed++
				line.Error = err.Error()
			} else {
				line.Rows, line.Seconds = totals.Rows(), totals.Seconds
			}
			_ = s.print(line) // the load is published even if its totals cannot be printed
			return nil
		})
	}
	_ = loads.Wait()
	if err := context.Cause(s.ctx); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of the feeds cannot be loaded: mend what their lines say, and run this again", failed)
	}
	return nil
}

// places are the folders of the feeds of each kind of tenant.
var places = map[snapshotdb.Kind]string{snapshotdb.Partner: "schools", snapshotdb.Library: "libraries"}

// folderName returns the name of the folder of a feed: the tenant's reference, escaped as in a path of a URL, so that it is one name
// and does not begin with a dot: ana/é is ana%2F%C3%A9.
func folderName(reference string) string {
	name := url.PathEscape(reference)
	if rest, hidden := strings.CutPrefix(name, "."); hidden {
		name = "%2E" + rest
	}
	return name
}

// feeds returns the tenants that have a feed in the folder. If a tenant does not exist, its number is 0 and its reference the folder's
// name.
func (c *loadAllCmd) feeds(ctx context.Context, db *database.DB) (list []snapshotdb.Tenant, err error) {
	if _, err := os.Stat(c.Folder); err != nil {
		return nil, fmt.Errorf("%w; name the folder that has schools and libraries", err)
	}
	tenants, err := snapshotdb.Tenants(ctx, db)
	if err != nil {
		return nil, err
	}
	known := map[string]snapshotdb.Tenant{}
	for _, t := range tenants {
		known[filepath.Join(places[t.Kind], folderName(t.Reference))] = t
	}
	for kind, place := range places {
		entries, err := os.ReadDir(filepath.Join(c.Folder, place))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			t, ok := known[filepath.Join(place, e.Name())]
			if !ok {
				t = snapshotdb.Tenant{Kind: kind, Reference: e.Name()}
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// load loads the feed of a tenant, or returns server.ErrUnchanged.
func (c *loadAllCmd) load(s *session, db *database.DB, t snapshotdb.Tenant) (*feed.Totals, error) {
	folder := filepath.Join(c.Folder, places[t.Kind], folderName(t.Reference))
	if t.ID == 0 {
		return nil, fmt.Errorf("%s is the feed of no %s; create it with lectern %s create, or rename the folder",
			filepath.Join(c.Folder, places[t.Kind], t.Reference), t.Kind, t.Kind)
	}
	files, err := feed.Open(os.DirFS(folder))
	if err != nil {
		return nil, err
	}
	// Most feeds are unchanged, which is seen here without a lock.
	store := snapshotdb.Store{DB: db.DB}
	if last, err := store.LastFeed(s.ctx, t.ID); err == nil && last == files.Digest() {
		return nil, server.ErrUnchanged
	}
	o := server.LoadOptions{History: &c.SchoolsHistory, Ignore: c.Ignore, Changed: true}
	if t.Kind == snapshotdb.Library {
		o.History = &c.LibrariesHistory
	}
	return s.load(db, t, folder, o)
}
