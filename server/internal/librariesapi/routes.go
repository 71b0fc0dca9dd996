package librariesapi

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// route is one route: its path under a prefix, its parameters in the order of the specification's table, the columns of its
// rows, if it has rows, and what it answers with. Parameters of the vocabulary that are not its own are not read (H3).
type route struct {
	path               string
	params, vocabulary []string
	columns            []string
	report             report
}

// report reads the parameters of a route, all but snapshot, as of a day, and returns what runs the report once they have been
// found good.
type report func(q *web.Query, today calendar.Date) run

// run runs a report at the state of the access and returns what is to be written of it.
type run func(context.Context, libraries.Access) (answer, error)

func (a *API) routes() []route {
	return []route{
		{path: "/summary", report: a.summary, params: []string{"startDate", "endDate", "groupBy", "libraryId", "state", "city",
			"ageGroupId", "gender", "newUsers", "page", "pageSize", web.SnapshotParam}},
		{path: "/engagements", report: a.engagements, columns: columns(writeEngagement, libraries.Engagement{}),
			params: []string{"startDate", "endDate", "userId", "page", "pageSize", web.SnapshotParam}},
		{path: "/users", report: a.users, columns: columns(writeUser, libraries.User{Reader: new(libraries.Reader)}),
			params: []string{"userId", "status", "libraryId", "registeredFrom", "registeredTo", "updatedSince", "page", "pageSize", web.SnapshotParam}},
		{path: "/dimensions", report: a.dimensions, params: []string{web.SnapshotParam}},
	}
}

// The pages of the routes. Those of titles and groups are smaller.
var (
	pages      = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}
	smallPages = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 100}
)

func (a *API) summary(q *web.Query, today calendar.Date) run {
	query := libraries.SummaryQuery{
		Period:  period(q, today),
		GroupBy: choose(q, "groupBy", groupings),
		Filter: libraries.ReaderFilter{
			Library: q.Int("libraryId"), AgeGroup: q.Int("ageGroupId"),
			State: text(q, "state"), City: text(q, "city"), Gender: text(q, "gender"),
		},
		NewUsers: q.Bool("newUsers"),
		Today:    today,
	}
	page := q.Page(smallPages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		s, err := a.Reports.Summary(ctx, access, query, page)
		if err != nil {
			return answer{}, err
		}
		grouped := query.GroupBy != 0
		ans := answer{hour: s.Hour, period: &query.Period, data: func(j *web.JSON) { writeSummary(j, s, grouped) }}
		if grouped {
			ans.page, ans.total = &page, s.BreakdownTotal
		}
		return ans, nil
	}
}

func (a *API) engagements(q *web.Query, _ calendar.Date) run {
	query := libraries.DayQuery{Period: requiredWindow(q), Reader: q.Int("userId")}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		list, err := a.Reports.Engagements(ctx, access, query, page)
		return listed(list, writeEngagement).over(query.Period).paged(page), err
	}
}

// users runs in the queue, which it joins when its parameters have been found good.
func (a *API) users(q *web.Query, _ calendar.Date) run {
	query := libraries.UserQuery{
		Reader:       q.Int("userId"),
		Status:       choose(q, "status", readerStatuses),
		Library:      q.Int("libraryId"),
		Registered:   asked(q, "registeredFrom", "registeredTo"),
		UpdatedSince: q.Date("updatedSince"),
	}
	page := q.Page(pages)
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		leave, err := a.Queue.Enter(ctx, access.Network)
		if err != nil {
			return answer{}, err
		}
		defer leave()
		list, err := a.Reports.Users(ctx, access, query, page)
		return listed(list, writeUser).paged(page), err
	}
}

func (a *API) dimensions(*web.Query, calendar.Date) run {
	return func(ctx context.Context, access libraries.Access) (answer, error) {
		d, err := a.Reports.Dimensions(ctx, access)
		if err != nil {
			return answer{}, err
		}
		return answer{hour: d.Hour, data: func(j *web.JSON) { writeDimensions(j, d) }}, nil
	}
}
