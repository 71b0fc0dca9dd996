package libraries

import (
	"context"
	"math"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// stock has the row of every title with a line of its own, by identifier.
type stock struct {
	rows  []StockRow
	ranks []int32  // of the titles
	lines [][]Line // in the order of the purchases
}

// Bytes returns about the memory that the stock holds.
func (s *stock) Bytes() int {
	n := 0
	for i := range s.rows {
		n += 150 + (160+160)*len(s.lines[i])
	}
	return n
}

// stock returns the rows of the state.
func (r *Reports) stock(ctx context.Context, a Access) (*stock, error) {
	return state.Load(ctx, r.Cache, key(a, "stock"), func(ctx context.Context) (*stock, error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		held, err := r.holdings(ctx, a)
		if err != nil {
			return nil, err
		}
		return newStock(titles, held, r.history()), nil
	})
}

func newStock(titles *Catalogue, held Holdings, history calendar.Date) *stock {
	s := &stock{}
	for rank := range titles.Titles {
		t := &titles.Titles[rank]
		if own := OwnLines(t.Lines, history); len(own) > 0 {
			s.rows = append(s.rows, stockRow(t, own, held.Of(t.Book.ID), history))
			s.ranks = append(s.ranks, int32(rank))
			s.lines = append(s.lines, own)
		}
	}
	return s
}

// stockRow returns the row of a title with own lines, which are in the order in which they are consumed (L9).
func stockRow(t *Title, own []Line, h Holding, history calendar.Date) StockRow {
	row := StockRow{
		Title: t, ActiveLoans: h.ActiveLoans, ActiveReservations: h.ActiveReservations,
		Readings: h.Readings, Possible: Capacity(own), Purchases: make([]Purchase, len(own)),
	}
	row.Percentage = Ratio(row.Readings, row.Possible)
	for i, consumed := range Allocate(h.Readings, own) {
		l := own[i]
		unit, total := l.ShownPrices()
		row.Purchases[i] = Purchase{
			Label: l.Label(), Modality: l.Modality, Model: Model(l.MaxUses), Copies: l.ShownCopies(),
			Possible: l.Possible(), Consumed: consumed, Percentage: Ratio(consumed, l.Possible()),
			PurchasedAt: l.ShownPurchasedAt(history), Unit: unit, Total: total, ExpiresAt: l.ShownExpiresAt(),
		}
	}
	return row
}

// totals returns data.stock: over the rows, but active loans and reservations over all titles (L9).
func (s *stock) totals(held Holdings) (t StockTotals) {
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
		t.Histogram[BandOf(row.Readings, row.Possible)]++
	}
	t.Percentage = Ratio(allocated, t.Possible)
	return t
}

// Stock answers one page of the dataset stock. The rows are shared and must not be changed.
func (r *Reports) Stock(ctx context.Context, a Access, q StockQuery, p paging.Page) (List[StockRow], error) {
	return listed(a, func() (leaf[StockRow], error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return leaf[StockRow]{}, err
		}
		all, err := r.stock(ctx, a)
		if err != nil {
			return leaf[StockRow]{}, err
		}
		f := q.Filter
		k := key(a, "stock of", f.Search, f.Publisher, f.Category, f.Subject, uint8(f.Collection), f.Book, f.Year,
			q.Purchased.Start, q.Purchased.End, q.Band, uint8(q.Order), q.Asc)
		found, err := state.Load(ctx, r.Cache, k, func(context.Context) (places, error) {
			return all.find(titles, q, r.history()), nil
		})
		return pick(all.rows, leafOf(found, p)), err
	})
}

// find returns the indexes of the rows that pass the query's filters, in its order.
func (s *stock) find(titles *Catalogue, q StockQuery, history calendar.Date) places {
	passes, lineful, texts := q.Filter.matches(), q.lines(history), titles.texts().of
	index := make(map[int32]int32) // of the row, by the title's rank
	var found places
	for i, rank := range s.ranks {
		row := &s.rows[i]
		if passes(row.Title, &texts[rank]) && lineful(s.lines[i]) && (q.Band == nil || BandOf(row.Readings, row.Possible) == *q.Band) {
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
func (q StockQuery) lines(history calendar.Date) func(own []Line) bool {
	purchased := Between(q.Purchased)
	return func(own []Line) bool {
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
