package libraries

import (
	"context"
	"fmt"
	"sort"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// markQuery asks for the marks of loans or reservations. Status is one of the register's, 0 every one.
type markQuery struct {
	register     Register
	period       calendar.Period
	reader, book *int64
	status       uint8
}

// listMarked answers one page of a register: the rows of the marks that pass the query. The cost of a page does not depend
// on its depth.
func listMarked[T any](
	ctx context.Context, r *Reports, a Access, q markQuery, p paging.Page,
	rows func(context.Context, Access, Marks) ([]T, error),
) (List[T], error) {
	q.period = r.since(q.period)
	return listed(a, func() (leaf[T], error) {
		k := key(a, "register", uint8(q.register), q.period, q.reader, q.book, q.status, p)
		return state.Load(ctx, r.Cache, k, func(ctx context.Context) (leaf[T], error) {
			marks, err := r.marked(ctx, a, q, p)
			l := leaf[T]{total: marks.total}
			if err == nil && len(marks.rows) > 0 {
				l.rows, err = rows(ctx, a, marks.rows)
			}
			return l, err
		})
	})
}

// marked returns one page of the marks that pass the query.
func (r *Reports) marked(ctx context.Context, a Access, q markQuery, p paging.Page) (leaf[Mark], error) {
	if q.reader == nil && q.book == nil {
		return r.markedByDay(ctx, a, q, p)
	}
	k := key(a, "marks of", uint8(q.register), q.reader, q.book)
	all, err := state.Load(ctx, r.Cache, k, func(ctx context.Context) (Marks, error) {
		return r.Store.MarksOf(ctx, a, q.register, q.reader, q.book)
	})
	if err != nil {
		return leaf[Mark]{}, err
	}
	return leafOf(q.filter(all.in(q.period)), p), nil
}

// markedByDay returns one page of the marks of all readers and titles. The days' totals say how many each day has, so that
// the marks of the days on the page alone are read.
func (r *Reports) markedByDay(ctx context.Context, a Access, q markQuery, p paging.Page) (leaf[Mark], error) {
	days, err := r.daysIn(ctx, a, q.period)
	if err != nil {
		return leaf[Mark]{}, err
	}
	starts := days.groups(q.count)
	l := leaf[Mark]{total: starts.Total()}
	for s := range starts.Spans(p) {
		day := days.Dates[s.Group]
		all, err := state.Load(ctx, r.Cache, key(a, "marks", uint8(q.register), day), func(ctx context.Context) (Marks, error) {
			return r.Store.Marks(ctx, a, q.register, day)
		})
		if err != nil {
			return l, err
		}
		marks := q.filter(all)
		if int64(len(marks)) != q.count(&days.Totals[s.Group]) {
			return l, fmt.Errorf("day %s: register %d and totals differ: %w", day, q.register, packed.ErrCorrupt)
		}
		l.rows = append(l.rows, marks[s.From:s.To]...)
	}
	return l, nil
}

// count returns how many marks of a day have the status.
func (q markQuery) count(t *DayTotals) int64 {
	counts := t.Counts.LoansByStatus[:]
	if q.register == ReservationRegister {
		counts = t.Counts.ReservationsByStatus[:]
	}
	sum := int64(0)
	for status, n := range counts {
		if q.status == 0 || int(q.status) == status {
			sum += n
		}
	}
	return sum
}

// filter returns the marks that have the status. They are all, or a copy.
func (q markQuery) filter(all Marks) Marks {
	if q.status == 0 {
		return all
	}
	var some Marks
	for _, m := range all {
		if m.Status == q.status {
			some = append(some, m)
		}
	}
	return some
}

// in returns the marks of a period.
func (m Marks) in(p calendar.Period) Marks {
	if p.Start > p.End {
		return nil
	}
	from := sort.Search(len(m), func(i int) bool { return m[i].Day >= p.Start })
	to := sort.Search(len(m), func(i int) bool { return m[i].Day > p.End })
	return m[from:to]
}

// checkMarked returns an error unless the rows that were read are those of the marks.
func checkMarked[T any](what string, marks Marks, rows []T, id func(*T) int64) error {
	for i, m := range marks {
		if i >= len(rows) || id(&rows[i]) != m.ID {
			return fmt.Errorf("%s %d of %s is missing: %w", what, m.ID, m.Day, packed.ErrCorrupt)
		}
	}
	return nil
}
