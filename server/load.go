package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// LoadOptions say how a feed is loaded. The zero LoadOptions load all of it and stop at the first bad row.
type LoadOptions struct {
	// History is the first day that is kept; nil is the domain's.
	History *calendar.Date
	// SkipBad is the file that lists bad rows, which are skipped then; empty stops at the first bad row.
	SkipBad string
	// Ignore are names of members and columns that are passed over in files that do not know them; others are errors (F3).
	Ignore []string
	// Check counts what a load would do and finds all bad rows, but writes nothing and waits for nothing (F7).
	Check bool
	// Immediately publishes a load of libraries at once, and not at the next full hour (L1). A network's first load is always
	// published at once.
	Immediately bool
	// Changed loads the feed only if its files differ from those of the tenant's last load by name, size or time; else the error is
	// ErrUnchanged. The files are compared while no other load of the tenant runs.
	Changed bool
	// Now tells when the load begins; nil is time.Now.
	Now func() time.Time
	// Progress, if not nil, is called with the stage of the load and how much of it is done: "wait" for another load of the tenant,
	// "read" the feed, in bytes, "settle" loans and reservations, and "fold" the facts.
	Progress func(stage string, done, total int64)
	// TempDir is where rows are sorted; empty is the system's folder. MemoryLimit is the number of bytes that each sorter uses in
	// memory; 0 is 32 MiB.
	TempDir     string
	MemoryLimit int
}

// ErrUnchanged is the error of a load with LoadOptions.Changed whose files are those of the tenant's last load.
var ErrUnchanged = load.ErrUnchanged

// ErrNotNoted is the error of a load that stands, though lectern status will not show it.
var ErrNotNoted = errors.New("the feed is loaded, but lectern status will not show it")

// Load loads a feed into a tenant: the files of a folder, such as os.DirFS(dir), which part F of the contract describes. It reads and
// validates their rows, sorts them by reader, aggregates and writes them; its last step publishes all of it. After an error other than
// ErrNotNoted none of it is visible, and loading the feed again is safe. Another load of the tenant is waited for.
//
// now is the clock of the tenant's data; see Snapshots.
func Load(ctx context.Context, db *database.DB, t snapshotdb.Tenant, files fs.FS, o LoadOptions, now func() time.Time) (totals *feed.Totals, err error) {
	schools, networks := stores(db, now)
	switch t.Kind {
	case snapshotdb.Partner:
		totals, err = load.Schools(ctx, schools, directory.PartnerID(t.ID), directory.Ref(t.Reference), files, load.Options(o))
	case snapshotdb.Library:
		totals, err = load.Libraries(ctx, networks, libraries.NetworkID(t.ID), files, load.Options(o))
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
	err = snapshotdb.NoteLoad(context.WithoutCancel(ctx), db, t.ID, snapshotdb.LastLoad{
		Ended: ended(), Took: time.Duration(totals.Seconds*1000+0.5) * time.Millisecond, Rows: totals.Rows(),
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotNoted, err)
	}
	return totals, err
}
