package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/feed"
)

// What is counted of a file of libraries: of a register, and of events.
const (
	libraryRegister = " rows new changed unchanged superseded beforeHistory bad"
	libraryEvents   = " rows beforeHistory bad"
)

// Libraries loads a feed into a library network. It is published from a full hour on (L1).
func Libraries(ctx context.Context, store *librariesdb.Store, n libraries.NetworkID, files fs.FS, o Options) (*feed.Totals, error) {
	l := newLoading(files, o, feed.NewTotals(true, "libraries"+libraryRegister, "ageGroups"+libraryRegister, "publishers"+libraryRegister,
		"categories"+libraryRegister, "subjects"+libraryRegister, "books"+libraryRegister, "lines"+libraryRegister, "readers"+libraryRegister,
		"loans"+libraryRegister, "renewals"+libraryEvents, "reservations"+libraryRegister, "sessions"+libraryEvents, "previews"+libraryEvents,
		"activity"+libraryEvents, "channels"+libraryRegister, "suggestions"+libraryEvents))
	return l.run(ctx, &librariesLoad{loading: l, store: store, network: n})
}

// librariesLoad is a domain.
type librariesLoad struct {
	*loading
	store   *librariesdb.Store
	network libraries.NetworkID
	base    report.Access     // to the snapshot that the feed is held against
	to      *librariesdb.Load // nil in a check
	feed    *intake.Feed
}

func (l *librariesLoad) resources() (names []string) {
	for _, f := range l.totals.Files {
		names = append(names, f.Name)
	}
	return names
}

func (l *librariesLoad) begin(ctx context.Context) (lease *snapshotdb.Load, err error) {
	if l.Check {
		l.base, err = l.store.Last(ctx, l.network)
	} else if l.to, err = l.store.Begin(ctx, l.network, func() { l.tell("wait", 0, 0) }); err == nil {
		l.base, lease = l.to.Base, l.to.Lease()
	}
	if err != nil {
		return nil, err
	}
	l.keep(ctx, l.store.Snapshots(), auth.Tenant(l.network), l.base.At)
	st, err := l.store.State(ctx, l.base)
	history := libraries.HistoryStart
	if l.History != nil {
		history = *l.History
	}
	l.feed = l.store.Feed(intake.NewIntake(st, l.Now(), history), l.base, l.TempDir, l.MemoryLimit)
	l.feed.Reconciling = func(done, total int) { l.tell("settle", int64(done), int64(total)) }
	return lease, err
}

func (l *librariesLoad) read(ctx context.Context) error {
	f, t := l.feed, l.totals
	var files []reading
	for _, v := range libraries.Vocabularies() {
		files = append(files, of(f.TermFile(v, t.File(v.String()))))
	}
	return l.readAll(ctx, append(files,
		of(f.BookFile(t.File("books"))), of(f.LineFile(t.File("lines"))), of(f.ChannelFile(t.File("channels"))), of(f.ReaderFile(t.File("readers"))),
		of(f.LoanFile(t.File("loans"))), of(f.RenewalFile(t.File("renewals"))), of(f.ReservationFile(t.File("reservations"))),
		of(f.SessionFile(t.File("sessions"))), of(f.PreviewFile(t.File("previews"))), of(f.ActivityFile(t.File("activity"))),
		of(f.RequestFile(t.File("suggestions"))))...)
}

func (l *librariesLoad) save(ctx context.Context, done func(done, total int)) error {
	o := librariesdb.SaveOptions{Immediately: l.Immediately, Progress: done}
	var saved librariesdb.Saved
	var err error
	if l.Check {
		saved, err = l.store.Check(ctx, l.base, l.feed.Sorter, o)
	} else {
		saved, err = l.to.Save(ctx, l.feed.Intake, l.feed.Sorter, o)
	}
	if err != nil {
		return err
	}
	t, r := l.totals, l.totals.File("readers")
	r.New, r.Changed, r.Unchanged = saved.Readers.New, saved.Readers.Changed, saved.Readers.Unchanged
	r.Superseded = r.Rows - r.Bad - r.New - r.Changed - r.Unchanged
	t.New, t.Repeated = saved.New, saved.Repeated
	if saved.Hour != 0 { // a check before the first load has none
		t.Hour = saved.Hour.String()
	}
	t.Version = fmt.Sprintf("%d.%d", saved.Versions.Registers, saved.Versions.Facts)
	return nil
}

func (l *librariesLoad) close(ctx context.Context) error {
	var err error
	if l.feed != nil {
		err = l.feed.Close()
	}
	if l.to != nil {
		err = errors.Join(err, l.to.Close(ctx))
	}
	return err
}
