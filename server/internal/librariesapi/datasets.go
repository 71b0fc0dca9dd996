package librariesapi

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

func (a *API) books(q *web.Query, today calendar.Date) call {
	var query report.BookQuery
	query.Period = period(q, today, "First day of the usage"+leftOut)
	query.Filter.Search = search(q)
	query.Author = text(q, "author", "A part of the author, accents and case apart.")
	classed(q, &query.Filter, anyCollection)
	query.Format = web.Choose(q, "format", "Titles that there are in one format.", formats)
	published(q, &query.Filter)
	query.Order = web.Choose(q, "orderBy", aboutOrder, bookOrders)
	query.Asc = web.Choose(q, "orderDir", aboutDirection, ascending)
	return listing(a, bookRow, Reports.Books, query, q.Page(smallPages)).over(query.Period)
}

func (a *API) stock(q *web.Query, _ calendar.Date) call {
	var query report.StockQuery
	query.Purchased.Start = q.Date("purchasedFrom", "Titles with a line purchased on that day or later.")
	query.Purchased.End = q.Date("purchasedTo", "Titles with a line purchased on that day or earlier.")
	query.Band = web.EnumOf(q, "consumptionBand", "Titles of one band of consumption.", bands, stock.ParseBand)
	query.Filter.Search = search(q)
	classed(q, &query.Filter, ownCollections)
	published(q, &query.Filter)
	query.Order = web.Choose(q, "orderBy", aboutOrder, stockOrders)
	query.Asc = web.Choose(q, "orderDir", aboutDirection, ascending)
	return listing(a, stockRow, Reports.Stock, query, q.Page(smallPages))
}

const (
	aboutOrder     = "The column to order by; ties by title, then bookId."
	aboutDirection = "The direction of that column."
)

// search, classed and published read the filter that books and stock share.
func search(q *web.Query) *string {
	return text(q, "search", "A part of the title, accents and case apart; digits also find an ISBN.")
}

func classed(q *web.Query, f *report.TitleFilter, collections []web.Choice[stock.Collection]) {
	f.Publisher = q.Int("publisherId", "Titles of one publisher.")
	f.Category = q.Int("categoryId", "Titles of one category.")
	f.Subject = q.Int("subjectId", "Titles of one subject.")
	f.Collection = web.Choose(q, "collection", "Titles with a line of one collection.", collections)
}

func published(q *web.Query, f *report.TitleFilter) {
	f.Book = title(q)
	f.Year = q.Int("publicationYear", "Titles of one year of publication.")
}

func (a *API) loans(q *web.Query, today calendar.Date) call {
	query := report.LoanQuery{
		Period: period(q, today, "First day of the loan"+leftOut), Reader: reader(q), Book: title(q),
		Status: web.Choose(q, "status", "Loans of one status.", loanStatuses),
	}
	return listing(a, loanRow, Reports.Loans, query, q.Page(pages)).over(query.Period)
}

func (a *API) reservations(q *web.Query, today calendar.Date) call {
	query := report.ReservationQuery{
		Period: period(q, today, "First day of the reservation"+leftOut),
		Status: web.Choose(q, "status", "Reservations of one status.", reservationStatuses), Reader: reader(q), Book: title(q),
	}
	return listing(a, reservationRow, Reports.Reservations, query, q.Page(pages)).over(query.Period)
}

func (a *API) logins(q *web.Query, today calendar.Date) call {
	query := report.DayQuery{Period: window(q, today), Reader: reader(q)}
	return listing(a, loginRow, Reports.Logins, query, q.Page(pages)).over(query.Period)
}

// channels is not paged.
func (a *API) channels(q *web.Query, today calendar.Date) call {
	query := report.ChannelQuery{Period: window(q, today), Channel: web.Choose(q, "channel", "One channel.", channels)}
	return call{period: &query.Period, sample: listed(channelRow, report.List[libraries.ChannelDay]{}),
		run: func(ctx context.Context, access report.Access) (answer, error) {
			list, err := a.Reports.ChannelDays(ctx, access, query)
			return listed(channelRow, list), err
		}}
}

func (a *API) suggestions(q *web.Query, today calendar.Date) call {
	query := report.SuggestionQuery{
		Period: period(q, today, "First day of the requests"+leftOut), Search: text(q, "search", "A part of the title or of the search term."),
	}
	return listing(a, suggestionRow, Reports.Suggestions, query, q.Page(smallPages)).over(query.Period)
}

func (a *API) requests(q *web.Query, today calendar.Date) call {
	query := report.RequestQuery{
		Period: period(q, today, "First day of the requests"+leftOut), Title: text(q, "title", "The whole title, case apart."),
		Author: text(q, "author", "The whole author, case apart."), Reader: reader(q),
	}
	return listing(a, requestRow, Reports.Requests, query, q.Page(pages)).over(query.Period)
}
