// Package load loads feeds: a feed's files are read and validated, what they say of users or readers is sorted, aggregated and written.
// It opens the files and the report of bad rows, tells the progress, and ends what was begun; the rules of the rows are those of the
// intakes of schools and libraries.
//
// A load is published as a whole by its last step; running it again, in another order or in pieces, changes nothing more. A check does
// all that a load does but write (F7).
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

// loading is a feed that is loaded.
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

// domain is what schools, or libraries, do in a load.
type domain interface {
	// resources are the files that a feed may have.
	resources() []string
	// begin waits until no other load of the tenant is under way, and returns what keeps out other loads from then on. A check waits
	// for nothing, and keeps out nobody.
	begin(context.Context) (*snapshotdb.Load, error)
	// read reads the files and settles their rows.
	read(context.Context) error
	// save saves what was read, or in a check counts it. done is told the steps that are done.
	save(ctx context.Context, done func(done, total int)) error
	// close ends what was begun.
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

// calledOff makes one error of the many that a load has which was called off in the middle of something.
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
	if err := d.save(ctx, func(done, total int) { l.tell("fold", int64(done), int64(total)) }); err != nil {
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

// compare compares the feed's files with those of the last load. It opens the folder again: while another load was waited for, others
// may have come into it.
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

// keep keeps the snapshot that a check reads, for as long as it makes progress. Where that fails, as on a database that takes no
// writes, the check may still end in time.
func (l *loading) keep(ctx context.Context, s *snapshotdb.Store, t auth.Tenant, at snapshot.Versions) {
	if l.Check && at.Facts != 0 {
		l.use = func() { _ = s.Use(ctx, t, at, "check") }
		l.use()
	}
}

// tell tells the progress.
func (l *loading) tell(stage string, done, total int64) {
	if l.use != nil {
		l.use()
	}
	if l.Progress != nil {
		l.Progress(stage, done, total)
	}
}

// told is how many rows lie between two words on the progress.
const told = 100_000

// read reads a file row by row, counts its rows, reports those that are bad, and settles the others. A file that is absent has no rows.
func read[R, V any, P feed.Record[R]](ctx context.Context, l *loading, f row.File[R, V]) error {
	file, err := l.folder.File(f.Name)
	if err == nil && file != nil {
		err = feed.Records[R, V, P](ctx, file, counted(l, f), func(e *feed.RowError) error {
			l.count(f.Counts)
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

// counted is a file that counts its good rows.
func counted[R, V any](l *loading, f row.File[R, V]) row.File[R, V] {
	take := f.Take
	f.Take = func(v V, line int) error {
		l.count(f.Counts)
		return take(v, line)
	}
	f.Skip = func(why error) {
		l.count(f.Counts)
		f.Counts.Skip(why)
	}
	return f
}

// count counts a row.
func (l *loading) count(c *row.Counts) {
	if c.Rows++; c.Rows%told == 0 {
		l.tell("read", l.folder.Done(), l.folder.Size())
	}
}

// reading is the reading of one file.
type reading func(context.Context, *loading) error

// of is the reading of a file.
func of[R, V any, P feed.Record[R]](f row.File[R, V]) reading {
	return func(ctx context.Context, l *loading) error { return read[R, V, P](ctx, l, f) }
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
