package schoolsapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// route is one route: its path under Prefix, its parameters in the order of the specification's table, the columns of its
// rows and what it answers with. A route with startDate among its parameters has a period.
type route struct {
	path    string
	params  []string
	columns []string
	rows    func(context.Context, request) (web.Rows, error)
}

func (a *API) routes() []route {
	days := []string{"startDate", "endDate", "userId", "schoolId", "profile", "page", "pageSize", web.SnapshotParam}
	return []route{
		{"/users", days[2:], columns(writeUser, schools.User{School: new(schools.Unit), Class: new(schools.Unit)}), a.users},
		{"/engagements", days, columns(writeEngagement, schools.Engagement{}), a.engagements},
		{"/readings", days, columns(writeReading, schools.Reading{Book: new(schools.Book)}), a.readings},
	}
}

// limits are the bounds of the pages of all routes.
var limits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}

// request is a request whose parameters are good, and the state that it is answered from. Its period is nil where the route
// has none.
type request struct {
	at     state.Snapshot
	access schools.Access
	period *calendar.Period
	filter schools.Filter
	page   paging.Page
}

// answer reads the parameters, runs the report and writes it.
func (a *API) answer(w http.ResponseWriter, r *http.Request, rt route, g Grant) {
	q := web.NewQuery(r.URL.RawQuery, rt.params, nil)
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
	list.Columns = rt.columns
	g.Caller.ShowSnapshot(w, req.at)
	a.Answers.WriteRows(w, r, list, func(j *web.JSON) { writeList(j, req, list) })
}

func filter(q *web.Query) schools.Filter {
	f := schools.Filter{
		UserID:   (*directory.UserID)(q.Int("userId")),
		SchoolID: (*directory.EntityID)(q.Int("schoolId")),
	}
	switch q.Enum("profile", schools.Student.String(), schools.Teacher.String()) {
	case schools.Student.String():
		f.Profile = schools.Student
	case schools.Teacher.String():
		f.Profile = schools.Teacher
	}
	return f
}

func (a *API) users(ctx context.Context, r request) (web.Rows, error) {
	list, err := a.Reports.Users(ctx, r.access, r.filter, r.page)
	return rowsOf(list, writeUser), err
}

func (a *API) engagements(ctx context.Context, r request) (web.Rows, error) {
	list, err := a.Reports.Engagements(ctx, r.access, *r.period, r.filter, r.page)
	return rowsOf(list, writeEngagement), err
}

func (a *API) readings(ctx context.Context, r request) (web.Rows, error) {
	list, err := a.Reports.Readings(ctx, r.access, *r.period, r.filter, r.page)
	return rowsOf(list, writeReading), err
}
