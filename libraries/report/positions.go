package report

import (
	"context"
	"fmt"
	"sort"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// positionQuery asks for the positions of loans or reservations. Status is one of the register's, 0 every one.
type positionQuery struct {
	register     Register
	period       calendar.Period
	reader, book *int64
	status       uint8
}

// positioned is how the records of a register are read, and rows made of those of a page.
type positioned[R, T any] struct {
	in   func(context.Context, Access, Window) ([]R, error)
	at   func(context.Context, Access, ListPositions) ([]R, error)
	key  func(*R) (calendar.Date, int64)
	rows func(ctx context.Context, a Access, read func() ([]R, error)) ([]T, error)
}

// listPositioned answers one page of a register: the rows of the records that pass the query. The cost of a page does not depend
// on its depth.
func listPositioned[R, T any](ctx context.Context, r *Reports, a Access, q positionQuery, p paging.Page, of positioned[R, T]) (List[T], error) {
	q.period = r.since(q.period)
	return listed(a, func() (page[T], error) {
		return state.Load(ctx, r.Cache, key(a, "register", q, p), func(ctx context.Context) (page[T], error) {
			if q.reader == nil && q.book == nil {
				return of.byDay(ctx, r, a, q, p)
			}
			k := key(a, "positions of", uint8(q.register), q.reader, q.book)
			all, err := state.Load(ctx, r.Cache, k, func(ctx context.Context) (ListPositions, error) {
				return r.Store.PositionsOf(ctx, a, q.register, q.reader, q.book)
			})
			if err != nil {
				return page[T]{}, err
			}
			positions, err := pageOf(q.filter(all.in(q.period)), p)
			l := page[T]{total: positions.total}
			if err == nil && len(positions.rows) > 0 {
				l.rows, err = of.rowsAt(ctx, a, positions.rows)
			}
			return l, err
		})
	})
}

// rowsAt returns the rows of positions.
func (of positioned[R, T]) rowsAt(ctx context.Context, a Access, positions ListPositions) ([]T, error) {
	return of.rows(ctx, a, func() ([]R, error) {
		list, err := of.at(ctx, a, positions)
		for i, m := range positions {
			if err != nil {
				break
			}
			if i >= len(list) || !of.is(&list[i], m.Day, &m.ID) {
				err = fmt.Errorf("%d of %s is missing: %w", m.ID, m.Day, packed.ErrCorrupt)
			}
		}
		return list, err
	})
}

// is reports whether a record is of a day, and has the identifier, where one is given.
func (of positioned[R, T]) is(v *R, day calendar.Date, id *int64) bool {
	d, n := of.key(v)
	return d == day && (id == nil || n == *id)
}

// byDay returns one page of the rows of all readers and titles. The days' totals say how many each day has, so that a page begins
// some rows behind the first of a day.
func (of positioned[R, T]) byDay(ctx context.Context, r *Reports, a Access, q positionQuery, p paging.Page) (page[T], error) {
	days, err := r.daysIn(ctx, a, q.period)
	if err != nil {
		return page[T]{}, err
	}
	starts := groupsOf(days, q.count)
	l := page[T]{total: starts.Total()}
	spans, err := starts.Spans(p)
	if len(spans) == 0 {
		return l, err
	}
	w := Window{Status: q.status, Skip: spans[0].From}
	w.Period = calendar.Period{Start: days.Dates[spans[0].Group], End: days.Dates[spans[len(spans)-1].Group]}
	for _, s := range spans {
		w.Size += s.To - s.From
	}
	l.rows, err = of.rows(ctx, a, func() ([]R, error) {
		list, err := of.in(ctx, a, w)
		if err == nil && !of.stand(list, days.Dates, spans) {
			err = fmt.Errorf("days %s to %s: register %d and totals differ: %w", w.Period.Start, w.Period.End, q.register, packed.ErrCorrupt)
		}
		return list, err
	})
	return l, err
}

// stand reports whether records are as many of each day as the parts of days say.
func (of positioned[R, T]) stand(list []R, dates []calendar.Date, spans []paging.Span) bool {
	for _, s := range spans {
		for range s.To - s.From {
			if len(list) == 0 || !of.is(&list[0], dates[s.Group], nil) {
				return false
			}
			list = list[1:]
		}
	}
	return len(list) == 0
}

// count returns how many positions of a day have the status.
func (q positionQuery) count(t *facts.DayTotals) int64 {
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

// filter returns the positions that have the status. They are all, or a copy.
func (q positionQuery) filter(all ListPositions) ListPositions {
	if q.status == 0 {
		return all
	}
	var some ListPositions
	for _, m := range all {
		if m.Status == q.status {
			some = append(some, m)
		}
	}
	return some
}

// in returns the positions of a period.
func (m ListPositions) in(p calendar.Period) ListPositions {
	if p.Start > p.End {
		return nil
	}
	from := sort.Search(len(m), func(i int) bool { return m[i].Day >= p.Start })
	to := sort.Search(len(m), func(i int) bool { return m[i].Day > p.End })
	return m[from:to]
}
