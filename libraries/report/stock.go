package report

import (
	"context"
	"math"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// StockQuery is what the dataset stock is asked. A title passes Purchased and the filter's Collection when one line meets
// both (L9).
type StockQuery struct {
	Filter    TitleFilter
	Purchased calendar.Asked // open where an end is absent
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

// StockRow is one row of the dataset stock.
type StockRow struct {
	Title              *Title
	ActiveLoans        int64
	Readings           int64
	Possible           int64
	Percentage         stock.Fraction
	ActiveReservations int64
	Purchases          []Purchase
}

// Purchase is one line of a StockRow, as it is shown.
type Purchase struct {
	Label              string
	Modality           *string
	Model              int64
	Copies             *int64
	Possible, Consumed int64
	Percentage         stock.Fraction
	PurchasedAt        calendar.Date
	Unit, Total        stock.Money
	ExpiresAt          *calendar.Date
}

// stock has the row of every title with a line of its own, by identifier.
type stockRows struct {
	rows  []StockRow
	ranks []int32        // of the titles
	lines [][]stock.Line // in the order of the purchases
}

// Bytes returns about the memory that the stock holds.
func (s *stockRows) Bytes() int {
	n := 0
	for i := range s.rows {
		n += 150 + (160+160)*len(s.lines[i])
	}
	return n
}

// stock returns the rows of the state.
func (r *Reports) stock(ctx context.Context, a Access) (*stockRows, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "stock"), func(ctx context.Context) (*stockRows, error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		held, err := r.titleCounts(ctx, a)
		if err != nil {
			return nil, err
		}
		return newStock(titles, held, r.history()), nil
	})
}

func newStock(titles *Catalogue, held facts.CountsByTitle, history calendar.Date) *stockRows {
	s := &stockRows{}
	for rank := range titles.Titles {
		t := &titles.Titles[rank]
		if own := stock.OwnLines(t.Lines, history); len(own.Lines()) > 0 {
			s.rows = append(s.rows, stockRow(t, own, held.Of(t.Book.ID), history))
			s.ranks = append(s.ranks, int32(rank))
			s.lines = append(s.lines, own.Lines())
		}
	}
	return s
}

// stockRow returns the row of a title with own lines (L9).
func stockRow(t *Title, of stock.Own, h facts.TitleCounts, history calendar.Date) StockRow {
	own := of.Lines()
	row := StockRow{
		Title: t, ActiveLoans: h.ActiveLoans, ActiveReservations: h.ActiveReservations,
		Readings: h.Readings, Possible: stock.Capacity(own), Purchases: make([]Purchase, len(own)),
	}
	row.Percentage = stock.Ratio(row.Readings, row.Possible)
	for i, consumed := range of.Allocate(h.Readings) {
		l := own[i]
		unit, total := l.ShownPrices()
		row.Purchases[i] = Purchase{
			Label: l.Label(), Modality: l.Modality, Model: stock.Model(l.MaxUses), Copies: l.ShownCopies(),
			Possible: l.Possible(), Consumed: consumed, Percentage: stock.Ratio(consumed, l.Possible()),
			PurchasedAt: l.ShownPurchasedAt(history), Unit: unit, Total: total, ExpiresAt: l.ShownExpiresAt(),
		}
	}
	return row
}

// totals returns data.stock: over the rows, but active loans and reservations over all titles (L9).
func (s *stockRows) totals(held facts.CountsByTitle) (t StockTotals) {
	for _, h := range held {
		t.ActiveLoans += h.ActiveLoans
		t.ActiveReservations += h.ActiveReservations
	}
	allocated := int64(0)
	for i := range s.rows {
		row := &s.rows[i]
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
		return all.find(titles, q, r.history()), nil
	})
	if err != nil {
		return paging.List[StockRow]{}, err
	}
	return pick(found, p, func(place int32) StockRow { return all.rows[place] })
}

// find returns the indexes of the rows that pass the query's filters, in its order.
func (s *stockRows) find(titles *Catalogue, q StockQuery, history calendar.Date) indexes {
	passes, lineful, texts := q.Filter.matches(), q.lines(history), titles.texts().of
	index := make(map[int32]int32) // of the row, by the title's rank
	var found indexes
	for i, rank := range s.ranks {
		row := &s.rows[i]
		if passes(row.Title, &texts[rank]) && lineful(s.lines[i]) && (q.Band == nil || stock.BandOf(row.Readings, row.Possible) == *q.Band) {
			found = append(found, rank)
			index[rank] = int32(i)
		}
	}
	var column func(rank int32) int64
	if of := stockColumn(q.Order); of != nil {
		column = func(rank int32) int64 { return of(&s.rows[index[rank]]) }
	}
	for i, rank := range titles.sorted(found, column, q.Asc) {
		found[i] = index[rank]
	}
	return found
}

// lines returns whether one of a title's own lines meets the collection and the days of purchase, as they are shown (L9).
func (q StockQuery) lines(history calendar.Date) func(own []stock.Line) bool {
	purchased := libraries.Between(q.Purchased)
	return func(own []stock.Line) bool {
		for _, l := range own {
			if (q.Filter.Collection == 0 || l.Collection == q.Filter.Collection) && purchased.Contains(l.ShownPurchasedAt(history)) {
				return true
			}
		}
		return false
	}
}

// stockColumn returns the value of a column of a row, nil for the title. The percentage orders as it is shown.
func stockColumn(order StockOrder) func(row *StockRow) int64 {
	switch order {
	case StockByTitle:
		return nil
	case StockByActiveLoans:
		return func(row *StockRow) int64 { return row.ActiveLoans }
	case StockByReadings:
		return func(row *StockRow) int64 { return row.Readings }
	case StockByPossibleReadings:
		return func(row *StockRow) int64 { return row.Possible }
	case StockByActiveReservations:
		return func(row *StockRow) int64 { return row.ActiveReservations }
	}
	return func(row *StockRow) int64 { return int64(row.Percentage) }
}
