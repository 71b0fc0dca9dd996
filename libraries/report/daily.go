package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Engagements answers one page of the engagements, by date, then reader.
func (r *Reports) Engagements(ctx context.Context, a Access, q DayQuery, p paging.Page) (List[Engagement], error) {
	return engagements.list(ctx, r, a, q, p)
}

// engagements has a row where any metric is not 0 (L3): the rows of the sheets of readers.
var engagements = daily[Engagement]{
	name:  "engagements",
	kind:  facts.ReaderSheetKind,
	count: func(t *facts.DayTotals) int64 { return t.Readers },
	cut: func(day calendar.Date, data []byte, from, to int) ([]Engagement, error) {
		sheet, ids, err := openReaders(data)
		if err != nil {
			return nil, err
		}
		return cutEngagements(day, sheet, ids, from, to)
	},
	find: func(day calendar.Date, data []byte, reader int64) ([]Engagement, error) {
		sheet, ids, err := openReaders(data)
		if err != nil {
			return nil, err
		}
		place, ok := slices.BinarySearch(ids, reader)
		if !ok {
			return nil, nil
		}
		return cutEngagements(day, sheet, ids, place, place+1)
	},
}

// openReaders opens a sheet and unpacks its readers.
func openReaders(data []byte) (*facts.ReaderSheet, []int64, error) {
	sheet, err := facts.OpenReaderSheet(data)
	if err != nil {
		return nil, nil, err
	}
	ids, err := sheet.AppendReaders(make([]int64, 0, sheet.Len()))
	return sheet, ids, err
}

// cutEngagements returns the rows of the places from one up to but without another.
func cutEngagements(day calendar.Date, sheet *facts.ReaderSheet, ids []int64, from, to int) ([]Engagement, error) {
	ids = ids[min(from, len(ids)):min(to, len(ids))]
	rows := make([]Engagement, len(ids))
	for i, id := range ids {
		rows[i].Day, rows[i].Reader = day, id
	}
	for m := metric.Logins; m <= metric.ReservationsConverted; m++ {
		err := sheet.Column(m, func(place int, value int64) {
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
func (r *Reports) EngagementsSince(ctx context.Context, a Access, since state.Versions, q DayQuery, p paging.Page) (List[Engagement], error) {
	q.Period = r.since(q.Period)
	return changedSince(ctx, r, a, since, q, p, roundOf[Engagement]{
		name:    "engagements",
		changed: func(ctx context.Context) (round.Rows, error) { return r.engagementsChanged(ctx, a, since, q) },
		read: func(ctx context.Context, kept round.Rows) ([]Engagement, error) {
			return r.engagementsOf(ctx, a, kept)
		},
		gone: func(c round.Row) Engagement {
			return Engagement{Day: calendar.Date(c.A), Reader: c.B}
		},
	})
}

// engagementsChanged compares the days whose sheets differ, one by one.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, since state.Versions, q DayQuery) (round.Rows, error) {
	days, err := r.Store.Changed(ctx, a, state.LoadsAfter(since.Facts, a.At.Facts), facts.ReaderSheetKind)
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	for _, day := range slices.Compact(days) {
		if !q.Period.Contains(calendar.Date(day)) {
			continue
		}
		was, err := r.engagementsOn(ctx, a.then(since), calendar.Date(day), q.Reader)
		if err != nil {
			return nil, err
		}
		now, err := r.engagementsOn(ctx, a, calendar.Date(day), q.Reader)
		if err == nil {
			err = round.Diff(&changed, was, now, func(e Engagement) round.Row { return round.Row{A: int64(e.Day), B: e.Reader} },
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
	sheets, err := Folded{r.Store}.Sheets(ctx, a, facts.ReaderSheetKind, calendar.Period{Start: day, End: day})
	data := sheets[day]
	if err != nil || data == nil {
		return nil, err
	}
	if reader != nil {
		return engagements.find(day, data, *reader)
	}
	sheet, ids, err := openReaders(data)
	if err != nil {
		return nil, err
	}
	return cutEngagements(day, sheet, ids, 0, len(ids))
}

// engagementsOf returns the rows of keys, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, keys round.Rows) ([]Engagement, error) {
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
func (r *Reports) Logins(ctx context.Context, a Access, q DayQuery, p paging.Page) (List[LoginRow], error) {
	return logins.list(ctx, r, a, q, p)
}

// logins has a row for each login of the engagements (L3).
var logins = daily[LoginRow]{
	name:  "logins",
	kind:  facts.LoginSheetKind,
	count: func(t *facts.DayTotals) int64 { return t.Sums[metric.Logins] },
	cut:   cutLogins,
	find:  findLogin,
}

func cutLogins(day calendar.Date, data []byte, from, to int) ([]LoginRow, error) {
	sheet, err := facts.ParseLogins(data)
	if err != nil {
		return nil, err
	}
	rows := make([]LoginRow, 0, to-from)
	place := 0
	for l := range sheet {
		if place >= from {
			rows = append(rows, LoginRow{day, l.Reader, l.Presence})
		}
		if place++; place == to {
			break
		}
	}
	return rows, nil
}

func findLogin(day calendar.Date, data []byte, reader int64) ([]LoginRow, error) {
	sheet, err := facts.ParseLogins(data)
	if err != nil {
		return nil, err
	}
	for l := range sheet {
		if l.Reader < reader {
			continue
		}
		if l.Reader == reader {
			return []LoginRow{{day, l.Reader, l.Presence}}, nil
		}
		break
	}
	return nil, nil
}
