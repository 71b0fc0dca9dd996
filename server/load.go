package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// LoadOptions say how a feed is loaded. The zero LoadOptions load all of it and stop at the first bad row. They are
//
//	History     *calendar.Date // the first day that is kept; nil is the domain's
//	SkipBad     string         // the file that lists bad rows, which are skipped then
//	Ignore      []string       // names of members and columns that may be there and are passed over
//	Check       bool           // count what a load would do, find all bad rows, and write nothing
//	Immediately bool           // publish a load of libraries at once, and not at the next full hour
//	Changed     bool           // load files only if they are not those of the last load; else the error is ErrUnchanged
//	Now         func() time.Time
//	Progress    func(stage string, done, total int64) // stages are wait, read, settle and fold
//	TempDir     string         // where rows are sorted; empty is the system's place
//	MemoryLimit int            // bytes that each sorter has in memory; 0 is 32 MiB
type LoadOptions = load.Options

// ErrUnchanged is the error of a load with LoadOptions.Changed whose files are those of the tenant's last load.
var ErrUnchanged = load.ErrUnchanged

// ErrNotNoted is the error of a load that stands, though lectern status will not show it.
var ErrNotNoted = errors.New("the feed is loaded, but lectern status will not show it")

// Load loads a feed into a tenant: the files of a folder, such as os.DirFS(dir), which part F of the contract describes. It reads and
// validates their rows, sorts them by reader, aggregates and writes them; its last step publishes all of it. After an error other than
// ErrNotNoted none of it is visible, and loading the feed again is safe. Another load of the tenant is waited for.
//
// now is the clock of the tenant's data; see States.
func Load(ctx context.Context, db *database.DB, t statedb.Tenant, files fs.FS, o LoadOptions, now func() time.Time) (totals *feed.Totals, err error) {
	switch t.Kind {
	case statedb.Partner:
		s := &schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
		totals, err = load.Schools(ctx, s, directory.PartnerID(t.ID), directory.Ref(t.Reference), files, o)
	case statedb.Library:
		s := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
		totals, err = load.Libraries(ctx, s, libraries.NetworkID(t.ID), files, o)
	default:
		err = fmt.Errorf("a tenant of kind %v loads nothing", t.Kind)
	}
	if err != nil || o.Check {
		return totals, err
	}
	ended := time.Now
	if o.Now != nil {
		ended = o.Now
	}
	// The load stands whether it can be noted or not, and a signal that comes now undoes nothing.
	err = statedb.NoteLoad(context.WithoutCancel(ctx), db, t.ID, statedb.LastLoad{
		Ended: ended(), Took: time.Duration(totals.Seconds*1000+0.5) * time.Millisecond, Rows: totals.Rows(),
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotNoted, err)
	}
	return totals, err
}
