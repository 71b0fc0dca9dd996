package report

import (
	"context"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// StockQuery has the parameters of the dataset stock. A title passes Purchased and the filter's Collection if one of
// its lines passes both (L9).
type StockQuery struct {
	Filter    TitleFilter
	Purchased calendar.Asked // open at an end that is nil
	Band      *stock.Band
	Order     StockOrder
	Asc       bool
}

// StockOrder is the column that stock is ordered by. The zero StockOrder is by percentage.
type StockOrder uint8

// The orders of stock.
const (
	StockByPercentage StockOrder = iota
	StockByTitle
	StockByActiveLoans
	StockByReadings
	StockByPossibleReadings
	StockByActiveReservations
)

// stockColumns are the columns that stock is ordered by, except the title. The percentage is the one that is shown.
var stockColumns = map[StockOrder]func(*StockRow) int64{
	StockByPercentage:         func(row *StockRow) int64 { return int64(row.Percentage) },
	StockByActiveLoans:        func(row *StockRow) int64 { return row.ActiveLoans },
	StockByReadings:           func(row *StockRow) int64 { return row.Readings },
	StockByPossibleReadings:   func(row *StockRow) int64 { return row.Possible },
	StockByActiveReservations: func(row *StockRow) int64 { return row.ActiveReservations },
}

// StockRow is one row of the dataset stock.
type StockRow struct {
	Title              *Title
	ActiveLoans        int64
	Readings           int64
	Possible           int64
	Percentage         stock.Fraction
	ActiveReservations int64
	Purchases          []Purchase

	rank int32 // of the title
}

// Purchase is one own line of a title. Line has the values that are shown.
type Purchase struct {
	Line               stock.Line
	Label              string
	Possible, Consumed int64
	Percentage         stock.Fraction
}

// stockRows has a row for each title with an own line, by identifier.
type stockRows []StockRow

// Bytes returns about the memory that the rows take.
func (s stockRows) Bytes() int {
	n := 0
	for i := range s {
		n += 150 + 224*len(s[i].Purchases)
	}
	return n
}

// stock returns the rows of the snapshot.
func (r *Reports) stock(ctx context.Context, a Access) (stockRows, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "stock"), func(ctx context.Context) (s stockRows, err error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		counted, err := r.network(ctx, a)
		if err != nil {
			return nil, err
		}
		for rank := range titles.Titles {
			t := &titles.Titles[rank]
			if own := stock.OwnLines(t.Lines, r.history()); len(own) > 0 {
				s = append(s, stockRow(t, int32(rank), own, counted.Titles.Of(t.Book.ID), r.history()))
			}
		}
		return s, nil
	})
}

// stockRow returns the row of a title with own lines (L9).
func stockRow(t *Title, rank int32, own []stock.Line, now facts.TitleCounts, history calendar.Date) StockRow {
	row := StockRow{
		Title: t, rank: rank, ActiveLoans: now.ActiveLoans, ActiveReservations: now.ActiveReservations,
		Readings: now.Readings, Possible: stock.Capacity(own), Purchases: make([]Purchase, len(own)),
	}
	row.Percentage = stock.Ratio(row.Readings, row.Possible)
	for i, consumed := range stock.Allocate(own, now.Readings) {
		l := own[i]
		row.Purchases[i] = Purchase{l.Shown(history), l.Label(), l.Possible(), consumed, stock.Ratio(consumed, l.Possible())}
	}
	return row
}

// totals returns the stock of a summary. It counts the titles with own lines, but the active loans and reservations of
// all titles (L9).
func (s stockRows) totals(counts facts.CountsByTitle) (t StockTotals) {
	for _, c := range counts {
		t.ActiveLoans += c.ActiveLoans
		t.ActiveReservations += c.ActiveReservations
	}
	allocated := int64(0)
	for i := range s {
		row := &s[i]
		t.Readings += row.Readings
		t.Possible += min(row.Possible, math.MaxInt64-t.Possible)
		for _, p := range row.Purchases {
			allocated += p.Consumed
		}
		t.Histogram[stock.BandOf(row.Readings, row.Possible)]++
	}
	t.Percentage = stock.Ratio(allocated, t.Possible)
	return t
}

// Stock answers one page of the dataset stock. The rows are shared and must not be changed.
func (r *Reports) Stock(ctx context.Context, a Access, q StockQuery, p paging.Page) (paging.List[StockRow], error) {
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return paging.List[StockRow]{}, err
	}
	all, err := r.stock(ctx, a)
	if err != nil {
		return paging.List[StockRow]{}, err
	}
	found, err := snapshot.Load(ctx, r.Cache, key(a, "stock of", q), func(context.Context) (indexes, error) {
		return all.find(q, titles.texts()), nil
	})
	if err != nil {
		return paging.List[StockRow]{}, err
	}
	return pick(found, p, func(i int32) StockRow { return all[i] })
}

// find returns the indexes of the rows that pass the query's filters, in its order.
func (s stockRows) find(q StockQuery, texts []titleText) indexes {
	passes, purchased := q.Filter.matches(), libraries.Between(q.Purchased)
	var found indexes
	for i := range s {
		row := &s[i]
		bought := slices.ContainsFunc(row.Purchases, func(p Purchase) bool {
			return (q.Filter.Collection == 0 || p.Line.Collection == q.Filter.Collection) && purchased.Contains(p.Line.PurchasedAt)
		})
		if bought && passes(row.Title, &texts[row.rank]) && (q.Band == nil || stock.BandOf(row.Readings, row.Possible) == *q.Band) {
			found = append(found, int32(i))
		}
	}
	var column func(i int32) int64
	if value := stockColumns[q.Order]; value != nil {
		column = func(i int32) int64 { return value(&s[i]) }
	}
	sortByColumn(found, func(i int32) int32 { return texts[s[i].rank].place }, column, q.Asc)
	return found
}
