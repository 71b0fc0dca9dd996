// Package load reads a feed into a store: what is the same of every domain. It opens the feed's files and the report of bad rows,
// tells the progress, and ends what was begun. What the files are, and how their rows are settled and saved, is a [Domain]'s.
//
// A load holds as a whole with its last step; running it again, in another order or in pieces, changes nothing more. A check does
// all that a load does but write (F7).
package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/server/feed"
)

// Options says what to load, and how. Required is the partner, with its Ref, or the library network.
type Options struct {
	Partner directory.PartnerID
	Ref     directory.Ref
	Network libraries.NetworkID
	// History is the first day that is kept; nil is the domain's.
	History *calendar.Date
	// SkipBad is the file that lists the rows which were skipped because they are bad; empty stops at the first.
	SkipBad string
	// Ignore are names of members and columns that are passed over in files that do not know them; others are errors (F3).
	Ignore []string
	// Check counts what a load would do, and finds all bad rows, but writes nothing and waits for nothing (F7).
	Check bool
	// Immediately makes a load of libraries hold at once, as the hour that has begun, and not from the next full hour on (L1). A
	// network's first load does so by itself.
	Immediately bool
	// Changed loads the feed only where its files are not those of the tenant's last load, by name, size and time; else the error is
	// ErrUnchanged. They are compared while no other load of the tenant is under way.
	Changed bool
	// Now tells when the load begins, by default time.Now. The hour is chosen by the store's clock.
	Now func() time.Time
	// Progress, if not nil, is told that another load of the tenant is under way, which this one waits for ("wait"), the bytes
	// read of the feed's size ("read"), the parts of loans and reservations that are settled ("settle"), and the parts folded
	// ("fold").
	Progress func(stage string, done, total int64)
	// TempDir is where rows wait to be settled and folded; empty is the system's place. MemoryLimit is the number of bytes
	// of them that wait in memory, by default as spill.Pile says, for each kind of what waits.
	TempDir     string
	MemoryLimit int
}

// End is what every load says at last.
type End struct {
	// Seconds is how long the load worked: not how long it waited for another.
	Seconds       float64 `json:"seconds"`
	RowsPerSecond int64   `json:"rowsPerSecond"`
	// Check is what a check found, and of a load nil.
	Check *feed.Findings `json:"check,omitempty"`
}

// Load is one reading of a feed.
type Load struct {
	Options
	Folder *feed.Folder
	Report *feed.Report
	End    End

	resources []string
	rows      int    // of all files
	use       func() // keeps the state that a check reads
}

// Domain is what the domain of a load does.
type Domain interface {
	// Begin waits until no other load of the tenant is under way, and reads what the load builds on. A check waits for nothing.
	Begin(ctx context.Context) error
	// Lease is what keeps out other loads from then on, nil in a check.
	Lease() *statedb.Load
	// Read reads the files and settles their rows.
	Read(ctx context.Context) error
	// Save saves what was read, or in a check counts it. fold is told the parts that are done.
	Save(ctx context.Context, fold func(done, total int)) error
	// Close ends what was begun.
	Close(ctx context.Context) error
}

// Run loads the feed in dir, which has files of resources, by what domain makes of the load. On an error nothing of it is
// visible, and running it again is safe.
func Run(ctx context.Context, dir string, o Options, resources []string, domain func(*Load) Domain) (end End, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Load{Options: o, resources: resources}
	if err := l.open(dir); err != nil {
		return end, err
	}
	d := domain(l)
	err = l.run(ctx, dir, d)
	err = errors.Join(calledOff(ctx, err), d.Close(context.WithoutCancel(ctx)), l.Report.Close())
	return l.End, err
}

// calledOff makes one error of the many that a load has which was called off in the middle of something.
func calledOff(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, sql.ErrTxDone)) {
		return fmt.Errorf("the load was called off; run it again: %w", context.Cause(ctx))
	}
	return err
}

