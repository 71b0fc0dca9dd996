package librariesapi

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

func (a *API) books(q *web.Query, today calendar.Date) web.Reply {
	var query report.BookQuery
	query.Period = period(q, today, "First day of the usage"+leftOut)
	query.Filter.Search = search(q)
	query.Author = q.Text("author", "A part of the author, without regard to accents and case.")
	classed(q, &query.Filter, anyCollection)
	query.Format = web.Choose(q, "format", "Titles that are available in one format.", formats)
	published(q, &query.Filter)
	query.Order = web.Choose(q, "orderBy", aboutOrder, bookOrders)
	query.Asc = web.Choose(q, "orderDir", aboutDirection, ascending)
	return list(a, bookRows, query, q.Page(web.SmallPage), Reports.Books, nil).Over(query.Period)
}

func (a *API) stocked(q *web.Query, _ calendar.Date) web.Reply {
	var query report.StockQuery
	query.Purchased.Start = q.Date("purchasedFrom", "Titles with a line purchased on that day or later.")
	query.Purchased.End = q.Date("purchasedTo", "Titles with a line purchased on that day or earlier.")
	query.Band = web.Chosen(q, "consumptionBand", "Titles of one band of consumption.", bands)
	query.Filter.Search = search(q)
	classed(q, &query.Filter, ownCollections)
	published(q, &query.Filter)
	query.Order = web.Choose(q, "orderBy", aboutOrder, stockOrders)
	query.Asc = web.Choose(q, "orderDir", aboutDirection, ascending)
	return list(a, stockRows, query, q.Page(web.SmallPage), Reports.Stock, nil)
}

const (
	aboutOrder     = "The column to order by; ties by title, then bookId."
	aboutDirection = "The direction of that column."
)

// search, classed and published read parts of the filter that books and stock share.
func search(q *web.Query) *string {
	return q.Text("search", "A part of the title, without regard to accents and case; digits also find an ISBN.")
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

func (a *API) loans(q *web.Query, today calendar.Date) web.Reply {
	query := report.LoanQuery{
		Period: period(q, today, "First day of the loan"+leftOut), Reader: reader(q), Book: title(q),
		Status: web.Choose(q, "status", "Loans of one status.", loanStatuses),
	}
	return list(a, loanRows, query, q.Page(web.LargePage), Reports.Loans, Reports.LoansSince).Over(query.Period)
}

func (a *API) reservations(q *web.Query, today calendar.Date) web.Reply {
	query := report.ReservationQuery{
		Period: period(q, today, "First day of the reservation"+leftOut),
		Status: web.Choose(q, "status", "Reservations of one status.", reservationStatuses), Reader: reader(q), Book: title(q),
	}
	return list(a, reservationRows, query, q.Page(web.LargePage), Reports.Reservations, Reports.ReservationsSince).Over(query.Period)
}

func (a *API) logins(q *web.Query, today calendar.Date) web.Reply {
	query := report.DayQuery{Period: window(q, today), Reader: reader(q)}
	return list(a, loginRows, query, q.Page(web.LargePage), Reports.Logins, nil).Over(query.Period)
}

// channels is not paged.
func (a *API) channels(q *web.Query, today calendar.Date) web.Reply {
	query := report.ChannelQuery{Period: window(q, today), Channel: web.Choose(q, "channel", "One channel.", channelNames)}
	all := paging.Page{Number: 1, Size: math.MaxInt}
	p := web.List(channelRows, all, func(ctx context.Context, s web.Snapshots, from time.Time) (paging.List[libraries.ChannelDay], error) {
		list, err := a.Reports.ChannelDays(ctx, access(s, from), query)
		if errors.Is(err, report.ErrChannels) {
			err = errChannels
		}
		return list, err
	})
	p.Page, p.Loose = nil, a.Outside
	return p.Over(query.Period)
}

func (a *API) suggestions(q *web.Query, today calendar.Date) web.Reply {
	query := report.SuggestionQuery{
		Period: period(q, today, "First day of the requests"+leftOut), Search: q.Text("search", "A part of the title or of the search term."),
	}
	return list(a, suggestionRows, query, q.Page(web.SmallPage), Reports.Suggestions, nil).Over(query.Period)
}

func (a *API) requests(q *web.Query, today calendar.Date) web.Reply {
	query := report.RequestQuery{
		Period: period(q, today, "First day of the requests"+leftOut), Title: q.Text("title", "The whole title, without regard to case."),
		Author: q.Text("author", "The whole author, without regard to case."), Reader: reader(q),
	}
	return list(a, requestRows, query, q.Page(web.LargePage), Reports.Requests, nil).Over(query.Period)
}
