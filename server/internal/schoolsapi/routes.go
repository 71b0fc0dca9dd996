package schoolsapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
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
	days := []string{"startDate", "endDate", "userId", "schoolId", "profile", "page", "pageSize"}
	return []route{
		{"/users", days[2:], columns(writeUser, schools.User{School: new(schools.Unit), Class: new(schools.Unit)}), a.users},
		{"/engagements", days, columns(writeEngagement, schools.Engagement{}), a.engagements},
		{"/readings", days, columns(writeReading, schools.Reading{Book: new(schools.Book)}), a.readings},
	}
}

// limits are the bounds of the pages of all routes.
var limits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}

// request is a request whose parameters are good. Its period is nil where the route has none.
type request struct {
	access schools.Access
	period *calendar.Period
	filter schools.Filter
	page   paging.Page
}

// answer reads the parameters, runs the report and writes it.
func (a *API) answer(w http.ResponseWriter, r *http.Request, rt route, access schools.Access) {
	q := web.NewQuery(r.URL.RawQuery, rt.params, nil)
	req := request{access: access, filter: filter(q), page: q.Page(limits)}
	if rt.params[0] == "startDate" {
		req.period = a.period(q)
	}
	if err := q.Err(); err != nil {
		web.Fail(w, r, err)
		return
	}
	list, err := rt.rows(r.Context(), req)
	if err != nil {
		web.Fail(w, r, err)
		return
	}
	list.Columns = rt.columns
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

// period returns the effective period (S8). The rules about the period as a whole speak only of well-formed dates.
func (a *API) period(q *web.Query) *calendar.Period {
	asked := calendar.Asked{Start: q.Date("startDate"), End: q.Date("endDate")}
	if !q.Valid("startDate", "endDate") {
		return nil
	}
	p, err := asked.Schools(calendar.Day(a.now()), a.History)
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, calendar.ErrBeforeHistory):
		q.Fail("endDate", "endDate must not be before "+a.History.String())
	}
	return &p
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
