// Package librariesload reads a libraries feed into a library network: it joins the feed's files, the rules of package
// libraries and the store. A load makes a state that holds from a full hour on (L1), and ends.
package librariesload

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// Options says what to load, and how. Network is required.
type Options = load.Options

// Totals is what a load did, as its one line of JSON says it.
type Totals struct {
	Libraries    intake.Counts      `json:"libraries"`
	AgeGroups    intake.Counts      `json:"ageGroups"`
	Publishers   intake.Counts      `json:"publishers"`
	Categories   intake.Counts      `json:"categories"`
	Subjects     intake.Counts      `json:"subjects"`
	Books        intake.Counts      `json:"books"`
	Lines        intake.Counts      `json:"lines"`
	Readers      intake.Counts      `json:"readers"`
	Loans        intake.Counts      `json:"loans"`
	Renewals     intake.EventCounts `json:"renewals"`
	Reservations intake.Counts      `json:"reservations"`
	Sessions     intake.EventCounts `json:"sessions"`
	Previews     intake.EventCounts `json:"previews"`
	Activity     intake.EventCounts `json:"activity"`
	Channels     intake.Counts      `json:"channels"`
	Suggestions  intake.EventCounts `json:"suggestions"`
	// NewEvents and Repeated count renewals, sessions, previews, activity records and suggestions.
	NewEvents int `json:"newEvents"`
	Repeated  int `json:"repeatedEvents"`
	// Hour is that from which the load holds, as meta.updatedAt will show it, and Version that of the data then; in a check
	// they are those of the data that the feed was held against.
	Hour    string `json:"hour"`
	Version string `json:"version"`
	load.End
}

// resources are the files of a libraries feed.
var resources = []string{
	"libraries", "ageGroups", "publishers", "categories", "subjects", "books", "lines", "readers", "loans", "renewals",
	"reservations", "sessions", "previews", "activity", "channels", "suggestions",
}

// Load reads the feed in dir and makes it a state. On an error nothing of it is visible, and running it again is safe.
func Load(ctx context.Context, store *librariesdb.Store, dir string, o Options) (t Totals, err error) {
	t.End, err = load.Run(ctx, dir, o, resources, func(l *load.Load) load.Domain {
		return &loading{Load: l, store: store, totals: &t}
	})
	return t, err
}

// loading is one reading of a feed.
type loading struct {
	*load.Load
	store  *librariesdb.Store
	totals *Totals
	base   report.Access     // to the state that the feed is held against
	to     *librariesdb.Load // nil in a check
	feed   *intake.Feed
}

// Begin implements load.Domain.
func (l *loading) Begin(ctx context.Context) (err error) {
	if l.Check {
		l.base, err = l.store.Last(ctx, l.Network)
	} else if l.to, err = l.store.Begin(ctx, l.Network, func() { l.Tell("wait", 0, 0) }); err == nil {
		l.base = l.to.Base
	}
	if err != nil {
		return err
	}
	l.Keep(ctx, l.store.States(), state.Tenant(l.Network), l.base.At)
	st, err := l.store.State(ctx, l.base)
	history := libraries.HistoryStart
	if l.History != nil {
		history = *l.History
	}
	l.feed = l.store.Feed(intake.NewIntake(st, l.Now(), history), l.base, l.Room())
	l.feed.Settling = func(done, total int) { l.Tell("settle", int64(done), int64(total)) }
	return err
}

// Lease implements load.Domain.
func (l *loading) Lease() *statedb.Load {
	if l.to == nil {
		return nil
	}
	return l.to.Lease()
}

// Read implements load.Domain: each file is read after those that it refers to.
func (l *loading) Read(ctx context.Context) error {
	f, t := l.feed, l.totals
	terms := map[libraries.Vocabulary]*intake.Counts{
		libraries.LibraryTerms: &t.Libraries, libraries.AgeGroupTerms: &t.AgeGroups, libraries.PublisherTerms: &t.Publishers,
		libraries.CategoryTerms: &t.Categories, libraries.SubjectTerms: &t.Subjects,
	}
	for _, v := range libraries.Vocabularies() {
		if err := load.Read(ctx, l.Load, f.TermFile(v, terms[v])); err != nil {
			return err
		}
	}
	for _, read := range []func() error{
		func() error { return load.Read(ctx, l.Load, f.BookFile(&t.Books)) },
		func() error { return load.Read(ctx, l.Load, f.LineFile(&t.Lines)) },
		func() error { return load.Read(ctx, l.Load, f.ChannelFile(&t.Channels)) },
		func() error { return load.Read(ctx, l.Load, f.ReaderFile(&t.Readers)) },
		func() error { return load.Read(ctx, l.Load, f.LoanFile(&t.Loans)) },
		func() error { return load.Read(ctx, l.Load, f.RenewalFile(&t.Renewals)) },
		func() error { return load.Read(ctx, l.Load, f.ReservationFile(&t.Reservations)) },
		func() error { return load.Read(ctx, l.Load, f.SessionFile(&t.Sessions)) },
		func() error { return load.Read(ctx, l.Load, f.PreviewFile(&t.Previews)) },
		func() error { return load.Read(ctx, l.Load, f.ActivityFile(&t.Activity)) },
		func() error { return load.Read(ctx, l.Load, f.RequestFile(&t.Suggestions)) },
	} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// Save implements load.Domain.
func (l *loading) Save(ctx context.Context, fold func(done, total int)) error {
	o := librariesdb.SaveOptions{Immediately: l.Immediately, TempDir: l.TempDir, MemoryLimit: l.MemoryLimit, Progress: fold}
	var saved librariesdb.Saved
	var err error
	if l.Check {
		saved, err = l.store.Check(ctx, l.base, l.feed.Pile, o)
	} else {
		saved, err = l.to.Save(ctx, l.feed.Intake, l.feed.Pile, o)
	}
	if err == nil {
		l.totals.saved(saved)
	}
	return err
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

// Close implements load.Domain.
func (l *loading) Close(ctx context.Context) error {
	var err error
	if l.feed != nil {
		err = l.feed.Close()
	}
	if l.to != nil {
		err = errors.Join(err, l.to.Close(ctx))
	}
	return err
}
