package report

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Engagements answers one page of the engagements, by date, then reader. The rows are shared and must not be changed.
func (r *Reports) Engagements(ctx context.Context, a Access, q DayQuery, p paging.Page) (List[Engagement], error) {
	return engagements.list(ctx, r, a, q, p)
}

// engagements has a row where any metric is not 0 (L3): the rows of the sheets of readers.
var engagements = daily[Engagement]{
	name:  "engagements",
	kind:  ReaderSheets,
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
