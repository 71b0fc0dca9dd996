package schoolsapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// route is one route under Prefix: what the document says of it, its rows, and what it answers with.
type route struct {
	path           string
	summary, about string
	// aboutStart is said of startDate; it is empty where the route has no period.
	aboutStart string
	none       wire.Rows // no rows, of the route's table
	rows       func(context.Context, request) (wire.Rows, error)
}

func (a *API) routes() []route {
	start := "First day, Brasilia time. Left out: 29 days before the end. Before " + a.History.String() + ": that day."
	return []route{
		{"/users", "Users of the network",
			"The register of students and teachers, by userId. The only route with personal data.",
			"", userRow.Rows(nil, 0), a.users},
		{"/engagements", "Days with access",
			"One row for each user and day with an access, by date, then userId. The sum of readingMinutes equals that of readings for the same period and filters.",
			start, engagementRow.Rows(nil, 0), a.engagements},
		{"/readings", "What was read",
			"One row for each user and book with effective reading in the period, by userId, then book. Percent and finished are of the period.",
			start, readingRow.Rows(nil, 0), a.readings},
	}
}

// Routes returns the routes of an API whose reports begin on a day.
func Routes(history calendar.Date) []web.Route {
	a := &API{History: history}
	var all []web.Route
	for _, rt := range a.routes() {
		name := rt.path[1:]
		var sample request
		if rt.hasPeriod() {
			sample.period = new(calendar.Period)
		}
		all = append(all, web.Route{
			Method: http.MethodGet, Path: Prefix + rt.path, ID: name, Tag: "reading", Summary: rt.summary, About: rt.about,
			Params: web.Params(func(q *web.Query) { a.pull(q, rt, Grant{}) }),
			Schema: strings.ToUpper(name[:1]) + name[1:], Sample: func(w *wire.Writer) { sample.write(w, rt.none) }, Rows: true,
		})
	}
	return all
}

// limits are the bounds of the pages of all routes.
var limits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}

// request is a request whose parameters are good, and the state that it is answered from. Its period is nil where the route
// has none.
type request struct {
	at     state.Snapshot
	access report.Access
	period *calendar.Period
	filter report.Filter
	page   paging.Page
}

// answer reads the parameters, runs the report and writes it.
func (a *API) answer(w http.ResponseWriter, r *http.Request, rt route, g Grant) {
	q := web.NewQuery(r.URL.RawQuery, nil)
	p := a.pull(q, rt, g)
	req, err := p.request(r.Context(), q)
	if err == nil {
		err = q.Err()
	}
	if err != nil {
		web.Fail(w, r, err)
		return
	}
	list, err := p.run(r.Context(), req)
	if err != nil {
		web.Fail(w, r, err)
		return
	}
	g.Caller.ShowSnapshot(w, req.at)
	a.Answers.WriteRows(w, r, list, func(w *wire.Writer) { req.write(w, list) })
}

func filter(q *web.Query) report.Filter {
	return report.Filter{
		UserID:   (*directory.UserID)(q.Int("userId", "One user.")),
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Students or teachers alone.", profiles),
	}
}

func (a *API) users(ctx context.Context, r request) (wire.Rows, error) {
	list, err := a.Reports.Users(ctx, r.access, r.filter, r.page)
	return userRow.Rows(list.Rows, list.Total), err
}

func (a *API) engagements(ctx context.Context, r request) (wire.Rows, error) {
	list, err := a.Reports.Engagements(ctx, r.access, *r.period, r.filter, r.page)
	return engagementRow.Rows(list.Rows, list.Total), err
}

func (a *API) readings(ctx context.Context, r request) (wire.Rows, error) {
	list, err := a.Reports.Readings(ctx, r.access, *r.period, r.filter, r.page)
	return readingRow.Rows(list.Rows, list.Total), err
}
