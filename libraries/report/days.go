package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// DayQuery is what engagements and logins are asked.
type DayQuery struct {
	Period calendar.Period
	Reader *int64
}

// Engagement is one row of the engagements. Its measures are those up to ReservationsConverted.
type Engagement struct {
	Day      calendar.Date
	Reader   int64
	Measures metric.Measures
}

// LoginRow is one row of the dataset logins. First and Last are seconds of the Brasilia day.
type LoginRow struct {
	Day      calendar.Date
	Reader   int64
	Presence libraries.Presence
}

// daily is a list with a row for each of the readers of a day: engagements or logins. The days' totals say how many those
// are, so that only the blocks of the page's days are read.
type dayList[T any] struct {
	name  string
	count func(*facts.DayTotals) int64
	// cut returns the rows of a day from one up to but without another, fewer where the day has fewer.
	cut func(day calendar.Date, in *facts.DayOfReaders, from, to int) ([]T, error)
	// find returns the row of the reader of a place, or none.
	find func(day calendar.Date, in *facts.DayOfReaders, place int) ([]T, error)
}

// list answers one page of the list.
func (d dayList[T]) list(ctx context.Context, r *Reports, a Access, q DayQuery, p paging.Page) (paging.List[T], error) {
	q.Period = r.since(q.Period)
	if q.Reader == nil {
		return d.page(ctx, r, a, q.Period, p)
	}
	all, err := d.of(ctx, r, a, q.Period, *q.Reader)
	if err != nil {
		return paging.List[T]{}, err
	}
	return paging.ListOf(all, p)
}

// page returns one page of the rows of all readers.
func (d dayList[T]) page(ctx context.Context, r *Reports, a Access, period calendar.Period, p paging.Page) (paging.List[T], error) {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return paging.List[T]{}, err
	}
	starts := groupsOf(days, d.count)
	l := paging.List[T]{Total: starts.Total()}
	spans, err := starts.Spans(p)
	if len(spans) == 0 {
		return l, err
	}
	var span calendar.Period
	var blocks dayBlocks // of the span
	for _, s := range spans {
		day := days.Dates[s.Group]
		if blocks == nil || !span.Contains(day) {
			span = spanOf(day)
			if blocks, err = r.span(ctx, a, facts.DayOfReadersKind, span); err != nil {
				return l, err
			}
		}
		var rows []T
		var in facts.DayOfReaders
		err := packed.Open(blocks[day], &in)
		if err == nil {
			rows, err = d.cut(day, &in, s.From, s.To)
		}
		if err == nil && len(rows) < s.To-s.From {
			err = fmt.Errorf("block and totals differ: %w", packed.ErrCorrupt)
		}
		if err != nil {
			return l, fmt.Errorf("%s of %s: %w", d.name, day, err)
		}
		if l.Rows == nil { // most pages are of one day
			l.Rows = rows
		} else {
			l.Rows = append(l.Rows, rows...)
		}
	}
	return l, nil
}

