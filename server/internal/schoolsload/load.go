// Package schoolsload reads a schools feed into a partner: it joins the feed's files, the rules of package schools and
// the store.
package schoolsload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// Options says what to load, and how. Partner and Ref are required.
type Options = load.Options

// Totals is what a load did, as its one line of JSON says it.
type Totals struct {
	Entities    intake.Counts `json:"entities"`
	Accounts    intake.Counts `json:"accounts"`
	Books       intake.Counts `json:"books"`
	Evaluations intake.Counts `json:"evaluations"`
	Segments    Events        `json:"segments"`
	Accesses    Events        `json:"accesses"`
	NewEvents   int           `json:"newEvents"`
	Repeated    int           `json:"repeatedEvents"`
	// Version is that of the data after the load; in a check, of those that the feed was held against.
	Version string `json:"version"`
	load.End
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
func Load(ctx context.Context, store *schoolsdb.Store, dir string, o Options) (t Totals, err error) {
	t.End, err = load.Run(ctx, dir, o, resources, func(l *load.Load) load.Domain {
		s := &loading{Load: l, store: store, totals: &t, began: l.Now(), pile: &intake.Pile{Pile: l.Room()}}
		s.pile.Keep = !l.Check
		return s
	})
	return t, err
}

// loading is one reading of a feed.
type loading struct {
	*load.Load
	store  *schoolsdb.Store
	began  time.Time
	held   *schoolsdb.Load // nil in a check
	totals *Totals
	intake *intake.Intake // the one that the events are read by
	rows   *rows
	pile   *intake.Pile
	drops  drops
}

// Begin implements load.Domain: it keeps out other loads. A check keeps out nobody.
func (l *loading) Begin(ctx context.Context) (err error) {
	if !l.Check {
		l.held, err = l.store.Begin(ctx, l.Partner, func(st intake.State) (*intake.Intake, error) { return l.settle(ctx, st) },
			func() { l.Tell("wait", 0, 0) })
	}
	return err
}

// Lease implements load.Domain.
func (l *loading) Lease() *statedb.Load {
	if l.held == nil {
		return nil
	}
	return l.held.Load
}

// Read implements load.Domain: it reads and settles the registers, and reads the events onto the pile.
func (l *loading) Read(ctx context.Context) (err error) {
	if l.Check {
		var st intake.State
		if st, err = l.store.State(ctx, l.Partner, l.Ref); err == nil {
			l.Keep(ctx, l.store.States(), state.Tenant(l.Partner), st.At)
			l.intake, err = l.settle(ctx, st)
		}
	} else {
		l.intake, err = l.held.Intake(ctx, l.Ref)
	}
	if err != nil {
		return err
	}
	l.Tell("read", l.Folder.Done(), l.Folder.Size())
	return l.events(ctx)
}

// Save implements load.Domain.
func (l *loading) Save(ctx context.Context, fold func(done, total int)) (err error) {
	var saved schoolsdb.Saved
	if l.Check {
		saved, err = l.store.Check(ctx, l.Partner, l.intake, l.pile, fold)
	} else {
		saved, err = l.held.Save(ctx, l.intake, l.pile, fold)
	}
	if err == nil {
		err = l.rows.list(ctx, l.Report)
	}
	if err != nil {
		return err
	}
	l.drop(l.intake.Moves(saved.Last))
	t := l.totals
	t.NewEvents, t.Repeated = saved.New, saved.Repeated
	t.Version = fmt.Sprintf("%d.%d", saved.Versions.Registers, saved.Versions.Facts)
	return nil
}

// Close implements load.Domain.
func (l *loading) Close(ctx context.Context) error {
	err := l.pile.Close()
	if l.held != nil {
		err = errors.Join(l.held.Close(ctx), err)
	}
	return err
}
