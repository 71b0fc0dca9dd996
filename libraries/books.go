package libraries

import (
	"context"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
)

// Books answers one page of the dataset books. The rows are shared and must not be changed.
func (r *Reports) Books(ctx context.Context, a Access, q BookQuery, p paging.Page) (List[BookRow], error) {
	return listed(a, func() (leaf[BookRow], error) {
		var titles *Catalogue
		var sums titleSums
		var held Holdings
		err := state.Together(
			func() (err error) { titles, err = r.catalogue(ctx, a); return err },
			func() (err error) { sums, err = r.titleSums(ctx, a, r.since(q.Period)); return err },
			func() (err error) { held, err = r.holdings(ctx, a); return err },
		)
		if err != nil {
			return leaf[BookRow]{}, err
		}
		f := q.Filter
		k := key(a, "books", q.Period, f.Search, f.Publisher, f.Category, f.Subject, uint8(f.Collection), f.Book, f.Year,
			q.Author, uint8(q.Format), uint8(q.Order), q.Asc)
		found, err := state.Load(ctx, r.Cache, k, func(context.Context) (places, error) {
			return titles.books(q, sums, held), nil
		})
		if err != nil {
			return leaf[BookRow]{}, err
		}
		page := leafOf(found, p)
		rows := make([]BookRow, len(page.rows))
		for i, rank := range page.rows {
			rows[i] = r.bookRow(titles, int(rank), held)
			rows[i].Sums = sums[rank]
		}
		return leaf[BookRow]{rows, page.total}, nil
	})
}

// books returns the ranks of the titles that pass the query's filters, in its order.
func (c *Catalogue) books(q BookQuery, sums titleSums, held Holdings) places {
	passes, texts := q.matches(), c.texts().of
	var found places
	for rank := range c.Titles {
		if passes(&c.Titles[rank], &texts[rank]) {
			found = append(found, int32(rank))
		}
	}
	return c.sorted(found, c.bookColumn(q.Order, sums, held), q.Asc)
}

// bookMetrics are the columns of books that are sums of the period.
var bookMetrics = map[BookOrder]Metric{
	BooksByLoans: Loans, BooksByReturns: Returns, BooksByReadings10: Readings10, BooksByReadings50: Readings50,
	BooksByReadingSeconds: ReadingSeconds, BooksByRenewals: Renewals, BooksByReservations: Reservations,
	BooksByConvertedReservations: ConvertedThatDay,
}

// bookColumn returns the values of a column by rank, nil for the title.
func (c *Catalogue) bookColumn(order BookOrder, sums titleSums, held Holdings) func(rank int32) int64 {
	switch order {
	case BooksByTitle:
		return nil
	case BooksByActiveReservations:
		return func(rank int32) int64 { return held.Of(c.Titles[rank].Book.ID).ActiveReservations }
	}
	metric := bookMetrics[order]
	return func(rank int32) int64 { return sums[rank][metric] }
}

// bookRow returns the row of a title, without its sums.
func (r *Reports) bookRow(titles *Catalogue, rank int, held Holdings) BookRow {
	t := &titles.Titles[rank]
	h := held.Of(t.Book.ID)
	row := BookRow{
		Title:              t,
		Publisher:          titles.Term(PublisherTerms, t.Book.Publisher),
		Collection:         CollectionOf(t.Lines, r.history()),
		ActiveReservations: h.ActiveReservations,
	}
	if row.Own = row.Collection.Owned(); row.Own {
		row.Model, row.Copies, row.Consumed = Model(t.Book.MaxUses), Capacity(t.Lines), h.Confirmed
		row.Available = AvailableCopies(row.Copies, row.Consumed)
	}
	return row
}
