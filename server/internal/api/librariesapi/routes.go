package librariesapi

import (
	"context"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// reports returns the routes that are not datasets.
func (a *API) reports() []web.Route {
	return a.hourly("reports", []web.Route{
		{Path: "/summary", ID: "summary", Schema: "Summary", Summary: "All figures of a period", Read: a.summary,
			About: "The filters by reader apply only to general and breakdown; the other blocks count all readers."},
		{Path: "/engagements", ID: "libraryEngagements", Schema: "Engagements", Summary: "Daily metrics of each reader", Read: a.engagements,
			About: "A row for each reader and day with any metric above zero, by date, then userId."},
		{Path: "/users", ID: "readers", Schema: "Readers", Summary: "Readers", Read: a.users,
			About: "All readers, also deactivated and deleted ones, by userId. The only route with personal data. Request one page after another: parallel calls may be answered with 503."},
		{Path: "/dimensions", ID: "dimensions", Schema: "Dimensions", Summary: "Values of the filters", Read: a.dimensions,
			About: "Identifiers are strings here, and integers as parameters."},
	})
}

// datasets returns the routes of the datasets. Each accepts the parameters of all, and ignores those of others (H3).
func (a *API) datasets() []web.Route {
	all := a.hourly("datasets", []web.Route{
		{Path: "/datasets/books", ID: "books", Schema: "Books", Summary: "Titles", Read: a.books,
			About: "Every title of the catalogue, with its usage in the period."},
		{Path: "/datasets/stock", ID: "stock", Schema: "Stock", Summary: "Stock", Read: a.stocked,
			About: "Titles with stock of their own, and how much of it is consumed now."},
		{Path: "/datasets/loans", ID: "loans", Schema: "Loans", Summary: "Loans", Read: a.loans, About: "By day of the loan, then loanId."},
		{Path: "/datasets/reservations", ID: "reservations", Schema: "Reservations", Summary: "Reservations", Read: a.reservations,
			About: "By reservedAt, then reservationId."},
		{Path: "/datasets/logins", ID: "logins", Schema: "Logins", Summary: "Days with activity", Read: a.logins, About: "By date, then userId."},
		{Path: "/datasets/channels", ID: "channels", Schema: "Channels", Summary: "Sessions by channel", Read: a.channels,
			About: "Not paged: every row of the period, by date, then channel."},
		{Path: "/datasets/suggestions", ID: "suggestions", Schema: "Suggestions", Summary: "Suggested titles", Read: a.suggestions,
			About: "By requests, most first."},
		{Path: "/datasets/suggestion-requests", ID: "suggestionRequests", Schema: "Requests", Summary: "Suggestion requests", Read: a.requests,
			About: "By instant, then number of the request."},
	})
	var vocabulary []string
	for _, rt := range all {
		for _, p := range rt.Params() {
			if p.Name != web.SinceParam { // refused by a route that does not offer it (H14)
				vocabulary = append(vocabulary, p.Name)
			}
		}
	}
	for i := range all {
		all[i].Vocabulary = vocabulary
	}
	return all
}

// hourly adds to routes what all their answers share: an answer depends on the history and the day, and names its hour.
func (a *API) hourly(tag string, routes []web.Route) []web.Route {
	for i := range routes {
		rt := &routes[i]
		read := rt.Read
		rt.Tag, rt.Read = tag, func(q *web.Query, today calendar.Date) web.Reply {
			p := read(q, today)
			p.Of, p.Meta, p.Head = fmt.Sprint(a.History, " ", today), meta(p), writeHour
			return p
		}
	}
	return routes
}

// meta returns the name of the schema of an answer's meta (L21).
func meta(p web.Reply) string {
	switch {
	case p.Breakdown != nil:
		return "SummaryMeta"
	case p.Period != nil && p.Page != nil:
		return "ListMeta"
	case p.Period != nil:
		return "SeriesMeta"
	case p.Page != nil:
		return "PageMeta"
	}
	return "HourMeta"
}

func writeHour(w *wire.Writer, from time.Time) {
	w.TextOfOrNull("updatedAt", hourOf(from).String(), wire.Local, "The hour of the data, Brasilia time; null before the first synchronisation.")
}

// Routes returns all routes under Prefix. The parameters of a dataset are only those that it reads (H3).
func Routes() []web.Route {
	a := new(API)
	return append(a.reports(), a.datasets()...)
}

func (a *API) summary(q *web.Query, today calendar.Date) web.Reply {
	query := report.SummaryQuery{
		Period:  period(q, today, "First day of the period"+leftOut),
		GroupBy: web.Choose(q, "groupBy", "Fills data.breakdown.", groupings),
		Filter: report.ReaderFilter{
			Library: q.Int("libraryId", "Readers of one library."), State: q.Text("state", "Readers of one state, by its code."),
			City: q.Text("city", "Readers of one city."), AgeGroup: q.Int("ageGroupId", "Readers of one age group."),
			Gender: q.Text("gender", "Readers of one gender, as the dimensions name it."),
		},
		NewUsers: q.Bool("newUsers", "Only readers who registered in the period."),
		Today:    today,
	}
	page, grouped := q.Page(web.SmallPage), query.GroupBy != 0
	content := func(s *report.Summary) web.Content {
		return web.Content{Rows: wire.Rows{Total: s.BreakdownTotal}, Members: func(w *wire.Writer) { writeSummary(w, s, grouped) }}
	}
	p := web.Object(content, func(ctx context.Context, s web.Snapshots, from time.Time) (*report.Summary, error) {
		return a.Reports.Summary(ctx, access(s, from), query, page)
	})
	p.Page, p.Breakdown, p.Loose = &page, &grouped, a.Outside
	return p.Over(query.Period)
}

func (a *API) dimensions(*web.Query, calendar.Date) web.Reply {
	content := func(d *report.Dimensions) web.Content {
		return web.Content{Members: func(w *wire.Writer) { writeDimensions(w, d) }}
	}
	return web.Object(content, func(ctx context.Context, s web.Snapshots, from time.Time) (*report.Dimensions, error) {
		return a.Reports.Dimensions(ctx, access(s, from))
	})
}

func (a *API) engagements(q *web.Query, _ calendar.Date) web.Reply {
	query := report.DayQuery{Period: requiredWindow(q), Reader: reader(q)}
	return list(a, engagementRows, query, q.Page(web.LargePage), Reports.Engagements, Reports.EngagementsSince).Over(query.Period)
}

// users waits in the queue after its parameters were checked.
func (a *API) users(q *web.Query, _ calendar.Date) web.Reply {
	query := report.UserQuery{
		Reader:  reader(q),
		Status:  web.Choose(q, "status", "Readers of one status.", readerStatuses),
		Library: q.Int("libraryId", "Readers of one library."),
		Registered: calendar.Asked{
			Start: q.Date("registeredFrom", "Registered on that day or later."), End: q.Date("registeredTo", "Registered on that day or earlier."),
		},
		UpdatedSince: q.Date("updatedSince", "Changed, deactivated or deleted on that day or later."),
	}
	p := list(a, userRows, query, q.Page(web.LargePage), Reports.Users, Reports.UsersSince)
	p.People = true
	p.Enter = func(ctx context.Context, s web.Snapshots) (func(), error) {
		return a.Queue.Enter(ctx, s.Tenant)
	}
	return p
}

// list replies with a page of a list: from since for a request with changedSince, else from ask. since is nil if the route
// offers no incremental pull.
func list[T, Q any](a *API, table wire.Table[T], query Q, page paging.Page,
	ask func(Reports, context.Context, report.Access, Q, paging.Page) (paging.List[T], error),
	since func(Reports, context.Context, report.Access, snapshot.Versions, Q, paging.Page) (paging.List[T], error)) web.Reply {
	return web.List(table, page, func(ctx context.Context, s web.Snapshots, from time.Time) (paging.List[T], error) {
		if s.Since != nil {
			return since(a.Reports, ctx, access(s, from), s.Since.Versions, query, page)
		}
		return ask(a.Reports, ctx, access(s, from), query, page)
	})
}