func (l *Load) run(ctx context.Context, dir string, d Domain) (err error) {
	if err := d.Begin(ctx); err != nil {
		return err
	}
	if err := l.compare(ctx, dir, d.Lease()); err != nil {
		return err
	}
	start := time.Now()
	l.Tell("read", 0, l.Folder.Size())
	if l.Report, err = feed.OpenReport(l.SkipBad, dir, l.Check); err != nil {
		return err
	}
	if err := d.Read(ctx); err != nil {
		return err
	}
	if l.Check {
		found := l.Report.Findings()
		l.End.Check = &found
	}
	if err := d.Save(ctx, func(done, total int) { l.Tell("fold", int64(done), int64(total)) }); err != nil {
		return err
	}
	took := time.Since(start)
	l.End.Seconds = float64(took.Milliseconds()) / 1000
	l.End.RowsPerSecond = int64(l.rows) * int64(time.Second) / max(1, int64(took))
	return nil
}

// open opens the feed's folder.
func (l *Load) open(dir string) (err error) {
	if l.Folder, err = feed.Open(dir, l.resources...); err == nil {
		l.Folder.Ignore(l.Ignore...)
	}
	return err
}

// ErrUnchanged says that the files of a feed are those of the last load.
var ErrUnchanged = errors.New("the files are those of the last load")

// compare compares the feed's files with those of the last load. It opens the folder again: while another load was waited for, others
// may have come into it.
func (l *Load) compare(ctx context.Context, dir string, lease *statedb.Load) error {
	if lease == nil {
		return nil
	}
	if err := l.open(dir); err != nil {
		return err
	}
	last, err := lease.LastFeed(ctx)
	if err == nil && l.Changed && last == l.Folder.Digest() {
		err = ErrUnchanged
	}
	lease.SetFeed(l.Folder.Digest())
	return err
}

// Keep keeps the state that a check reads, for as long as it makes progress. Where that fails, as on a database
// that takes no writes, the check may still end in time.
func (l *Load) Keep(ctx context.Context, s *statedb.Store, t state.Tenant, at state.Versions) {
	if l.Check && at.Facts != 0 {
		l.use = func() { _ = s.Use(ctx, t, at, "check") }
		l.use()
	}
}

// Tell tells the progress.
func (l *Load) Tell(stage string, done, total int64) {
	if l.use != nil {
		l.use()
	}
	if l.Progress != nil {
		l.Progress(stage, done, total)
	}
}

// Room is where things wait, in bounded memory.
func (l *Load) Room() spill.Pile { return spill.Pile{Dir: l.TempDir, Limit: l.MemoryLimit} }

// Read reads a file row by row, and settles its rows. A file that is absent has no rows.
func Read[R, V any, P feed.Record[R]](ctx context.Context, l *Load, f row.File[R, V]) error {
	file, err := l.Folder.File(f.Name)
	if err == nil && file != nil {
		err = records[R, V, P](ctx, l, file, f)
		l.Tell("read", l.Folder.Done(), l.Folder.Size())
	}
	if err == nil && f.End != nil {
		err = f.End(ctx, func(line int, field, reason string) error {
			return l.Report.Late(ctx, file, row.Of(P(new(R))), &feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
		})
	}
	if err != nil {
		return err
	}
	return l.Report.Flush(ctx)
}

// told is how many rows lie between two words on the progress.
const told = 100_000

// records reads the rows of a file, counts them and reports those that are bad.
func records[R, V any, P feed.Record[R]](ctx context.Context, l *Load, file *feed.File, f row.File[R, V]) error {
	count := func() {
		l.rows++
		if *f.Rows++; *f.Rows%told == 0 {
			l.Tell("read", l.Folder.Done(), l.Folder.Size())
		}
	}
	counted := f
	counted.Take = func(v V, line int) error {
		count()
		return f.Take(v, line)
	}
	counted.Skip = func(why error) {
		count()
		f.Skip(why)
	}
	return feed.Records[R, V, P](ctx, file, counted, func(e *feed.RowError) error {
		count()
		*f.Bad++
		return l.Report.Bad(e)
	})
}
