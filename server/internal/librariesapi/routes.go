package librariesapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// route is one route: its path under a prefix, what the document says of it, and what reads its parameters.
type route struct {
	path string
	// id and schema are the names of the operation and of its answer.
	id, schema     string
	summary, about string
	read           func(q *web.Query, today calendar.Date) call // all parameters but those that name a state, as of a day
	// vocabulary are the parameters that are valid though they are not read (H3).
	vocabulary []string
}

// reports are the routes that are no datasets.
var reports = []route{
	{"/summary", "summary", "Summary", "All figures of a period",
		"The filters by reader cut general and breakdown alone; the other blocks are of the whole base.", summary, nil},
	{"/engagements", "libraryEngagements", "Engagements", "Daily metrics of each reader",
		"One row for each reader and day on which any metric is not zero, by date, then userId.", engagements, nil},
	{"/users", "readers", "Readers", "Readers",
		"The register, deactivated and deleted readers included, by userId. The only route with personal data. Page one call at a time: parallel calls may be answered with 503.", users, nil},
	{"/dimensions", "dimensions", "Dimensions", "Values of the filters",
		"Identifiers are strings here, and integers as parameters.", dimensions, nil},
}

// datasets returns the routes of the datasets, which share one vocabulary, the union of their parameters (H3).
func datasets() []route {
	all := []route{
		{"/datasets/books", "books", "Books", "Titles", "Every title of the catalogue, with its usage in the period.", books, nil},
		{"/datasets/stock", "stock", "Stock", "Stock", "Titles with stock of their own and what of it is consumed, now.", stocked, nil},
		{"/datasets/loans", "loans", "Loans", "Loans", "By day of the loan, then loanId.", loans, nil},
		{"/datasets/reservations", "reservations", "Reservations", "Reservations", "By reservedAt, then reservationId.", reservations, nil},
		{"/datasets/logins", "logins", "Logins", "Days with activity", "By date, then userId.", logins, nil},
		{"/datasets/channels", "channels", "Channels", "Sessions by channel", "Not paged: every row of the period, by date, then channel.", channels, nil},
		{"/datasets/suggestions", "suggestions", "Suggestions", "Suggested titles", "By requests, most first.", suggestions, nil},
		{"/datasets/suggestion-requests", "suggestionRequests", "Requests", "Suggestion requests", "By instant, then number of the request.", requests, nil},
	}
	var vocabulary []string
	for _, rt := range all {
		for _, p := range rt.params() {
			if p.Name != web.SinceParam { // which is refused where it is not offered (H14)
				vocabulary = append(vocabulary, p.Name)
			}
		}
	}
	for i := range all {
		all[i].vocabulary = vocabulary
	}
	return all
}

// params returns the parameters of a route.
func (rt route) params() []web.Param { return web.Params(new(API).asking(rt)) }

// Routes returns the routes as the API answers them under Prefix, each dataset as one. A dataset's parameters are its own: the
// rest of the vocabulary is not read (H3).
func Routes() []web.Route {
	var all []web.Route
	add := func(tag string, routes []route) {
		for _, rt := range routes {
			c := rt.read(web.NewQuery("", nil), 0)
			all = append(all, web.Route{
				Method: http.MethodGet, Path: Prefix + rt.path, ID: rt.id, Tag: tag, Summary: rt.summary, About: rt.about,
				Params: rt.params(), Schema: rt.schema, Sample: func(w *wire.Writer) { c.write(w, c.sample) }, Rows: c.sample.data == nil,
			})
		}
	}
	add("reports", reports)
	add("datasets", datasets())
	return all
}

// The pages of the routes. Those of titles and groups are smaller.
var (
	pages      = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}
	smallPages = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 100}
)

func summary(q *web.Query, today calendar.Date) call {
	query := report.SummaryQuery{
		Period:  period(q, today, "First day of the period"+leftOut),
		GroupBy: web.Choose(q, "groupBy", "Fills data.breakdown.", groupings),
		Filter: report.ReaderFilter{
			Library: q.Int("libraryId", "Readers of one library."), State: text(q, "state", "Readers of one state, by its code."),
			City: text(q, "city", "Readers of one city."), AgeGroup: q.Int("ageGroupId", "Readers of one age group."),
			Gender: text(q, "gender", "Readers of one gender, as the dimensions name it."),
		},
		NewUsers: q.Bool("newUsers", "Only readers registered inside the period."),
		Today:    today,
	}
	page, grouped := q.Page(smallPages), query.GroupBy != 0
	data := func(s *report.Summary) answer {
		return answer{hour: s.Hour, total: s.BreakdownTotal, data: func(w *wire.Writer) { writeSummary(w, s, grouped) }}
	}
	return call{period: &query.Period, page: &page, grouped: &grouped, channels: true, sample: data(new(report.Summary)),
		run: func(ctx context.Context, of asked) (answer, error) {
			s, err := of.Reports.Summary(ctx, of.access, query, page)
			if err != nil {
				return answer{}, err
			}
			return data(s), nil
		}}
}

func engagements(q *web.Query, _ calendar.Date) call {
	query := report.DayQuery{Period: requiredWindow(q), Reader: reader(q)}
	return engagementList.page(query, q.Page(pages)).over(query.Period)
}

// users waits in the queue when its parameters have been found good.
func users(q *web.Query, _ calendar.Date) call {
	query := report.UserQuery{
		Reader:  reader(q),
		Status:  web.Choose(q, "status", "Readers of one status.", readerStatuses),
		Library: q.Int("libraryId", "Readers of one library."),
		Registered: calendar.Asked{
			Start: q.Date("registeredFrom", "Registered on that day or later."), End: q.Date("registeredTo", "Registered on that day or earlier."),
		},
		UpdatedSince: q.Date("updatedSince", "Changed on that day or later, deactivation and deletion included."),
	}
	c := userList.page(query, q.Page(pages))
	c.people, c.queued = true, true
	return c
}

func dimensions(*web.Query, calendar.Date) call {
	data := func(d *report.Dimensions) answer {
		return answer{hour: d.Hour, data: func(w *wire.Writer) { writeDimensions(w, d) }}
	}
	return call{sample: data(new(report.Dimensions)), run: func(ctx context.Context, of asked) (answer, error) {
		d, err := of.Reports.Dimensions(ctx, of.access)
		if err != nil {
			return answer{}, err
		}
		return data(d), nil
	}}
}
