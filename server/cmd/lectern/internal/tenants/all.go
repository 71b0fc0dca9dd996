package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/feed"
)

// places are the folders of the feeds of each kind of tenant.
var places = map[snapshotdb.Kind]string{snapshotdb.Partner: "schools", snapshotdb.Library: "libraries"}

// FolderName returns the name of the folder of a feed: the tenant's reference, escaped as in a path of a URL, so that it is one name
// and does not begin with a dot: ana/é is ana%2F%C3%A9.
func FolderName(reference string) string {
	name := url.PathEscape(reference)
	if rest, hidden := strings.CutPrefix(name, "."); hidden {
		name = "%2E" + rest
	}
	return name
}

// All says how the feeds of many tenants are loaded.
type All struct {
	Folder  string // FOLDER/schools/REF and FOLDER/libraries/SLUG are the feeds; names that begin with a dot are passed over
	Jobs    int    // loads at a time
	Options func(snapshotdb.Kind) server.LoadOptions
	// Done is told the end of each load, and of each folder that is no tenant's: the error is nil where the load stands. It is called
	// by several goroutines.
	Done func(t snapshotdb.Tenant, totals *feed.Totals, err error)
}

// LoadAll loads the feeds whose files differ from those of the tenant's last load. Any number of processes may do so at once: the
// files are compared again while no other load of the tenant is under way. The order is random, so that processes that begin together
// seldom wait for one another. An error is of all loads.
func (l *Loader) LoadAll(ctx context.Context, a All) error {
	list, err := l.feeds(ctx, a.Folder)
	if err != nil {
		return err
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var loads errgroup.Group
	loads.SetLimit(max(1, a.Jobs))
	for _, t := range list {
		loads.Go(func() error {
			if ctx.Err() == nil {
				l.loadOne(ctx, a, t)
			}
			return nil
		})
	}
	return cmp.Or(loads.Wait(), context.Cause(ctx))
}

// feeds returns the tenants that have a feed in a folder. One whose number is 0 does not exist: its reference is the folder's name.
func (l *Loader) feeds(ctx context.Context, folder string) (list []snapshotdb.Tenant, err error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("%w; name the folder that has schools and libraries", err)
	}
	tenants, err := snapshotdb.Tenants(ctx, l.DB)
	if err != nil {
		return nil, err
	}
	known := map[string]snapshotdb.Tenant{}
	for _, t := range tenants {
		known[filepath.Join(places[t.Kind], FolderName(t.Reference))] = t
	}
	for kind, place := range places {
		entries, err := os.ReadDir(filepath.Join(folder, place))
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

// loadOne loads the feed of a tenant, if it has changed.
func (l *Loader) loadOne(ctx context.Context, a All, t snapshotdb.Tenant) {
	folder := filepath.Join(a.Folder, places[t.Kind], FolderName(t.Reference))
	if t.ID == 0 {
		a.Done(t, nil, fmt.Errorf("%s is the feed of no %s; create it with lectern %s create, or rename the folder",
			filepath.Join(a.Folder, places[t.Kind], t.Reference), t.Kind, t.Kind))
		return
	}
	files, err := feed.Open(os.DirFS(folder))
	if err != nil {
		a.Done(t, nil, err)
		return
	}
	// Most feeds are unchanged, which is seen here without a lock.
	states := snapshotdb.Store{DB: l.DB.DB}
	last, err := states.LastFeed(ctx, t.ID)
	if err == nil && last == files.Digest() {
		return
	}
	o := a.Options(t.Kind)
	o.Changed = true
	totals, err := l.Load(ctx, t, folder, o)
	if !errors.Is(err, server.ErrUnchanged) {
		a.Done(t, totals, err)
	}
}
