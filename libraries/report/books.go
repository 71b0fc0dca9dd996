package report

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// BookQuery has the parameters of the dataset books.
type BookQuery struct {
	Period calendar.Period
	Filter TitleFilter
	Author *string
	Format libraries.Format
	Order  BookOrder
	Asc    bool
}

// BookOrder is the column that books are ordered by. The zero BookOrder is by loans.
type BookOrder uint8

// The orders of books.
const (
	BooksByLoans BookOrder = iota
	BooksByTitle
	BooksByReturns
	BooksByReadings10
	BooksByReadings50
	BooksByReadingSeconds
	BooksByRenewals
	BooksByReservations
	BooksByActiveReservations
	BooksByConvertedReservations
)

// BookRow is one row of the dataset books. If Own is not set, model, copies, consumedCopies and availableCopies are
// null.
type BookRow struct {
	Title                              *Title
	Publisher                          string           // its name; an empty text is null
	Collection                         stock.Collection // 0 is null
	Own                                bool
	Model, Copies, Consumed, Available int64
	Sums                               metric.Measures // of the period; convertedReservations is ConvertedThatDay
	ActiveReservations                 int64
}

// Books answers one page of the dataset books. The rows are shared and must not be changed.
func (r *Reports) Books(ctx context.Context, a Access, q BookQuery, p paging.Page) (paging.List[BookRow], error) {
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return paging.List[BookRow]{}, err
	}
	sums, err := r.titleSums(ctx, a, r.since(q.Period))
	if err != nil {
		return paging.List[BookRow]{}, err
	}
	counted, err := r.network(ctx, a)
	if err != nil {
		return paging.List[BookRow]{}, err
	}
	found, err := snapshot.Load(ctx, r.Cache, key(a, "books", q), func(context.Context) (indexes, error) {
		return titles.books(q, sums, counted.Titles), nil
	})
	if err != nil {
		return paging.List[BookRow]{}, err
	}
	return pick(found, p, func(rank int32) BookRow {
		row := r.bookRow(titles, int(rank), counted.Titles)
		row.Sums = sums[rank]
		return row
	})
}

// books returns the ranks of the titles that pass the query's filters, in its order.
func (c *Catalogue) books(q BookQuery, sums titleSums, counts facts.CountsByTitle) indexes {
	passes, texts := q.matches(), c.texts()
	var found indexes
	for rank := range c.Titles {
		if passes(&c.Titles[rank], &texts[rank]) {
			found = append(found, int32(rank))
		}
	}
	sortByColumn(found, func(rank int32) int32 { return texts[rank].place }, c.bookColumn(q.Order, sums, counts), q.Asc)
	return found
}

// bookMetrics are the columns of books that are sums of the period.
var bookMetrics = map[BookOrder]metric.Metric{
	BooksByLoans: metric.Loans, BooksByReturns: metric.Returns, BooksByReadings10: metric.Readings10, BooksByReadings50: metric.Readings50,
	BooksByReadingSeconds: metric.ReadingSeconds, BooksByRenewals: metric.Renewals, BooksByReservations: metric.Reservations,
	BooksByConvertedReservations: metric.ConvertedThatDay,
}

// bookColumn returns the values of a column by rank, or nil for the title.
func (c *Catalogue) bookColumn(order BookOrder, sums titleSums, counts facts.CountsByTitle) func(rank int32) int64 {
	switch order {
	case BooksByTitle:
		return nil
	case BooksByActiveReservations:
		return func(rank int32) int64 { return counts.Of(c.Titles[rank].Book.ID).ActiveReservations }
	}
	metric := bookMetrics[order]
	return func(rank int32) int64 { return sums[rank][metric] }
}

// bookRow returns the row of a title, without its sums.
func (r *Reports) bookRow(titles *Catalogue, rank int, counts facts.CountsByTitle) BookRow {
	t := &titles.Titles[rank]
	now := counts.Of(t.Book.ID)
	row := BookRow{
		Title:              t,
		Publisher:          titles.Term(libraries.PublisherTerms, t.Book.Publisher),
		Collection:         stock.CollectionOf(t.Lines, r.history()),
		ActiveReservations: now.ActiveReservations,
	}
	if row.Own = row.Collection.Owned(); row.Own {
		row.Model, row.Copies, row.Consumed = stock.Model(t.Book.MaxUses), stock.Capacity(t.Lines), now.Confirmed
		row.Available = max(row.Copies-row.Consumed, 0) // L8
	}
	return row
}