// of returns all rows of one reader. It looks into the block of every day.
func (d dayList[T]) of(ctx context.Context, r *Reports, a Access, period calendar.Period, reader int64) ([]T, error) {
	days, err := r.daysIn(ctx, a, period)
	if err != nil || len(days.Dates) == 0 {
		return nil, err
	}
	rows, seen := make([][]T, len(days.Dates)), make([]bool, len(days.Dates))
	var in [scanWorkers]facts.DayOfReaders
	err = r.visitDays(ctx, a, facts.DayOfReadersKind, period, func(visitor int, day calendar.Date, block []byte) error {
		i, _ := slices.BinarySearch(days.Dates, day)
		seen[i] = true
		in := &in[visitor]
		err := packed.Open(block, in)
		if err == nil {
			if place, found := slices.BinarySearch(in.IDs, reader); found {
				rows[i], err = d.find(day, in, place)
			}
		}
		if err != nil {
			err = fmt.Errorf("%s of %s: %w", d.name, day, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, day := range days.Dates {
		if !seen[i] && d.count(&days.Totals[i]) > 0 {
			return nil, fmt.Errorf("%s of %s: no block: %w", d.name, day, packed.ErrCorrupt)
		}
	}
	return slices.Concat(rows...), nil
}

// groupsOf counts the rows that a list has of each day.
func groupsOf(d facts.Days, count func(*facts.DayTotals) int64) paging.Groups {
	counts := make([]int, len(d.Totals))
	for i := range d.Totals {
		counts[i] = int(count(&d.Totals[i]))
	}
	return paging.NewGroups(counts)
}

// Engagements answers one page of the engagements, by date, then reader.
func (r *Reports) Engagements(ctx context.Context, a Access, q DayQuery, p paging.Page) (paging.List[Engagement], error) {
	return engagements.list(ctx, r, a, q, p)
}

// engagements has a row where any metric is not 0 (L3): those of the days of readers.
var engagements = dayList[Engagement]{
	name:  "engagements",
	count: func(t *facts.DayTotals) int64 { return t.Readers },
	cut:   cutEngagements,
	find: func(day calendar.Date, in *facts.DayOfReaders, place int) ([]Engagement, error) {
		return cutEngagements(day, in, place, place+1)
	},
}

// cutEngagements returns the rows of the places from one up to but without another.
func cutEngagements(day calendar.Date, in *facts.DayOfReaders, from, to int) ([]Engagement, error) {
	ids := in.IDs[min(from, len(in.IDs)):min(to, len(in.IDs))]
	rows := make([]Engagement, len(ids))
	for i, id := range ids {
		rows[i].Day, rows[i].Reader = day, id
	}
	for m := metric.Logins; m <= metric.ReservationsConverted; m++ {
		err := in.Column(m, func(place int, value int64) {
			if i := place - from; i >= 0 && i < len(rows) {
				rows[i].Measures[m] = value
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// EngagementsSince answers one page of a round of the engagements.
func (r *Reports) EngagementsSince(ctx context.Context, a Access, since snapshot.Versions, q DayQuery, p paging.Page) (paging.List[Engagement], error) {
	q.Period = r.since(q.Period)
	k := sinceKey(a, since, "engagements", q)
	changed, err := snapshot.Load(ctx, r.Cache, k, func(ctx context.Context) (incremental.Rows, error) { return r.engagementsChanged(ctx, a, since, q) })
	if err != nil {
		return paging.List[Engagement]{}, err
	}
	return incremental.Page(changed, p,
		func(kept incremental.Rows) ([]Engagement, error) { return r.engagementsOf(ctx, a, kept) },
		func(c incremental.Row) Engagement { return Engagement{Day: calendar.Date(c.A), Reader: c.B} })
}

// engagementsChanged compares the days whose blocks differ, one by one.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, since snapshot.Versions, q DayQuery) (incremental.Rows, error) {
	days, err := r.Store.Changed(ctx, a, snapshot.LoadsAfter(since.Facts, a.At.Facts), facts.DayOfReadersKind)
	if err != nil {
		return nil, err
	}
	var changed incremental.Rows
	for _, day := range slices.Compact(days) {
		if !q.Period.Contains(calendar.Date(day)) {
			continue
		}
		was, err := r.engagementsOn(ctx, a.earlier(since), calendar.Date(day), q.Reader)
		if err != nil {
			return nil, err
		}
		now, err := r.engagementsOn(ctx, a, calendar.Date(day), q.Reader)
		if err == nil {
			err = incremental.Diff(&changed, was, now, func(e Engagement) incremental.Row { return incremental.Row{A: int64(e.Day), B: e.Reader} },
				func(x, y Engagement) bool { return x == y })
		}
		if err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// engagementsOn returns the rows of a day, or that of one reader.
func (r *Reports) engagementsOn(ctx context.Context, a Access, day calendar.Date, reader *int64) ([]Engagement, error) {
	var in facts.DayOfReaders
	one := snapshot.Range{Among: []int64{int64(day)}}
	err := r.blocks(ctx, a, facts.DayOfReadersKind, one, func(b snapshot.Block) error { return packed.Open(slices.Clone(b.Data), &in) })
	if err != nil {
		return nil, err
	}
	if reader == nil {
		return cutEngagements(day, &in, 0, len(in.IDs))
	}
	place, found := slices.BinarySearch(in.IDs, *reader)
	if !found {
		return nil, nil
	}
	return cutEngagements(day, &in, place, place+1)
}

// engagementsOf returns the rows of keys, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, keys incremental.Rows) ([]Engagement, error) {
	var rows []Engagement
	for len(keys) > 0 {
		day := keys[0].A
		all, err := r.engagementsOn(ctx, a, calendar.Date(day), nil)
		if err != nil {
			return nil, err
		}
		for ; len(keys) > 0 && keys[0].A == day; keys = keys[1:] {
			i, found := slices.BinarySearchFunc(all, keys[0].B, func(e Engagement, id int64) int { return cmp.Compare(e.Reader, id) })
			if found {
				rows = append(rows, all[i])
			}
		}
	}
	return rows, nil
}

// Logins answers one page of the days with activity, by date, then reader.
func (r *Reports) Logins(ctx context.Context, a Access, q DayQuery, p paging.Page) (paging.List[LoginRow], error) {
	return logins.list(ctx, r, a, q, p)
}

// logins has a row for each login of the engagements (L3).
var logins = dayList[LoginRow]{
	name:  "logins",
	count: func(t *facts.DayTotals) int64 { return t.Sums[metric.Logins] },
	cut:   cutLogins,
	find: func(day calendar.Date, in *facts.DayOfReaders, place int) (rows []LoginRow, err error) {
		err = in.VisitLogins(func(at int, p libraries.Presence) {
			if at == place {
				rows = []LoginRow{{day, in.IDs[place], p}}
			}
		})
		return rows, err
	},
}

func cutLogins(day calendar.Date, in *facts.DayOfReaders, from, to int) ([]LoginRow, error) {
	rows := make([]LoginRow, 0, to-from)
	row := 0
	err := in.VisitLogins(func(place int, p libraries.Presence) {
		if row >= from && row < to {
			rows = append(rows, LoginRow{day, in.IDs[place], p})
		}
		row++
	})
	return rows, err
}
