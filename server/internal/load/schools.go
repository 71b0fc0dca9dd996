package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/feed"
)

// The counts of a file of schools: of a table, and of events.
const (
	schoolRegister = " rows new changed unchanged superseded deleted bad"
	schoolEvents   = " rows beforeHistory deleted bad"
)

// Schools loads a feed into a partner, who has a reference.
func Schools(ctx context.Context, store *schoolsdb.Store, partner directory.PartnerID, ref directory.Ref, files fs.FS, o Options) (*feed.Totals, error) {
	l := newLoading(files, o, feed.NewTotals(false, "entities"+schoolRegister, "accounts"+schoolRegister, "books"+schoolRegister,
		"evaluations"+schoolRegister, "segments"+schoolEvents, "accesses"+schoolEvents))
	return l.run(ctx, &schoolsLoad{
		loading: l, store: store, partner: partner, ref: ref, began: l.Now(),
		sorter: &intake.Sorter{Sorter: extsort.Sorter{Dir: l.TempDir, Limit: l.MemoryLimit}},
	})
}

// schoolsLoad is a load of schools, a domain.
type schoolsLoad struct {
	*loading
	store   *schoolsdb.Store
	partner directory.PartnerID
	ref     directory.Ref
	began   time.Time
	held    *schoolsdb.Load // nil in a check
	intake  *intake.Intake  // the one that the events are read by
	rows    *rows
	sorter  *intake.Sorter
	drops   map[directory.UserID]*[2]int // counts the segments and accesses of accounts that may not be created
}

func (l *schoolsLoad) resources() []string {
	return []string{"entities", "accounts", "books", "segments", "accesses", "evaluations"}
}

func (l *schoolsLoad) begin(ctx context.Context) (*snapshotdb.Load, error) {
	if l.Check {
		return nil, nil
	}
	validate := func(st intake.Stored) (*intake.Intake, error) { return l.validate(ctx, st) }
	held, err := l.store.Begin(ctx, l.partner, validate, func() { l.tell("wait", 0, 0) })
	if err != nil {
		return nil, err
	}
	l.held = held
	return held.Load, nil
}

// read reads and validates the tables, and sorts the events.
func (l *schoolsLoad) read(ctx context.Context) (err error) {
	if l.Check {
		var st intake.Stored
		if st, err = l.store.State(ctx, l.partner, l.ref); err == nil {
			l.keep(ctx, l.store.Snapshots(), auth.Tenant(l.partner), st.At)
			l.intake, err = l.validate(ctx, st)
		}
	} else {
		l.intake, err = l.held.Intake(ctx, l.ref)
	}
	if err != nil {
		return err
	}
	l.tell("read", l.folder.Done(), l.folder.Size())
	placed := l.intake.EventUsers()
	l.drops = make(map[directory.UserID]*[2]int, len(placed))
	for _, user := range placed {
		l.drops[user] = new([2]int)
	}
	return l.readAll(ctx, of(events(l, "segments", 0, l.intake.Segment)), of(events(l, "accesses", 1, l.intake.Access)))
}

func (l *schoolsLoad) save(ctx context.Context, done func(done, total int)) (err error) {
	var saved schoolsdb.Saved
	if l.Check {
		saved, err = l.store.Check(ctx, l.partner, l.intake, l.sorter, done)
	} else {
		saved, err = l.held.Save(ctx, l.intake, l.sorter, done)
	}
	if err == nil {
		err = l.rows.list(ctx, l.report)
	}
	if err != nil {
		return err
	}
	t := l.totals
	for user, to := range l.intake.Moves(saved.Last) {
		if n := l.drops[user]; n != nil && to == 0 {
			t.File("segments").Deleted += n[0]
			t.File("accesses").Deleted += n[1]
		}
	}
	t.New, t.Repeated = saved.New, saved.Repeated
	t.Version = fmt.Sprintf("%d.%d", saved.Versions.Registers, saved.Versions.Facts)
	return nil
}

func (l *schoolsLoad) close(ctx context.Context) error {
	err := l.sorter.Close()
	if l.held != nil {
		err = errors.Join(l.held.Close(ctx), err)
	}
	return err
}

