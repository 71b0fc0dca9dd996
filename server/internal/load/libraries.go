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
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/server/feed"
)

// The counts of a file of libraries: of a table, and of events.
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

// librariesLoad is a load of libraries, a domain.
type librariesLoad struct {
	*loading
	store   *librariesdb.Store
	network libraries.NetworkID
	base    report.Access     // to the snapshot that the feed is compared with
	to      *librariesdb.Load // nil in a check

	intake       *intake.Intake
	sorter       *intake.Sorter
	loans        *intake.RecordSorter[libraries.Loan]
	reservations *intake.RecordSorter[libraries.Reservation]
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
	stored, err := l.store.State(ctx, l.base)
	history := libraries.HistoryStart
	if l.History != nil {
		history = *l.History
	}
	l.intake = intake.NewIntake(stored, l.Now(), history)
	l.sorter = &intake.Sorter{Sorter: extsort.Sorter{Dir: l.TempDir, Limit: l.MemoryLimit}}
	l.loans, l.reservations = l.store.RecordSorters(l.intake, l.sorter, l.base)
	l.loans.Progress = func(done, total int) { l.tell("reconcile", int64(done), int64(total)) }
	l.reservations.Progress = l.loans.Progress
	return lease, err
}

// read reads the files, each after those that it refers to.
func (l *librariesLoad) read(ctx context.Context) error {
	in, s := l.intake, l.sorter
	var files []reading
	for _, v := range libraries.Vocabularies() {
		term := func(t libraries.Term) (intake.Term, error) { return intake.Term{Vocabulary: v, Term: t}, nil }
		files = append(files, of(tableFile(l, v.String(), term, in.Terms.Validate)))
	}
	addReader := func(r libraries.Reader) error {
		in.AddReader(r.ID)
		return s.AddReader(r)
	}
	return l.readAll(ctx, append(files,
		of(tableFile(l, "books", in.Book, in.Books.Validate)), of(tableFile(l, "lines", in.Line, in.Lines.Validate)), of(tableFile(l, "channels", in.Channel, in.Channels.Validate)),
		of(eventFile(l, "readers", in.Reader, addReader)), of(recordFile(l, "loans", in.Loan, l.loans)), of(eventFile(l, "renewals", in.Renewal, s.AddEvent)),
		of(recordFile(l, "reservations", in.Reservation, l.reservations)), of(eventFile(l, "sessions", in.Session, s.AddEvent)),
		of(eventFile(l, "previews", in.Preview, s.AddEvent)), of(eventFile(l, "activity", in.Activity, s.AddEvent)),
		of(eventFile(l, "suggestions", in.Request, s.AddRequest)))...)
}

// tableFile is a file whose rows are validated together when all are read.
func tableFile[R, V any](l *librariesLoad, name string, check func(R) (V, error), validate func([]row.Lined[V]) row.Counts) row.File[R, V] {
	var rows []row.Lined[V]
	n := l.totals.File(name)
	return row.File[R, V]{Name: name, Check: check, Counts: n, Take: func(v V, line int) error {
		rows = append(rows, row.Lined[V]{Line: line, Row: v})
		return nil
	}, End: func(context.Context, row.Rejected) error {
		read := *n
		*n = validate(rows)
		n.Rows, n.Bad = read.Rows, read.Bad
		return nil
	}}
}

// eventFile is a file whose rows are sorted by reader as they are read.
func eventFile[R, V any](l *librariesLoad, name string, check func(R) (V, error), add func(V) error) row.File[R, V] {
	return row.File[R, V]{Name: name, Check: check, Counts: l.totals.File(name), Take: func(v V, _ int) error { return add(v) }}
}

// recordFile is the file of loans or of reservations.
func recordFile[T libraries.LoanOrReservation](l *librariesLoad, name string, check func(T) (T, error), s *intake.RecordSorter[T]) row.File[T, T] {
	n := l.totals.File(name)
	return row.File[T, T]{Name: name, Check: check, Counts: n, Take: s.Add, End: func(ctx context.Context, bad row.Rejected) error {
		return s.Reconcile(ctx, n, bad)
	}}
}

func (l *librariesLoad) save(ctx context.Context, done func(done, total int)) error {
	o := librariesdb.SaveOptions{Immediately: l.Immediately, Progress: done}
	var saved librariesdb.Saved
	var err error
	if l.Check {
		saved, err = l.store.Check(ctx, l.base, l.sorter, o)
	} else {
		saved, err = l.to.Save(ctx, l.intake, l.sorter, o)
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

func (l *librariesLoad) close(ctx context.Context) (err error) {
	if l.intake != nil {
		err = errors.Join(l.sorter.Close(), l.loans.Close(), l.reservations.Close())
	}
	if l.to != nil {
		err = errors.Join(err, l.to.Close(ctx))
	}
	return err
}
