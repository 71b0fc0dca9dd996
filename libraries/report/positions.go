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

// listPositioned answers one page of a register: the rows of the positions that pass the query. The cost of a page does not depend
// on its depth.
func listPositioned[T any](
	ctx context.Context, r *Reports, a Access, q positionQuery, p paging.Page,
	rows func(context.Context, Access, ListPositions) ([]T, error),
) (List[T], error) {
	q.period = r.since(q.period)
	return listed(a, func() (page[T], error) {
		return state.Load(ctx, r.Cache, key(a, "register", q, p), func(ctx context.Context) (page[T], error) {
			positions, err := r.positioned(ctx, a, q, p)
			l := page[T]{total: positions.total}
			if err == nil && len(positions.rows) > 0 {
				l.rows, err = rows(ctx, a, positions.rows)
			}
			return l, err
		})
	})
}

// positioned returns one page of the positions that pass the query.
func (r *Reports) positioned(ctx context.Context, a Access, q positionQuery, p paging.Page) (page[ListPosition], error) {
	if q.reader == nil && q.book == nil {
		return r.positionedByDay(ctx, a, q, p)
	}
	k := key(a, "positions of", uint8(q.register), q.reader, q.book)
	all, err := state.Load(ctx, r.Cache, k, func(ctx context.Context) (ListPositions, error) {
		return r.Store.PositionsOf(ctx, a, q.register, q.reader, q.book)
	})
	if err != nil {
		return page[ListPosition]{}, err
	}
	return pageOf(q.filter(all.in(q.period)), p), nil
}

// positionedByDay returns one page of the positions of all readers and titles. The days' totals say how many each day has, so that
// the positions of the days on the page alone are read.
func (r *Reports) positionedByDay(ctx context.Context, a Access, q positionQuery, p paging.Page) (page[ListPosition], error) {
	days, err := r.daysIn(ctx, a, q.period)
	if err != nil {
		return page[ListPosition]{}, err
	}
	starts := groupsOf(days, q.count)
	l := page[ListPosition]{total: starts.Total()}
	for s := range starts.Spans(p) {
		day := days.Dates[s.Group]
		all, err := state.Load(ctx, r.Cache, key(a, "positions", uint8(q.register), day), func(ctx context.Context) (ListPositions, error) {
			return r.Store.Positions(ctx, a, q.register, day)
		})
		if err != nil {
			return l, err
		}
		positions := q.filter(all)
		if int64(len(positions)) != q.count(&days.Totals[s.Group]) {
			return l, fmt.Errorf("day %s: register %d and totals differ: %w", day, q.register, packed.ErrCorrupt)
		}
		l.rows = append(l.rows, positions[s.From:s.To]...)
	}
	return l, nil
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

// checkPositioned returns an error unless the rows that were read are those of the positions.
func checkPositioned[T any](what string, positions ListPositions, rows []T, id func(*T) int64) error {
	for i, m := range positions {
		if i >= len(rows) || id(&rows[i]) != m.ID {
			return fmt.Errorf("%s %d of %s is missing: %w", what, m.ID, m.Day, packed.ErrCorrupt)
		}
	}
	return nil
}
