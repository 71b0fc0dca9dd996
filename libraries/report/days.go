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

// DayQuery has the parameters of engagements and logins.
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

// LoginRow is one row of the dataset logins.
type LoginRow struct {
	Day      calendar.Date
	Reader   int64
	Presence libraries.Presence
}

// dayList is a list with a row for some readers of each day: engagements or logins. The totals of the days tell how
// many, so only the blocks of a page's days are read.
type dayList[T any] struct {
	count func(*facts.DayTotals) int64
	// cut returns the rows of a day from the index from up to to, fewer if the day has fewer.
	cut func(day calendar.Date, in *facts.DayOfReaders, from, to int) ([]T, error)
	// find returns the row of the reader at a place, if there is one.
	find func(day calendar.Date, in *facts.DayOfReaders, place int) ([]T, error)
}

// list returns one page of the list.
func (d dayList[T]) list(ctx context.Context, r *Reports, a Access, q DayQuery, p paging.Page) (paging.List[T], error) {
	counted, err := r.network(ctx, a)
	if err != nil {
		return paging.List[T]{}, err
	}
	days := counted.Days.In(r.since(q.Period))
	if q.Reader == nil {
		return d.page(ctx, r, a, days, p)
	}
	all, err := d.ofReader(ctx, r, a, days, *q.Reader)
	if err != nil {
		return paging.List[T]{}, err
	}
	return paging.ListOf(all, p)
}

// page returns one page of the rows of all readers.
func (d dayList[T]) page(ctx context.Context, r *Reports, a Access, days facts.Days, p paging.Page) (paging.List[T], error) {
	starts := rowsByDay(days, d.count)
	l := paging.List[T]{Total: starts.Total()}
	spans, err := starts.Spans(p)
	var read calendar.Period
	var blocks dayBlocks // of the days that were read
	for _, s := range spans {
		day := days.Dates[s.Group]
		if blocks == nil || !read.Contains(day) {
			read = spanOf(day)
			if blocks, err = r.span(ctx, a, facts.DayOfReadersKind, read); err != nil {
				return l, err
			}
		}
		var in facts.DayOfReaders
		if err := packed.Open(blocks[day], &in); err != nil {
			return l, fmt.Errorf("readers of %s: %w", day, err)
		}
		rows, err := d.cut(day, &in, s.From, s.To)
		if err == nil && len(rows) < s.To-s.From {
			err = packed.ErrCorrupt
		}
		if err != nil {
			return l, fmt.Errorf("rows %d to %d of %s: %w", s.From, s.To, day, err)
		}
		l.Rows = append(l.Rows, rows...)
	}
	return l, err
}

// ofReader returns all rows of one reader. It reads the block of every day.
func (d dayList[T]) ofReader(ctx context.Context, r *Reports, a Access, days facts.Days, reader int64) ([]T, error) {
	if len(days.Dates) == 0 {
		return nil, nil
	}
	rows := make([][]T, len(days.Dates)) // nil for a day without a block
	var buffers [scanWorkers]facts.DayOfReaders
	period := calendar.Period{Start: days.Dates[0], End: days.Dates[len(days.Dates)-1]}
	err := r.scanDays(ctx, a, facts.DayOfReadersKind, period, func(worker int, day calendar.Date, block []byte) error {
		in := &buffers[worker]
		if err := packed.Open(block, in); err != nil {
			return err
		}
		i, _ := slices.BinarySearch(days.Dates, day)
		rows[i] = []T{}
		place, found := slices.BinarySearch(in.IDs, reader)
		if !found {
			return nil
		}
		row, err := d.find(day, in, place)
		rows[i] = append(rows[i], row...)
		return err
	})
	for i, day := range days.Dates {
		if err == nil && rows[i] == nil && d.count(&days.Totals[i]) > 0 {
			err = fmt.Errorf("readers of %s: no block: %w", day, packed.ErrCorrupt)
		}
	}
	return slices.Concat(rows...), err
}

// rowsByDay counts the rows that a list has of each day.
func rowsByDay(d facts.Days, count func(*facts.DayTotals) int64) paging.Groups {
	counts := make([]int, len(d.Totals))
	for i := range d.Totals {
		counts[i] = int(count(&d.Totals[i]))
	}
	return paging.NewGroups(counts)
}

