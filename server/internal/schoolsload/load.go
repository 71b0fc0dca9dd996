// Package schoolsload reads a schools feed into a partner: it joins the feed's files, the rules of package schools and
// the store. A load is one transaction; running it again, in another order or in pieces, changes nothing more. A check does
// all that a load does but write (F7).
package schoolsload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
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
	// Progress, if not nil, is told the bytes read of the feed's size ("read"), that the load waits until no other load and no
	// directory write of the partner is under way ("wait"), and the parts folded ("fold").
	Progress func(stage string, done, total int64)
	// TempDir is where events wait to be folded; empty is the system's place. MemoryLimit is the number of bytes of them
	// that wait in memory, by default as schools.Pile says.
	TempDir     string
	MemoryLimit int
}

// Totals is what a load did, as its one line of JSON says it.
type Totals struct {
	Entities    schools.Counts `json:"entities"`
	Accounts    schools.Counts `json:"accounts"`
	Books       schools.Counts `json:"books"`
	Evaluations schools.Counts `json:"evaluations"`
	Segments    Events         `json:"segments"`
	Accesses    Events         `json:"accesses"`
	NewEvents   int            `json:"newEvents"`
	Repeated    int            `json:"repeatedEvents"`
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

// tries is how often a load is settled anew when directory writes overtake it.
const tries = 5

// Load reads the feed in dir. On an error nothing of it is visible, and running it again is safe.
func Load(ctx context.Context, store *schoolsdb.Store, dir string, o Options) (Totals, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.History == nil {
		first := schools.HistoryStart()
		o.History = &first
	}
	began := o.Now()
	for range tries {
		t, err := once(ctx, store, dir, began, o)
		if !errors.Is(err, schoolsdb.ErrOvertaken) {
			return t, err
		}
	}
	return Totals{}, fmt.Errorf("load %s: %w each of %d times; run it again", dir, schoolsdb.ErrOvertaken, tries)
}

// once reads and saves the feed against one state of the partner.
func once(ctx context.Context, store *schoolsdb.Store, dir string, began time.Time, o Options) (t Totals, err error) {
	start := time.Now()
	folder, err := feed.Open(dir, resources...)
	if err != nil {
		return t, err
	}
	folder.Ignore(o.Ignore...)
	st, err := store.State(ctx, o.Partner, o.Ref)
	if err != nil {
		return t, err
	}
	l := &load{folder: folder, options: o, totals: &t}
	l.intake = &schools.Intake{
		State: st, Began: began, History: *o.History,
		NewToken: func() (string, error) { return directory.NewAccessToken(rand.Reader) },
	}
	defer func() { err = errors.Join(err, l.close()) }()
	l.progress("read", 0, folder.Size())
	if l.report, err = feed.OpenReport(o.SkipBad, dir, o.Check); err != nil {
		return t, err
	}
	if err := l.registers(ctx); err != nil {
		return t, err
	}
	l.pile = &schools.Pile{Pile: spill.Pile{Dir: o.TempDir, Limit: o.MemoryLimit}}
	if err := l.events(ctx); err != nil {
		return t, err
	}
	saved, err := l.save(ctx, store)
	if err != nil {
		return t, err
	}
	t.NewEvents, t.Repeated = saved.New, saved.Repeated
	t.Version = fmt.Sprintf("%d.%d", saved.Versions.Registers, saved.Versions.Facts)
	t.finish(time.Since(start))
	return t, nil
}

// save saves what was read, or in a check counts it. On SQLite one waits for another writer for half a minute at a time.
func (l *load) save(ctx context.Context, store *schoolsdb.Store) (schoolsdb.Saved, error) {
	fold := func(done, total int) { l.progress("fold", int64(done), int64(total)) }
	if l.options.Check {
		found := l.report.Findings()
		l.totals.Check = &found
		return store.Check(ctx, l.options.Partner, l.intake, l.pile, fold)
	}
	for {
		l.progress("wait", 0, 0)
		saved, err := store.Save(ctx, l.options.Partner, l.intake, l.pile, fold)
		if !errors.Is(err, schoolsdb.ErrNotBegun) || !database.Busy(err) || ctx.Err() != nil {
			return saved, err
		}
	}
}

// finish sets the load's duration, to the millisecond, and rate.
func (t *Totals) finish(d time.Duration) {
	rows := t.Entities.Rows + t.Accounts.Rows + t.Books.Rows + t.Evaluations.Rows + t.Segments.Rows + t.Accesses.Rows
	t.Seconds = float64(d.Milliseconds()) / 1000
	t.RowsPerSecond = int64(rows) * int64(time.Second) / max(1, int64(d))
}

// load is one reading of a feed.
type load struct {
	folder  *feed.Folder
	options Options
	totals  *Totals
	intake  *schools.Intake
	pile    *schools.Pile
	report  *feed.Report
}

func (l *load) progress(stage string, done, total int64) {
	if l.options.Progress != nil {
		l.options.Progress(stage, done, total)
	}
}

// close ends what the load opened.
func (l *load) close() error {
	var errs []error
	if l.pile != nil {
		errs = append(errs, l.pile.Close())
	}
	return errors.Join(append(errs, l.report.Close())...)
}
