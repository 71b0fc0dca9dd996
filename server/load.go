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
	// SkipBad is the file that lists bad rows, which are then skipped; empty stops the load at the first bad row.
	SkipBad string
	// Ignore are names of members and columns that are skipped in files that do not know them; any other unknown name is an error
	// (F3).
	Ignore []string
	// Check counts what a load would do and finds all bad rows, but writes nothing and does not wait for another load (F7).
	Check bool
	// Immediately publishes a load of libraries at once, and not at the next full hour (L1). A network's first load is always
	// published at once.
	Immediately bool
	// Changed loads the feed only if a file's name, size or modification time differs from the tenant's last load; otherwise the
	// error is ErrUnchanged. The files are compared while no other load of the tenant runs.
	Changed bool
	// Now tells when the load begins; nil is time.Now.
	Now func() time.Time
	// Progress, if not nil, is called with the stage of the load and how much of it is done: "wait" for another load of the
	// tenant, "read" the feed, in bytes, "reconcile" to validate loans and reservations, and "aggregate" to aggregate the facts.
	Progress func(stage string, done, total int64)
	// TempDir is where rows are sorted; empty is the system's folder. MemoryLimit is how many bytes each sorter uses in memory; 0
	// is 32 MiB.
	TempDir     string
	MemoryLimit int
}

// ErrUnchanged is the error of a load with LoadOptions.Changed whose files are those of the tenant's last load.
var ErrUnchanged = load.ErrUnchanged

// ErrNotNoted is the error of a load that is published, but that lectern status will not show.
var ErrNotNoted = errors.New("the feed is loaded, but lectern status will not show it")

// Load loads a feed into a tenant. The files are a folder, such as os.DirFS(dir), which part F of the contract describes. Load
// reads and validates the rows, sorts them by reader, aggregates and writes them. Its last step publishes all of it. After any
// error but ErrNotNoted none of it is visible, and loading the feed again is safe. If another load of the tenant runs, Load waits
// for it.
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
	// The load is published whether it can be noted or not, and a signal that comes now undoes nothing.
	err = snapshotdb.NoteLoad(context.WithoutCancel(ctx), db, t.ID, snapshotdb.LastLoad{
		Ended: ended(), Took: time.Duration(totals.Seconds*1000+0.5) * time.Millisecond, Rows: totals.Rows(),
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotNoted, err)
	}
	return totals, err
}
