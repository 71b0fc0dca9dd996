package schoolsload

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/feed"
)

// rows are the good rows of the feed's registers, as they were read.
type rows struct {
	entities    table[schoolsdb.EntityRow]
	accounts    table[schoolsdb.AccountRow]
	books       table[schools.Book]
	evaluations table[schoolsdb.EvaluationRow]
}

// table are the rows of one register file. Those that are bad when the load begins are counted and left.
type table[R any] struct {
	*feed.Register[R]
	worse []*feed.RowError // those that the last of several settlings found bad
}

// settling settles the rows of a register.
type settling[R any] func([]row.Lined[R], row.Rejected) (schoolsdb.Counts, error)

// settle settles the registers against a state. The first time it reads them; the last of several counts.
func (l *loading) settle(ctx context.Context, st schoolsdb.State) (*schoolsdb.Intake, error) {
	if l.rows != nil {
		return l.settleAgain(l.intake.Again(st))
	}
	history := schools.HistoryStart()
	if l.History != nil {
		history = *l.History
	}
	in := &schoolsdb.Intake{
		State: st, Began: l.began, History: history,
		NewToken: func() (string, error) { return directory.NewAccessToken(rand.Reader) },
	}
	l.intake, l.rows = in, &rows{}
	t := l.totals
	for _, read := range []func() error{
		func() error { return read(ctx, l, "entities", &l.rows.entities, in.Entities, &t.Entities) },
		func() error { return read(ctx, l, "accounts", &l.rows.accounts, in.Accounts, &t.Accounts) },
		func() error { return read(ctx, l, "books", &l.rows.books, in.Books, &t.Books) },
		func() error { return read(ctx, l, "evaluations", &l.rows.evaluations, in.Evaluations, &t.Evaluations) },
	} {
		if err := read(); err != nil {
			return in, err
		}
	}
	return in, nil
}

// settleAgain settles the rows that were good against a later state. What a directory write has made bad since does not make
// the load fail (F6): it is counted, and listed where bad rows are.
func (l *loading) settleAgain(in *schoolsdb.Intake) (_ *schoolsdb.Intake, err error) {
	t := l.totals
	if t.Entities, err = l.rows.entities.again(in.Entities); err != nil {
		return in, err
	}
	if t.Accounts, err = l.rows.accounts.again(in.Accounts); err != nil {
		return in, err
	}
	t.Evaluations, err = l.rows.evaluations.again(in.Evaluations)
	return in, err
}

// read reads one register file whole, and settles its rows for the first time.
func read[R any, P feed.Record[R]](ctx context.Context, l *loading, resource string, t *table[R], settle settling[R], n *schoolsdb.Counts) (err error) {
	if t.Register, err = feed.ReadRegister[R, P](ctx, l.Loading(), resource); err != nil {
		return err
	}
	l.Tell("read", l.Folder.Done(), l.Folder.Size())
	bad := map[int]bool{}
	*n, err = t.settle(settle, func(line int, field, reason string) error {
		bad[line] = true
		return t.Rejected(line, field, reason)
	})
	l.Count(n.Rows)
	if err != nil {
		return err
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(r row.Lined[R]) bool { return bad[r.Line] })
	t.Bad = n.Bad
	return l.Report.Flush(ctx)
}

// settle settles the rows and counts those that were bad before.
func (t *table[R]) settle(settle settling[R], bad row.Rejected) (schoolsdb.Counts, error) {
	n, err := settle(t.Rows, bad)
	n.Rows += t.Bad
	n.Bad += t.Bad
	return n, err
}

// again settles the rows against a later state.
func (t *table[R]) again(settle settling[R]) (schoolsdb.Counts, error) {
	t.worse = nil
	return t.settle(settle, func(line int, field, reason string) error {
		t.worse = append(t.worse, t.Fault(line, field, reason))
		return nil
	})
}

// list lists the rows that directory writes made bad, if there is a place for it.
func (r *rows) list(ctx context.Context, report *feed.Report) error {
	if report == nil {
		return nil
	}
	return cmp.Or(r.entities.Report(ctx, report, r.entities.worse), r.accounts.Report(ctx, report, r.accounts.worse),
		r.evaluations.Report(ctx, report, r.evaluations.worse), report.Flush(ctx))
}
