package schoolsload

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// rows are the good rows of the feed's registers, as they were read.
type rows struct {
	entities    table[intake.EntityRow]
	accounts    table[intake.AccountRow]
	books       table[schools.Book]
	evaluations table[intake.EvaluationRow]
}

// table are the rows of one register file. Those that are bad when the load begins are counted and left.
type table[R any] struct {
	rows   []row.Lined[R]
	bad    int
	reject row.Rejected
	worse  []func() error // each reports a row that the last of several settlings found bad
}

// settling settles the rows of a register.
type settling[R any] func([]row.Lined[R], row.Rejected) (intake.Counts, error)

// settle settles the registers against a state. The first time it reads them; the last of several counts.
func (l *loading) settle(ctx context.Context, st intake.State) (*intake.Intake, error) {
	if l.rows != nil {
		return l.settleAgain(l.intake.Again(st))
	}
	history := schools.HistoryStart()
	if l.History != nil {
		history = *l.History
	}
	in := &intake.Intake{
		State: st, Began: l.began, History: history,
		NewToken: func() (string, error) { return directory.NewAccessToken(rand.Reader) },
	}
	l.intake, l.rows = in, &rows{}
	t := l.totals
	err := load.Read(ctx, l.Load, l.rows.entities.file("entities", in.Entities, &t.Entities))
	if err == nil {
		err = load.Read(ctx, l.Load, l.rows.accounts.file("accounts", in.Accounts, &t.Accounts))
	}
	if err == nil {
		err = load.Read(ctx, l.Load, l.rows.books.file("books", in.Books, &t.Books))
	}
	if err == nil {
		err = load.Read(ctx, l.Load, l.rows.evaluations.file("evaluations", in.Evaluations, &t.Evaluations))
	}
	return in, err
}

// settleAgain settles the rows that were good against a later state. What a directory write has made bad since does not make
// the load fail (F6): it is counted, and listed where bad rows are.
func (l *loading) settleAgain(in *intake.Intake) (_ *intake.Intake, err error) {
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

// file is the register's file, whose rows are settled when all are there.
func (t *table[R]) file(name string, settle settling[R], n *intake.Counts) row.File[R, R] {
	return row.File[R, R]{
		Name: name, Rows: &n.Rows, Bad: &n.Bad,
		Check: func(r R) (R, error) { return r, nil },
		Take: func(r R, line int) error {
			t.rows = append(t.rows, row.Lined[R]{Line: line, Row: r})
			return nil
		},
		End: func(_ context.Context, reject row.Rejected) (err error) {
			t.bad, t.reject = n.Bad, reject
			bad := map[int]bool{}
			*n, err = t.settle(settle, func(line int, field, reason string) error {
				bad[line] = true
				return reject(line, field, reason)
			})
			t.rows = slices.DeleteFunc(t.rows, func(r row.Lined[R]) bool { return bad[r.Line] })
			t.bad = n.Bad
			return err
		},
	}
}

// settle settles the rows and counts those that were bad before.
func (t *table[R]) settle(settle settling[R], bad row.Rejected) (intake.Counts, error) {
	n, err := settle(t.rows, bad)
	n.Rows += t.bad
	n.Bad += t.bad
	return n, err
}

// again settles the rows against a later state.
func (t *table[R]) again(settle settling[R]) (intake.Counts, error) {
	t.worse = nil
	return t.settle(settle, func(line int, field, reason string) error {
		t.worse = append(t.worse, func() error { return t.reject(line, field, reason) })
		return nil
	})
}

// list lists the rows that directory writes made bad, if there is a place for it.
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
