// Package schoolsload reads a schools feed into a partner: it joins the feed's files, the rules of package schools and
// the store. A load holds as a whole with its last step; running it again, in another order or in pieces, changes nothing more.
// A check does all that a load does but write (F7).
package schoolsload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/feed"
)

// Options says what to load, and how. Partner and Ref are required.
type Options struct {
	Partner directory.PartnerID
	Ref     directory.Ref
	// History is the first day that is kept; nil is schools.HistoryStart.
	History *calendar.Date
	// SkipBad is the file that lists the rows which were skipped because they are bad; empty stops at the first.
	SkipBad string
	// Ignore are names of members and columns that are passed over in files that do not know them; others are errors (F3).
	Ignore []string
	// Check counts what a load would do, and finds all bad rows, but writes nothing (F7).
	Check bool
	// Now tells the time, by default time.Now.
	Now func() time.Time
	// Progress, if not nil, is told that another load of the partner is under way, which this one waits for ("wait"), the bytes
	// read of the feed's size ("read"), and the parts folded ("fold").
	Progress func(stage string, done, total int64)
	// TempDir is where events wait to be folded; empty is the system's place. MemoryLimit is the number of bytes of them
	// that wait in memory, by default as schoolsdb.Pile says.
	TempDir     string
	MemoryLimit int
}

// Totals is what a load did, as its one line of JSON says it.
type Totals struct {
	Entities    schoolsdb.Counts `json:"entities"`
	Accounts    schoolsdb.Counts `json:"accounts"`
	Books       schoolsdb.Counts `json:"books"`
	Evaluations schoolsdb.Counts `json:"evaluations"`
	Segments    Events           `json:"segments"`
	Accesses    Events           `json:"accesses"`
	NewEvents   int              `json:"newEvents"`
	Repeated    int              `json:"repeatedEvents"`
	// Version is that of the data after the load; in a check, of those that the feed was held against.
	Version       string  `json:"version"`
	Seconds       float64 `json:"seconds"`
	RowsPerSecond int64   `json:"rowsPerSecond"`
	// Check is what a check found, and of a load nil.
	Check *feed.Findings `json:"check,omitempty"`
}

// Events says what became of the rows of one file of events before they were folded.
type Events struct {
	Rows          int `json:"rows"`
	BeforeHistory int `json:"beforeHistory"`
	Deleted       int `json:"deleted"`
	Bad           int `json:"bad"`
}

// resources are the files of a schools feed.
var resources = []string{"entities", "accounts", "books", "segments", "accesses", "evaluations"}

// Load reads the feed in dir. On an error nothing of it is visible, and running it again is safe.
func Load(ctx context.Context, store *schoolsdb.Store, dir string, o Options) (Totals, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.History == nil {
		first := schools.HistoryStart()
		o.History = &first
	}
	l := &load{store: store, dir: dir, options: o}
	t, err := l.run(ctx)
	return t, errors.Join(err, l.close(context.WithoutCancel(ctx)))
}

// run reads and saves the feed.
func (l *load) run(ctx context.Context) (t Totals, err error) {
	start, o := time.Now(), l.options
	if l.folder, err = feed.Open(l.dir, resources...); err != nil {
		return t, err
	}
	l.folder.Ignore(o.Ignore...)
	if err := l.begin(ctx); err != nil {
		return t, err
	}
	l.pile = &schoolsdb.Pile{Pile: spill.Pile{Dir: o.TempDir, Limit: o.MemoryLimit, Keep: !o.Check}}
	if err := l.events(ctx); err != nil {
		return t, err
	}
	saved, err := l.save(ctx)
	if err != nil {
		return t, err
	}
	if err := l.rows.list(ctx, l.report); err != nil {
		return t, err
	}
	l.drop(l.intake.Moves(saved.Last))
	t = l.totals
	t.NewEvents, t.Repeated = saved.New, saved.Repeated
	t.Version = fmt.Sprintf("%d.%d", saved.Versions.Registers, saved.Versions.Facts)
	t.finish(time.Since(start))
	return t, nil
}

// begin begins the load, keeping out others, and reads and settles the registers. A check keeps out nobody.
func (l *load) begin(ctx context.Context) (err error) {
	o := l.options
	l.began = o.Now()
	if !o.Check {
		l.held, err = l.store.Begin(ctx, o.Partner, func(st schoolsdb.State) (*schoolsdb.Intake, error) { return l.settle(ctx, st) },
			func() { l.progress("wait", 0, 0) })
		if err != nil {
			return err
		}
	}
	l.progress("read", 0, l.folder.Size())
	if l.report, err = feed.OpenReport(o.SkipBad, l.dir, o.Check); err != nil {
		return err
	}
	defer func() { l.progress("read", l.folder.Done(), l.folder.Size()) }()
	if !o.Check {
		l.intake, err = l.held.Intake(ctx, o.Ref)
		return err
	}
	st, err := l.store.State(ctx, o.Partner, o.Ref)
	if err != nil {
		return err
	}
	l.intake, err = l.settle(ctx, st)
	return err
}

// save saves what was read, or in a check counts it.
func (l *load) save(ctx context.Context) (schoolsdb.Saved, error) {
	fold := func(done, total int) { l.progress("fold", int64(done), int64(total)) }
	if l.options.Check {
		found := l.report.Findings()
		l.totals.Check = &found
		return l.store.Check(ctx, l.options.Partner, l.intake, l.pile, fold)
	}
	return l.held.Save(ctx, l.intake, l.pile, fold)
}

// finish sets the load's duration, to the millisecond, and rate.
func (t *Totals) finish(d time.Duration) {
	rows := t.Entities.Rows + t.Accounts.Rows + t.Books.Rows + t.Evaluations.Rows + t.Segments.Rows + t.Accesses.Rows
	t.Seconds = float64(d.Milliseconds()) / 1000
	t.RowsPerSecond = int64(rows) * int64(time.Second) / max(1, int64(d))
}

// load is one reading of a feed.
type load struct {
	store   *schoolsdb.Store
	dir     string
	folder  *feed.Folder
	options Options
	began   time.Time
	held    *schoolsdb.Load // nil in a check
	totals  Totals
	intake  *schoolsdb.Intake // the one that the events are read by
	rows    *rows
	pile    *schoolsdb.Pile
	drops   drops
	report  *feed.Report
}

// loading is the feed for those who read its files.
func (l *load) loading() *feed.Loading {
	return &feed.Loading{Folder: l.folder, Report: l.report, Progress: func(done, total int64) { l.progress("read", done, total) }}
}

func (l *load) progress(stage string, done, total int64) {
	if l.options.Progress != nil {
		l.options.Progress(stage, done, total)
	}
}

// close ends what the load opened.
func (l *load) close(ctx context.Context) error {
	var errs []error
	if l.held != nil {
		errs = append(errs, l.held.Close(ctx))
	}
	if l.pile != nil {
		errs = append(errs, l.pile.Close())
	}
	return errors.Join(append(errs, l.report.Close())...)
}
