package librariesapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
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
				Params: rt.params(), Schema: rt.schema, Sample: func(w *wire.Writer) { c.write(w, 0, c.sample) }, Rows: c.sample.data == nil,
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
		return answer{rows: wire.Rows{Total: s.BreakdownTotal}, data: func(w *wire.Writer) { writeSummary(w, s, grouped) }}
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
		return answer{data: func(w *wire.Writer) { writeDimensions(w, d) }}
	}
	return call{sample: data(new(report.Dimensions)), run: func(ctx context.Context, of asked) (answer, error) {
		d, err := of.Reports.Dimensions(ctx, of.access)
		if err != nil {
			return answer{}, err
		}
		return data(d), nil
	}}
}

// call is a report whose parameters have been read: the parts of meta that its answer has (L21), and what runs it at the state of
// an access.
type call struct {
	period  *calendar.Period
	page    *paging.Page
	grouped *bool  // where not nil, the page is there only if it is true
	sample  answer // what the schema is made of
	rounds  bool   // the route has changedSince (H14)
	// people and channels say that names and e-mails, and sessions by channel, are shown.
	people, channels bool
	queued           bool // it waits in the queue of heavy queries

	run func(context.Context, asked) (answer, error)
}

// asked is what a report is asked with besides its parameters.
type asked struct {
	*API
	access report.Access
	since  *state.Snapshot // nil but with changedSince
}

// answer is what a report returned: either rows or other members of data.
type answer struct {
	rows wire.Rows
	data func(*wire.Writer) // where it has no rows but their number
}

// list is a report that is a list of rows, in pages.
type list[T, Q any] struct {
	rows  wire.Table[T]
	ask   asking[T, Q]
	since askingSince[T, Q] // nil where the list has no rounds
}

// asking is how the page of a list is asked for.
type asking[T, Q any] = func(Reports, context.Context, report.Access, Q, paging.Page) (paging.List[T], error)

// askingSince is how the page of a round is asked for.
type askingSince[T, Q any] = func(Reports, context.Context, report.Access, state.Versions, Q, paging.Page) (paging.List[T], error)

// listOf returns the list that ask returns, of rows with a schema, each written by write, as the sample can be.
func listOf[T, Q any](schema string, write func(*wire.Writer, *T), sample T, ask asking[T, Q]) list[T, Q] {
	return list[T, Q]{rows: wire.Table[T]{Schema: schema, Write: write, Sample: sample}, ask: ask}
}

// inRounds returns the list with rounds, which since returns; key writes the natural key of a row.
func (l list[T, Q]) inRounds(key func(*wire.Writer, *T), since askingSince[T, Q]) list[T, Q] {
	l.rows.Key, l.since = key, since
	return l
}

// unpaged is what asks for all rows of a list at once.
func unpaged[T, Q any](ask func(Reports, context.Context, report.Access, Q) (paging.List[T], error)) asking[T, Q] {
	return func(r Reports, ctx context.Context, access report.Access, query Q, _ paging.Page) (paging.List[T], error) {
		return ask(r, ctx, access, query)
	}
}

// page is the call for a page of the list.
func (l list[T, Q]) page(query Q, page paging.Page) call {
	return call{page: &page, sample: answer{rows: l.rows.Rows(paging.List[T]{})}, rounds: l.since != nil, run: func(ctx context.Context, of asked) (answer, error) {
		var rows paging.List[T]
		var err error
		if of.since != nil {
			rows, err = l.since(of.Reports, ctx, of.access, of.since.Versions, query, page)
		} else {
			rows, err = l.ask(of.Reports, ctx, of.access, query, page)
		}
		return answer{rows: l.rows.Rows(rows)}, err
	}}
}

// over returns the call with a period.
func (c call) over(p calendar.Period) call {
	c.period = &p
	return c
}

// meta is the name of the schema of the parts.
func (c call) meta() string {
	switch {
	case c.grouped != nil:
		return "SummaryMeta"
	case c.period != nil && c.page != nil:
		return "ListMeta"
	case c.period != nil:
		return "SeriesMeta"
	case c.page != nil:
		return "PageMeta"
	}
	return "HourMeta"
}

// write writes the envelope and the data of an answer from the state of an hour.
func (c call) write(w *wire.Writer, hour libraries.Hour, a answer) {
	w.Object("meta", c.meta(), "", func() {
		w.TextOfOrNull("updatedAt", hour.String(), wire.Local, "The hour whose data these are, Brasilia time; null before the first synchronisation.")
		if c.period != nil {
			web.WritePeriod(w, *c.period)
		}
		switch {
		case c.grouped != nil:
			if w.Optional(*c.grouped) {
				web.WritePage(w, *c.page, a.rows.Total, "The page of the breakdown, where there is one.")
			}
		case c.page != nil:
			web.WritePage(w, *c.page, a.rows.Total, "")
		}
	})
	w.Object("data", "", "", func() {
		if a.data != nil {
			a.data(w)
			return
		}
		a.rows.Members(w)
	})
}