// events is a file of events, which drops counts at a place.
func events[R any](l *schoolsLoad, name string, place int, check func(R) (schools.Event, error)) row.File[R, schools.Event] {
	return row.File[R, schools.Event]{Name: name, Check: check, Counts: l.totals.File(name), Take: func(e schools.Event, _ int) error {
		if n := l.drops[e.User]; n != nil {
			n[place]++
		}
		return l.sorter.Add(e)
	}}
}

// rows are the good rows of the feed's tables, as they were read.
type rows struct {
	entities    table[intake.EntityRow]
	accounts    table[intake.AccountRow]
	books       table[schools.Book]
	evaluations table[intake.EvaluationRow]
}

// table has the rows of one file. Rows that are bad when the load begins are counted and left out.
type table[R any] struct {
	rows   []row.Lined[R]
	bad    int
	reject row.Rejected
	worse  []func() error // each reports a row that only the last validation found bad
}

// validation validates the rows of a table.
type validation[R any] func([]row.Lined[R], row.Rejected) (row.Counts, error)

// validate validates the tables against a snapshot. The first call reads them; the last of several calls counts.
func (l *schoolsLoad) validate(ctx context.Context, st intake.Stored) (*intake.Intake, error) {
	if l.rows != nil {
		return l.validateAgain(l.intake.Rebase(st))
	}
	history := schools.HistoryStart()
	if l.History != nil {
		history = *l.History
	}
	in := &intake.Intake{
		Stored: st, Began: l.began, History: history,
		NewToken: func() (string, error) { return directory.NewAccessToken(rand.Reader) },
	}
	l.intake, l.rows = in, &rows{}
	r, t := l.rows, l.totals
	return in, l.readAll(ctx,
		of(r.entities.file("entities", in.Entities, t.File("entities"))), of(r.accounts.file("accounts", in.Accounts, t.File("accounts"))),
		of(r.books.file("books", in.Books, t.File("books"))), of(r.evaluations.file("evaluations", in.Evaluations, t.File("evaluations"))))
}

// validateAgain validates the good rows against a later snapshot. Rows that a directory write has made bad do not make the load
// fail (F6). They are counted, and reported as bad rows.
func (l *schoolsLoad) validateAgain(in *intake.Intake) (_ *intake.Intake, err error) {
	t := l.totals
	if *t.File("entities"), err = l.rows.entities.again(in.Entities); err != nil {
		return in, err
	}
	if *t.File("accounts"), err = l.rows.accounts.again(in.Accounts); err != nil {
		return in, err
	}
	*t.File("evaluations"), err = l.rows.evaluations.again(in.Evaluations)
	return in, err
}

// file is the table's file. Its rows are validated when all are read.
func (t *table[R]) file(name string, validate validation[R], n *row.Counts) row.File[R, R] {
	return row.File[R, R]{
		Name: name, Counts: n,
		Check: func(r R) (R, error) { return r, nil },
		Take: func(r R, line int) error {
			t.rows = append(t.rows, row.Lined[R]{Line: line, Row: r})
			return nil
		},
		End: func(_ context.Context, reject row.Rejected) (err error) {
			t.bad, t.reject = n.Bad, reject
			bad := map[int]bool{}
			*n, err = t.count(validate, func(line int, field, reason string) error {
				bad[line] = true
				return reject(line, field, reason)
			})
			t.rows = slices.DeleteFunc(t.rows, func(r row.Lined[R]) bool { return bad[r.Line] })
			t.bad = n.Bad
			return err
		},
	}
}

// count validates the rows, and counts those that were bad before too.
func (t *table[R]) count(validate validation[R], bad row.Rejected) (row.Counts, error) {
	n, err := validate(t.rows, bad)
	n.Rows += t.bad
	n.Bad += t.bad
	return n, err
}

// again validates the rows against a later snapshot.
func (t *table[R]) again(validate validation[R]) (row.Counts, error) {
	t.worse = nil
	return t.count(validate, func(line int, field, reason string) error {
		t.worse = append(t.worse, func() error { return t.reject(line, field, reason) })
		return nil
	})
}

// list reports the rows that directory writes made bad, if there is a report.
func (r *rows) list(ctx context.Context, report *feed.Report) error {
	if report == nil {
		return nil
	}
	for _, list := range slices.Concat(r.entities.worse, r.accounts.worse, r.evaluations.worse) {
		if err := list(); err != nil {
			return err
		}
	}
	return report.Flush(ctx)
}
