package load

import (
	"context"
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
	tables  *tables
	sorter  *intake.Sorter
	drops   map[directory.UserID][2]int32 // counts the segments and accesses of accounts that may not be created
}

func (l *schoolsLoad) resources() []string {
	return []string{"entities", "accounts", "books", "segments", "accesses", "evaluations"}
}

func (l *schoolsLoad) begin(ctx context.Context) (*snapshotdb.Load, error) {
	if l.Check {
		return nil, nil
	}
	validate := func(earlier *intake.Intake, st intake.Stored) (*intake.Intake, error) {
		return l.validate(ctx, earlier, st)
	}
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
			l.intake, err = l.validate(ctx, nil, st)
		}
	} else {
		l.intake, err = l.held.Intake(ctx, l.ref)
	}
	if err != nil {
		return err
	}
	l.tell("read", l.folder.Done(), l.folder.Size())
	l.intake.TablesRead()
	l.drops = map[directory.UserID][2]int32{}
	for _, user := range l.intake.EventUsers() {
		l.drops[user] = [2]int32{}
	}
	err = l.readAll(ctx, of(events(l, "segments", 0, l.intake.Segment)), of(events(l, "accesses", 1, l.intake.Access)))
	l.intake.EventsRead()
	return err
}

func (l *schoolsLoad) save(ctx context.Context, done func(done, total int)) (err error) {
	var saved schoolsdb.Saved
	if l.Check {
		saved, err = l.store.Check(ctx, l.partner, l.intake, l.sorter, done)
	} else {
		saved, err = l.held.Save(ctx, l.intake, l.sorter, done)
	}
	if err == nil {
		err = l.reportLate(ctx)
	}
	if err != nil {
		return err
	}
	t := l.totals
	for user, to := range l.intake.Moves(saved.Last) {
		if to == 0 {
			n := l.drops[user]
			t.File("segments").Deleted += int(n[0])
			t.File("accesses").Deleted += int(n[1])
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
		if n, placed := l.drops[e.User]; placed {
			n[place]++
			l.drops[e.User] = n
		}
		return l.sorter.Add(e)
	}}
}

// tables are the files of the feed's tables. They are read again when they are validated again, since their rows would take most of
// the memory of a load.
type tables struct {
	entities    table[intake.EntityRow]
	accounts    table[intake.AccountRow]
	books       table[schools.Book]
	evaluations table[intake.EvaluationRow]
}

// table is the file of a table.
type table[R any] struct {
	bad    map[int]bool   // the lines of rows that the first validation found bad, nil before it
	reject row.Rejected   // reports a row
	late   []func() error // each reports a row that only the last validation found bad
}

// validation validates the rows of a table.
type validation[R any] func([]row.Lined[R], row.Rejected) (row.Counts, error)

// validate validates the tables against a snapshot. The last of several calls counts.
func (l *schoolsLoad) validate(ctx context.Context, earlier *intake.Intake, st intake.Stored) (*intake.Intake, error) {
	if earlier != nil {
		return l.validateAgain(ctx, earlier.Rebase(st))
	}
	history := schools.HistoryStart()
	if l.History != nil {
		history = *l.History
	}
	in := &intake.Intake{Stored: st, Began: l.began, History: history}
	l.tables = &tables{}
	t := l.tables
	return in, l.readAll(ctx,
		of(t.entities.file(l, "entities", in.Entities)), of(t.accounts.file(l, "accounts", in.Accounts)),
		of(t.books.file(l, "books", in.Books)), of(t.evaluations.file(l, "evaluations", in.Evaluations)))
}

// validateAgain validates the rows against a later snapshot. Rows that were bad are left out, and are not reported again. Rows that a
// directory write has made bad do not make the load fail (F6). They are counted, and reported as bad rows by reportLate.
func (l *schoolsLoad) validateAgain(ctx context.Context, in *intake.Intake) (*intake.Intake, error) {
	was := l.folder.Digest()
	quiet := *l.loading
	quiet.report, quiet.Progress = &feed.Report{}, nil
	t := l.tables
	err := quiet.readAll(ctx,
		of(t.entities.file(l, "entities", in.Entities)), of(t.accounts.file(l, "accounts", in.Accounts)),
		of(t.evaluations.file(l, "evaluations", in.Evaluations)))
	if err == nil {
		err = quiet.open(l)
	}
	if err == nil && quiet.folder.Digest() != was {
		err = errors.New("the files have changed since the load began; run it again")
	}
	return in, err
}

// file is the table's file, whose rows are counted from 0. They are validated when all are read.
func (t *table[R]) file(l *schoolsLoad, name string, validate validation[R]) row.File[R, R] {
	var rows []row.Lined[R]
	n := l.totals.File(name)
	*n = row.Counts{}
	return row.File[R, R]{
		Name: name, Counts: n,
		Check: func(r R) (R, error) { return r, nil },
		Take: func(r R, line int) error {
			if t.bad[line] {
				n.Bad++
			} else {
				rows = append(rows, row.Lined[R]{Line: line, Row: r})
			}
			return nil
		},
		End: func(_ context.Context, reject row.Rejected) error {
			first := t.bad == nil
			if first {
				t.bad, t.reject = map[int]bool{}, reject
			}
			t.late = nil
			c, err := validate(rows, func(line int, field, reason string) error {
				if first {
					t.bad[line] = true
					return reject(line, field, reason)
				}
				t.late = append(t.late, func() error { return t.reject(line, field, reason) })
				return nil
			})
			c.Rows = 0 // counted
			n.Add(c)
			return err
		},
	}
}

// reportLate reports the rows that directory writes made bad, if there is a report.
func (l *schoolsLoad) reportLate(ctx context.Context) error {
	if l.report == nil {
		return nil
	}
	for _, report := range slices.Concat(l.tables.entities.late, l.tables.accounts.late, l.tables.evaluations.late) {
		if err := report(); err != nil {
			return err
		}
	}
	return l.report.Flush(ctx)
}