// Engagements answers one page of the engagements, by date, then reader: a row for each reader of a day who has any
// metric (L3).
func (r *Reports) Engagements(ctx context.Context, a Access, q DayQuery, p paging.Page) (paging.List[Engagement], error) {
	return dayList[Engagement]{
		count: func(t *facts.DayTotals) int64 { return t.Readers },
		cut:   cutEngagements,
		find: func(day calendar.Date, in *facts.DayOfReaders, place int) ([]Engagement, error) {
			return cutEngagements(day, in, place, place+1)
		},
	}.list(ctx, r, a, q, p)
}

// cutEngagements returns the rows of the readers at the places from up to to.
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

// Logins answers one page of the dataset logins, by date, then reader: a row for each login of the engagements (L3).
func (r *Reports) Logins(ctx context.Context, a Access, q DayQuery, p paging.Page) (paging.List[LoginRow], error) {
	return dayList[LoginRow]{
		count: func(t *facts.DayTotals) int64 { return t.Sums[metric.Logins] },
		cut: func(day calendar.Date, in *facts.DayOfReaders, from, to int) ([]LoginRow, error) {
			rows, i := make([]LoginRow, 0, to-from), 0
			err := in.VisitLogins(func(place int, p libraries.Presence) {
				if i >= from && i < to {
					rows = append(rows, LoginRow{day, in.IDs[place], p})
				}
				i++
			})
			return rows, err
		},
		find: func(day calendar.Date, in *facts.DayOfReaders, wanted int) (rows []LoginRow, err error) {
			err = in.VisitLogins(func(place int, p libraries.Presence) {
				if place == wanted {
					rows = []LoginRow{{day, in.IDs[place], p}}
				}
			})
			return rows, err
		},
	}.list(ctx, r, a, q, p)
}

// EngagementsSince answers one page of an incremental pull of the engagements (H14).
func (r *Reports) EngagementsSince(ctx context.Context, a Access, since snapshot.Versions, q DayQuery, p paging.Page) (paging.List[Engagement], error) {
	q.Period = r.since(q.Period)
	return pull(ctx, r, sinceKey(a, since, "engagements", q), p,
		func(ctx context.Context) (incremental.Rows, error) { return r.engagementsChanged(ctx, a, since, q) },
		func(page incremental.Rows) ([]Engagement, error) { return r.engagementsOf(ctx, a, page) },
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
		if err != nil {
			return nil, err
		}
		key := func(e Engagement) incremental.Row { return incremental.Row{A: int64(e.Day), B: e.Reader} }
		if err := incremental.Diff(&changed, was, now, key, func(x, y Engagement) bool { return x == y }); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// engagementsOn returns the rows of a day, or the row of one reader.
func (r *Reports) engagementsOn(ctx context.Context, a Access, day calendar.Date, reader *int64) ([]Engagement, error) {
	var in facts.DayOfReaders
	one := snapshot.Range{Among: []int64{int64(day)}}
	err := r.blocks(ctx, a, facts.DayOfReadersKind, one, func(b snapshot.Block) error { return packed.Open(slices.Clone(b.Data), &in) })
	if err != nil {
		return nil, err
	}
	from, to := 0, len(in.IDs)
	if reader != nil {
		place, found := slices.BinarySearch(in.IDs, *reader)
		if !found {
			return nil, nil
		}
		from, to = place, place+1
	}
	return cutEngagements(day, &in, from, to)
}

// engagementsOf returns the rows of a page of keys, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, page incremental.Rows) ([]Engagement, error) {
	var rows []Engagement
	for len(page) > 0 {
		day := page[0].A
		all, err := r.engagementsOn(ctx, a, calendar.Date(day), nil)
		if err != nil {
			return nil, err
		}
		for ; len(page) > 0 && page[0].A == day; page = page[1:] {
			i, found := slices.BinarySearchFunc(all, page[0].B, func(e Engagement, id int64) int { return cmp.Compare(e.Reader, id) })
			if found {
				rows = append(rows, all[i])
			}
		}
	}
	return rows, nil
}
