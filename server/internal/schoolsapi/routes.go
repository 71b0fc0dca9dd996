package schoolsapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// route is one route under Prefix: what the document says of it, and its list.
type route struct {
	path           string
	summary, about string
	hasPeriod      bool
	people         bool // it shows names and e-mails
	list
}

func routes() []route {
	return []route{
		{"/users", "Users of the network",
			"The register of students and teachers, by userId. The only route with personal data.",
			false, true, userList},
		{"/engagements", "Days with access",
			"One row for each user and day with an access, by date, then userId. The sum of readingMinutes equals that of readings for the same period and filters.",
			true, false, engagementList},
		{"/readings", "What was read",
			"One row for each user and book with effective reading in the period, by userId, then book. Percent and finished are of the period.",
			true, false, readingList},
	}
}

// Routes returns the routes of an API whose reports begin on a day.
func Routes(history calendar.Date) []web.Route {
	a := &API{History: history}
	var all []web.Route
	for _, rt := range routes() {
		name := rt.path[1:]
		sample := &asked{route: rt}
		all = append(all, web.Route{
			Method: http.MethodGet, Path: Prefix + rt.path, ID: name, Tag: "reading", Summary: rt.summary, About: rt.about,
			Params: web.Params(a.asking(rt)),
			Schema: strings.ToUpper(name[:1]) + name[1:], Sample: func(w *wire.Writer) { sample.write(w, rt.none) }, Rows: true,
		})
	}
	return append(all, a.summaryRoute())
}

// limits are the bounds of the pages of all routes.
var limits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}

// asked is what a request asks for, as its parameters read on a day.
type asked struct {
	*API
	route
	dates  calendar.Asked
	period calendar.Period // zero where the route has none
	filter report.Filter
	page   paging.Page
}

// read reads the parameters of a route as of a day.
func (a *API) read(rt route, q *web.Query, today calendar.Date) *asked {
	k := &asked{API: a, route: rt}
	if rt.hasPeriod {
		k.dates, k.period = a.period(q, today)
	}
	user := (*directory.UserID)(q.Int("userId", "One user."))
	k.filter = filter(q)
	k.filter.UserID = user
	k.page = q.Page(limits)
	return k
}

// period reads the period of a route as of a day. The rules about a period as a whole speak only of well-formed dates.
func (a *API) period(q *web.Query, today calendar.Date) (calendar.Asked, calendar.Period) {
	dates := calendar.Asked{
		Start: q.Date("startDate", "First day, Brasilia time. Left out: 29 days before the end. Before "+a.History.String()+": that day."),
		End:   q.Date("endDate", "Last day. Left out, or in the future: today."),
	}
	if !q.Valid("startDate", "endDate") {
		return dates, calendar.Period{}
	}
	period, err := dates.Schools(today, a.History)
	failPeriod(q, err, a.History)
	return dates, period
}

// filter reads the filters that all routes have.
func filter(q *web.Query) report.Filter {
	return report.Filter{
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Students or teachers alone.", profiles),
	}
}

// failPeriod says what is wrong with a period as a whole (S8).
func failPeriod(q *web.Query, err error, history calendar.Date) {
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, calendar.ErrBeforeHistory):
		q.Fail("endDate", "endDate must not be before "+history.String())
	}
}

// asking is how a route reads a request.
func (a *API) asking(rt route) web.Asking {
	return web.Asking{Read: func(q *web.Query, today calendar.Date) web.Reply {
		k := a.read(rt, q, today)
		reply := web.Reply{
			Route: rt.path, Page: &k.page, Changes: true, Rows: true, People: rt.people,
			Read: func(ctx context.Context, s web.States, _ time.Time) (web.Content, error) {
				rows, err := rt.rows(ctx, k, s)
				return web.Content{Rows: rows, Members: func(w *wire.Writer) { k.write(w, rows) }}, err
			},
		}
		if rt.hasPeriod {
			reply.Period = &k.period
		}
		return reply
	}}
}

// access is what the key opens, at the state that the request is answered from.
func access(s web.States) report.Access {
	return report.Access{
		Partner: directory.PartnerID(s.Tenant), Network: directory.EntityID(s.Network), At: s.At.Versions, Erasures: s.Erasures,
	}
}

// round is what a request with changedSince asks for. A period that ends in the future was another one on the day of that state.
func (k *asked) round(s web.States) (report.Round, error) {
	r := report.Round{Since: s.Since.Versions, Period: k.period, Filter: k.filter}
	if !k.hasPeriod {
		return r, nil
	}
	var err error
	r.Was, err = k.dates.Schools(calendar.Date(s.Since.Of), k.History)
	return r, err
}
