package librariesapi

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// datasets returns the routes of the datasets. All share one vocabulary, the union of their parameters (H3).
func (a *API) datasets() []route {
	title := new(libraries.Title)
	all := []route{
		{path: "books", report: a.books, columns: columns(writeBook, libraries.BookRow{Title: title}),
			params: []string{"startDate", "endDate", "search", "author", "publisherId", "categoryId", "subjectId", "collection", "format",
				"bookId", "publicationYear", "orderBy", "orderDir", "page", "pageSize", web.SnapshotParam}},
		{path: "stock", report: a.stock, columns: columns(writeStock, libraries.StockRow{Title: title}),
			params: []string{"purchasedFrom", "purchasedTo", "consumptionBand", "search", "publisherId", "categoryId", "subjectId", "collection",
				"bookId", "publicationYear", "orderBy", "orderDir", "page", "pageSize", web.SnapshotParam}},
		{path: "loans", report: a.loans, columns: columns(writeLoan, libraries.LoanRow{Title: title}),
			params: []string{"startDate", "endDate", "userId", "bookId", "status", "page", "pageSize", web.SnapshotParam}},
		{path: "reservations", report: a.reservations, columns: columns(writeReservation, libraries.ReservationRow{Title: title}),
			params: []string{"startDate", "endDate", "status", "userId", "bookId", "page", "pageSize", web.SnapshotParam}},
		{path: "logins", report: a.logins, columns: columns(writeLogin, libraries.LoginRow{}),
			params: []string{"startDate", "endDate", "userId", "page", "pageSize", web.SnapshotParam}},
		{path: "channels", report: a.channels, columns: columns(writeChannel, libraries.ChannelDay{}),
			params: []string{"startDate", "endDate", "channel", web.SnapshotParam}},
		{path: "suggestions", report: a.suggestions, columns: columns(writeSuggestion, libraries.SuggestionRow{}),
			params: []string{"startDate", "endDate", "search", "page", "pageSize", web.SnapshotParam}},
		{path: "suggestion-requests", report: a.requests, columns: columns(writeRequest, libraries.Request{}),
			params: []string{"startDate", "endDate", "title", "author", "userId", "page", "pageSize", web.SnapshotParam}},
	}
	var vocabulary []string
	for _, rt := range all {
		vocabulary = append(vocabulary, rt.params...)
	}
	slices.Sort(vocabulary)
	vocabulary = slices.Compact(vocabulary)
	for i := range all {
		all[i].path, all[i].vocabulary = "/datasets/"+all[i].path, vocabulary
	}
	return all
}

func (a *API) books(q *web.Query, today calendar.Date) run {
	query := libraries.BookQuery{
		Period: period(q, today),
		Filter: titles(q, anyCollection),
		Author: text(q, "author"),
		Format: choose(q, "format", formats),
		Order:  choose(q, "orderBy", bookOrders),
		Asc:    choose(q, "orderDir", ascending),
	}
	page := q.Page(smallPages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Books(ctx, access, query, page)
		return listed(list, writeBook).over(query.Period).paged(page), err
	}
}

func (a *API) stock(q *web.Query, _ calendar.Date) run {
	query := libraries.StockQuery{
		Filter:    titles(q, ownCollections),
		Purchased: asked(q, "purchasedFrom", "purchasedTo"),
		Band:      band(q),
		Order:     choose(q, "orderBy", stockOrders),
		Asc:       choose(q, "orderDir", ascending),
	}
	page := q.Page(smallPages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Stock(ctx, access, query, page)
		return listed(list, writeStock).paged(page), err
	}
}

// titles reads the filter that books and stock share.
func titles(q *web.Query, collections []choice[libraries.Collection]) libraries.TitleFilter {
	return libraries.TitleFilter{
		Search:     text(q, "search"),
		Publisher:  q.Int("publisherId"),
		Category:   q.Int("categoryId"),
		Subject:    q.Int("subjectId"),
		Collection: choose(q, "collection", collections),
		Book:       q.Int("bookId"),
		Year:       q.Int("publicationYear"),
	}
}

func (a *API) loans(q *web.Query, today calendar.Date) run {
	query := libraries.LoanQuery{
		Period: period(q, today), Reader: q.Int("userId"), Book: q.Int("bookId"), Status: choose(q, "status", loanStatuses),
	}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Loans(ctx, access, query, page)
		return listed(list, writeLoan).over(query.Period).paged(page), err
	}
}

func (a *API) reservations(q *web.Query, today calendar.Date) run {
	query := libraries.ReservationQuery{
		Period: period(q, today), Reader: q.Int("userId"), Book: q.Int("bookId"), Status: choose(q, "status", reservationStatuses),
	}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Reservations(ctx, access, query, page)
		return listed(list, writeReservation).over(query.Period).paged(page), err
	}
}

func (a *API) logins(q *web.Query, today calendar.Date) run {
	query := libraries.DayQuery{Period: window(q, today), Reader: q.Int("userId")}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Logins(ctx, access, query, page)
		return listed(list, writeLogin).over(query.Period).paged(page), err
	}
}

// channels is not paged.
func (a *API) channels(q *web.Query, today calendar.Date) run {
	query := libraries.ChannelQuery{Period: window(q, today), Channel: choose(q, "channel", channels)}
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.ChannelDays(ctx, access, query)
		return listed(list, writeChannel).over(query.Period), err
	}
}

func (a *API) suggestions(q *web.Query, today calendar.Date) run {
	query := libraries.SuggestionQuery{Period: period(q, today), Search: text(q, "search")}
	page := q.Page(smallPages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Suggestions(ctx, access, query, page)
		return listed(list, writeSuggestion).over(query.Period).paged(page), err
	}
}

func (a *API) requests(q *web.Query, today calendar.Date) run {
	query := libraries.RequestQuery{
		Period: period(q, today), Title: text(q, "title"), Author: text(q, "author"), Reader: q.Int("userId"),
	}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Requests(ctx, access, query, page)
		return listed(list, writeRequest).over(query.Period).paged(page), err
	}
}
