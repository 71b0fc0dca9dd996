// Package librariesload reads a libraries feed into a library network: it joins the feed's files, the rules of package
// libraries and the store. A load makes a state that holds from a full hour on (L1), and ends; running it again, in another
// order or in pieces, changes nothing more than that hour. A check does all that a load does but write (F7).
package librariesload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/server/feed"
)

// Options says what to load, and how. Network is required.
type Options struct {
	Network libraries.NetworkID
	// History is the first day that is kept; nil is libraries.HistoryStart.
	History *calendar.Date
	// SkipBad is the file that lists the rows which were skipped because they are bad; empty stops at the first.
	SkipBad string
	// Ignore are names of members and columns that are passed over in files that do not know them; others are errors (F3).
	Ignore []string
	// Check counts what a load would do, and finds all bad rows, but writes nothing and waits for nothing (F7).
	Check bool
	// Immediately makes the load hold at once, as the hour that has begun, and not from the next full hour on (L1). A
	// network's first load does so by itself.
	Immediately bool
	// Now tells when the load begins, by default time.Now. The hour is chosen by the store's clock.
	Now func() time.Time
	// Progress, if not nil, is told that the load waits until no other one of the network is under way ("wait"), the bytes
	// read of the feed's size ("read"), after them the parts of loans and reservations that are settled ("settle"), and the
	// parts folded ("fold").
	Progress func(stage string, done, total int64)
	// TempDir is where rows wait to be settled and folded; empty is the system's place. MemoryLimit is the number of bytes
	// of them that wait in memory, by default as spill.Pile says, each for loans, reservations and what is to be folded.
	TempDir     string
	MemoryLimit int
}

// Totals is what a load did, as its one line of JSON says it.
type Totals struct {
	Libraries    librariesdb.Counts      `json:"libraries"`
	AgeGroups    librariesdb.Counts      `json:"ageGroups"`
	Publishers   librariesdb.Counts      `json:"publishers"`
	Categories   librariesdb.Counts      `json:"categories"`
	Subjects     librariesdb.Counts      `json:"subjects"`
	Books        librariesdb.Counts      `json:"books"`
	Lines        librariesdb.Counts      `json:"lines"`
	Readers      librariesdb.Counts      `json:"readers"`
	Loans        librariesdb.Counts      `json:"loans"`
	Renewals     librariesdb.EventCounts `json:"renewals"`
	Reservations librariesdb.Counts      `json:"reservations"`
	Sessions     librariesdb.EventCounts `json:"sessions"`
	Previews     librariesdb.EventCounts `json:"previews"`
	Activity     librariesdb.EventCounts `json:"activity"`
	Channels     librariesdb.Counts      `json:"channels"`
	Suggestions  librariesdb.EventCounts `json:"suggestions"`
	// NewEvents and Repeated count renewals, sessions, previews, activity records and suggestions.
	NewEvents int `json:"newEvents"`
	Repeated  int `json:"repeatedEvents"`
	// Hour is that from which the load holds, as meta.updatedAt will show it, and Version that of the data then; in a check
	// they are those of the data that the feed was held against.
	Hour    string `json:"hour"`
	Version string `json:"version"`
	// Seconds is how long the load worked: not how long it waited for another.
	Seconds       float64 `json:"seconds"`
	RowsPerSecond int64   `json:"rowsPerSecond"`
	// Check is what a check found, and of a load nil.
	Check *feed.Findings `json:"check,omitempty"`
}

// Load reads the feed in dir and makes it a state. On an error nothing of it is visible, and running it again is safe.
func Load(ctx context.Context, store *librariesdb.Store, dir string, o Options) (t Totals, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.History == nil {
		first := libraries.HistoryStart
		o.History = &first
	}
	folder, err := feed.Open(dir, resources...)
	if err != nil {
		return t, err
	}
	folder.Ignore(o.Ignore...)
	room := spill.Pile{Dir: o.TempDir, Limit: o.MemoryLimit}
	l := &load{
		folder: folder, store: store, options: o, totals: &t,
		pile: &librariesdb.Pile{Spill: room}, loans: librariesdb.NewLoanPile(room), reservations: librariesdb.NewReservationPile(room),
	}
	defer func() { err = errors.Join(err, l.close(context.WithoutCancel(ctx))) }()
	if err := l.begin(ctx); err != nil {
		return t, err
	}
	start := time.Now()
	l.progress("read", 0, folder.Size())
	if l.report, err = feed.OpenReport(o.SkipBad, dir, o.Check); err != nil {
		return t, err
	}
	if err := l.read(ctx); err != nil {
		return t, err
	}
	saved, err := l.save(ctx)
	if err != nil {
		return t, err
	}
	t.saved(saved)
	t.finish(time.Since(start))
	return t, nil
}

