// Package load loads feeds of both domains. It opens the files and the report of bad rows, reads the rows, reports the progress, and
// closes everything. Packages schools/intake and libraries/intake validate the rows, sort them by user or reader, aggregate them and write
// what changes.
//
// A load is published as a whole by its last step. Loading a feed again, in another order or in pieces, changes nothing. A check does
// everything but write (F7).
package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
)

// Options are those of server.LoadOptions, which says what each does.
type Options struct {
	History     *calendar.Date
	SkipBad     string
	Ignore      []string
	Check       bool
	Immediately bool
	Changed     bool
	Now         func() time.Time
	Progress    func(stage string, done, total int64)
	TempDir     string
	MemoryLimit int
}

// loading is one load of a feed.
type loading struct {
	Options
	files  fs.FS
	folder *feed.Folder
	report *feed.Report
	totals *feed.Totals
	use    func() // keeps the snapshot that a check reads
}

func newLoading(files fs.FS, o Options, t *feed.Totals) *loading {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &loading{Options: o, files: files, totals: t}
}

// domain is the part of a load that differs between schools and libraries.
type domain interface {
	// resources are the files that a feed may have.
	resources() []string
	// begin waits until no other load of the tenant is under way, and returns the lease that keeps out others. A check does neither
	// and returns nil.
	begin(context.Context) (*snapshotdb.Load, error)
	// read reads the files and validates their rows.
	read(context.Context) error
	// save saves the feed, or counts it in a check. It calls done with the number of finished steps.
	save(ctx context.Context, done func(done, total int)) error
	// close closes what begin opened, and rolls back an unpublished load.
	close(context.Context) error
}

// run loads the feed. After an error none of it is visible, and running it again is safe.
func (l *loading) run(ctx context.Context, d domain) (*feed.Totals, error) {
	if err := l.open(d); err != nil {
		return l.totals, err
	}
	err := l.steps(ctx, d)
	err = errors.Join(calledOff(ctx, err), d.close(context.WithoutCancel(ctx)), l.report.Close())
	return l.totals, err
}

// calledOff returns one error in place of the several that a cancelled load has.
func calledOff(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, sql.ErrTxDone)) {
		return fmt.Errorf("the load was called off; run it again: %w", context.Cause(ctx))
	}
	return err
}

func (l *loading) steps(ctx context.Context, d domain) error {
	lease, err := d.begin(ctx)
	if err != nil {
		return err
	}
	if err := l.compare(ctx, d, lease); err != nil {
		return err
	}
	start := time.Now()
	l.tell("read", 0, l.folder.Size())
	if l.report, err = feed.OpenReport(l.SkipBad, l.files, l.Check); err != nil {
		return err
	}
	if err := d.read(ctx); err != nil {
		return err
	}
	if l.Check {
		found := l.report.Findings()
		l.totals.Check = &found
	}
	if err := d.save(ctx, func(done, total int) { l.tell("aggregate", int64(done), int64(total)) }); err != nil {
		return err
	}
	took := time.Since(start)
	l.totals.Seconds = float64(took.Milliseconds()) / 1000
	l.totals.RowsPerSecond = l.totals.Rows() * int64(time.Second) / max(1, int64(took))
	return nil
}

// open opens the feed's files.
func (l *loading) open(d domain) (err error) {
	if l.folder, err = feed.Open(l.files, d.resources()...); err == nil {
		l.folder.Ignore(l.Ignore...)
	}
	return err
}

// ErrUnchanged says that the files of a feed are those of the last load.
var ErrUnchanged = errors.New("the files are those of the last load")

// compare compares the feed's files with those of the last load. It opens the folder again, since files may have been added while
// begin waited.
func (l *loading) compare(ctx context.Context, d domain, lease *snapshotdb.Load) error {
	if lease == nil {
		return nil
	}
	if err := l.open(d); err != nil {
		return err
	}
	last, err := lease.LastFeed(ctx)
	if err == nil && l.Changed && last == l.folder.Digest() {
		err = ErrUnchanged
	}
	lease.Feed = l.folder.Digest()
	return err
}

// keep retains the snapshot that a check reads while it makes progress. If that fails, as on a read-only database, the check may still
// end in time.
func (l *loading) keep(ctx context.Context, s *snapshotdb.Store, t auth.Tenant, at snapshot.Versions) {
	if l.Check && at.Facts != 0 {
		l.use = func() { _ = s.Use(ctx, t, at, "check") }
		l.use()
	}
}

// tell reports the progress.
func (l *loading) tell(stage string, done, total int64) {
	if l.use != nil {
		l.use()
	}
	if l.Progress != nil {
		l.Progress(stage, done, total)
	}
}

// told is the number of rows between two reports of the progress.
const told = 100_000

// reading is the reading of one file.
type reading func(context.Context, *loading) error

// of reads a file row by row, counts the rows, reports bad ones and takes the others. A missing file has no rows.
func of[R, V any, P feed.Record[R]](f row.File[R, V]) reading {
	return func(ctx context.Context, l *loading) error {
		count := func() {
			if f.Counts.Rows++; f.Counts.Rows%told == 0 {
				l.tell("read", l.folder.Done(), l.folder.Size())
			}
		}
		counted := f
		counted.Take = func(v V, line int) error {
			count()
			return f.Take(v, line)
		}
		counted.Skip = func(why error) {
			count()
			f.Counts.Skip(why)
		}
		file, err := l.folder.File(f.Name)
		if err == nil && file != nil {
			err = feed.Records[R, V, P](ctx, file, counted, func(e *feed.RowError) error {
				count()
				f.Counts.Bad++
				return l.report.Bad(e)
			})
			l.tell("read", l.folder.Done(), l.folder.Size())
		}
		if err == nil && f.End != nil {
			err = f.End(ctx, func(line int, field, reason string) error {
				return l.report.Late(ctx, file, row.Of(P(new(R))), &feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
			})
		}
		if err != nil {
			return err
		}
		return l.report.Flush(ctx)
	}
}

// readAll reads files, each after those that it refers to.
func (l *loading) readAll(ctx context.Context, files ...reading) error {
	for _, read := range files {
		if err := read(ctx, l); err != nil {
			return err
		}
	}
	return nil
}
