package report

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// listed answers one page of a list, with the hour of the state that the access names.
func listed[T any](a Access, page func() (page[T], error)) (List[T], error) {
	l, err := page()
	if err != nil {
		return List[T]{}, err
	}
	return List[T]{Hour: a.Hour, Rows: l.rows, Total: l.total}, nil
}

// page is one page of a list, and the number of rows of all its pages. The cache keeps some, since clients are known to ask
// for a page two or three times over.
type page[T any] struct {
	rows  []T
	total int64
}

// Bytes returns about the memory that the page holds.
func (l page[T]) Bytes() int { return 32 + int(unsafe.Sizeof(*new(T)))*cap(l.rows) }

// pageOf cuts a page out of all rows of a list. Its rows are those of all.
func pageOf[T any](all []T, p paging.Page) (page[T], error) {
	rows, err := paging.Cut(all, p)
	return page[T]{rows, int64(len(all))}, err
}

// since cuts off what lies before the history: nothing that is dated there exists (G6).
func (r *Reports) since(p calendar.Period) calendar.Period {
	p.Start = max(p.Start, r.history())
	return p
}

// daysIn returns the totals of the days of a period, none where it ends before it starts.
func (r *Reports) daysIn(ctx context.Context, a Access, p calendar.Period) (facts.Days, error) {
	all, err := r.days(ctx, a)
	if err != nil {
		return facts.Days{}, err
	}
	return all.In(p), nil
}

// daily is a list with a row for each of the readers of a day: engagements or logins. The days' totals say how many those
// are, so that the sheets of the days on the page alone are read.
type daily[T any] struct {
	name  string
	kind  state.Kind
	count func(*facts.DayTotals) int64
	// cut returns the rows of a day's sheet from one place up to but without another, fewer where the sheet has fewer.
	cut func(day calendar.Date, sheet []byte, from, to int) ([]T, error)
	// find returns the row of one reader, or none.
	find func(day calendar.Date, sheet []byte, reader int64) ([]T, error)
}

// list answers one page of the list.
func (d daily[T]) list(ctx context.Context, r *Reports, a Access, q DayQuery, p paging.Page) (List[T], error) {
	q.Period = r.since(q.Period)
	return listed(a, func() (page[T], error) {
		if q.Reader == nil {
			return d.page(ctx, r, a, q.Period, p)
		}
		all, err := state.Load(ctx, r.Cache, key(a, d.name+" of", q.Reader, q.Period), func(ctx context.Context) (page[T], error) {
			return d.of(ctx, r, a, q.Period, *q.Reader)
		})
		if err != nil {
			return page[T]{}, err
		}
		return pageOf(all.rows, p)
	})
}

// page returns one page of the rows of all readers.
func (d daily[T]) page(ctx context.Context, r *Reports, a Access, period calendar.Period, p paging.Page) (page[T], error) {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return page[T]{}, err
	}
	starts := groupsOf(days, d.count)
	l := page[T]{total: starts.Total()}
	spans, err := starts.Spans(p)
	if len(spans) == 0 {
		return l, err
	}
	first, last := days.Dates[spans[0].Group], days.Dates[spans[len(spans)-1].Group]
	sheet, err := r.sheets(ctx, a, d.kind, calendar.Period{Start: first, End: last})
	if err != nil {
		return l, err
	}
	for _, s := range spans {
		day := days.Dates[s.Group]
		rows, err := d.cut(day, sheet(day), s.From, s.To)
		if err == nil && len(rows) < s.To-s.From {
			err = fmt.Errorf("sheet and totals differ: %w", packed.ErrCorrupt)
		}
		if err != nil {
			return l, fmt.Errorf("%s of %s: %w", d.name, day, err)
		}
		if l.rows == nil { // most pages are of one day
			l.rows = rows
		} else {
			l.rows = append(l.rows, rows...)
		}
	}
	return l, nil
}

// of returns all rows of one reader. It looks into the sheet of every day.
func (d daily[T]) of(ctx context.Context, r *Reports, a Access, period calendar.Period, reader int64) (page[T], error) {
	days, err := r.daysIn(ctx, a, period)
	if err != nil || len(days.Dates) == 0 {
		return page[T]{}, err
	}
	rows, seen := make([][]T, len(days.Dates)), make([]bool, len(days.Dates))
	err = r.visitSheets(ctx, a, d.kind, period, func(_ int, day calendar.Date, sheet []byte) (err error) {
		i, _ := slices.BinarySearch(days.Dates, day)
		seen[i] = true
		if rows[i], err = d.find(day, sheet, reader); err != nil {
			err = fmt.Errorf("%s of %s: %w", d.name, day, err)
		}
		return err
	})
	if err != nil {
		return page[T]{}, err
	}
	for i, day := range days.Dates {
		if !seen[i] && d.count(&days.Totals[i]) > 0 {
			return page[T]{}, fmt.Errorf("%s of %s: no sheet: %w", d.name, day, packed.ErrCorrupt)
		}
	}
	return page[T]{rows: slices.Concat(rows...)}, nil
}

// groupsOf counts the rows that a list has of each day.
func groupsOf(d facts.Days, count func(*facts.DayTotals) int64) paging.Groups {
	counts := make([]int, len(d.Totals))
	for i := range d.Totals {
		counts[i] = int(count(&d.Totals[i]))
	}
	return paging.NewGroups(counts)
}