// load is one reading of a feed.
type load struct {
	folder  *feed.Folder
	store   *librariesdb.Store
	options Options
	totals  *Totals
	base    report.Access     // to the state that the feed is held against
	to      *librariesdb.Load // nil in a check
	intake  *librariesdb.Intake
	report  *feed.Report

	pile         *librariesdb.Pile
	loans        *spill.Of[librariesdb.Lined[libraries.Loan]]
	reservations *spill.Of[librariesdb.Lined[libraries.Reservation]]
}

// begin waits for the load's turn, and reads the state that it builds on. A check has no turn.
func (l *load) begin(ctx context.Context) (err error) {
	if l.options.Check {
		l.base, err = l.store.Last(ctx, l.options.Network)
	} else if l.to, err = l.store.Begin(ctx, l.options.Network, func() { l.progress("wait", 0, 0) }); err == nil {
		l.base = l.to.Base
	}
	if err != nil {
		return err
	}
	st, err := l.store.State(ctx, l.base)
	l.intake = librariesdb.NewIntake(st, l.options.Now(), *l.options.History)
	return err
}

// save saves what was read, or counts what that would do.
func (l *load) save(ctx context.Context) (librariesdb.Saved, error) {
	o := librariesdb.SaveOptions{
		Immediately: l.options.Immediately, TempDir: l.options.TempDir, MemoryLimit: l.options.MemoryLimit,
		Progress: func(done, total int) { l.progress("fold", int64(done), int64(total)) },
	}
	if !l.options.Check {
		return l.to.Save(ctx, l.intake, l.pile, o)
	}
	found := l.report.Findings()
	l.totals.Check = &found
	return l.store.Check(ctx, l.base, l.pile, o)
}

// loading is the feed for those who read its files.
func (l *load) loading() *feed.Loading {
	return &feed.Loading{Folder: l.folder, Report: l.report, Progress: func(done, total int64) { l.progress("read", done, total) }}
}

// saved takes over what only the store could count.
func (t *Totals) saved(s librariesdb.Saved) {
	r := &t.Readers
	r.New, r.Changed, r.Unchanged = s.Readers.New, s.Readers.Changed, s.Readers.Unchanged
	r.Superseded = r.Rows - r.Bad - r.New - r.Changed - r.Unchanged
	t.NewEvents, t.Repeated = s.New, s.Repeated
	if s.Hour != 0 { // a check before the first load has none
		t.Hour = s.Hour.String()
	}
	t.Version = fmt.Sprintf("%d.%d", s.Versions.Registers, s.Versions.Facts)
}

// finish sets the load's duration, to the millisecond, and rate.
func (t *Totals) finish(d time.Duration) {
	t.Seconds = float64(d.Milliseconds()) / 1000
	t.RowsPerSecond = int64(t.rows()) * int64(time.Second) / max(1, int64(d))
}

// rows returns the number of rows of all files.
func (t *Totals) rows() (n int) {
	for _, c := range []librariesdb.Counts{
		t.Libraries, t.AgeGroups, t.Publishers, t.Categories, t.Subjects, t.Books, t.Lines, t.Readers, t.Loans, t.Reservations, t.Channels,
	} {
		n += c.Rows
	}
	for _, c := range []librariesdb.EventCounts{t.Renewals, t.Sessions, t.Previews, t.Activity, t.Suggestions} {
		n += c.Rows
	}
	return n
}

func (l *load) progress(stage string, done, total int64) {
	if l.options.Progress != nil {
		l.options.Progress(stage, done, total)
	}
}

// close ends what the load opened.
func (l *load) close(ctx context.Context) error {
	err := errors.Join(l.pile.Close(), l.loans.Close(), l.reservations.Close(), l.report.Close())
	if l.to != nil {
		err = errors.Join(err, l.to.Close(ctx))
	}
	return err
}
