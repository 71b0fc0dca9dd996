package schoolsapi

import (
	"context"
	"errors"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

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
	if rt.hasPeriod() {
		k.dates = calendar.Asked{Start: q.Date("startDate", rt.aboutStart), End: q.Date("endDate", "Last day. Left out, or in the future: today.")}
	}
	k.filter = report.Filter{
		UserID:   (*directory.UserID)(q.Int("userId", "One user.")),
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Students or teachers alone.", profiles),
	}
	k.page = q.Page(limits)
	if rt.hasPeriod() && q.Valid("startDate", "endDate") { // the rules about a period as a whole speak only of well-formed dates
		var err error
		k.period, err = k.dates.Schools(today, a.History)
		failPeriod(q, err, a.History)
	}
	return k
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
				list, erased, err := rt.rows(ctx, k, s)
				return web.Content{Total: list.Total, Rows: list, Members: func(w *wire.Writer) { k.write(w, list) }, Erased: erased}, err
			},
		}
		if rt.hasPeriod() {
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
	if !k.hasPeriod() {
		return r, nil
	}
	var err error
	r.Was, err = k.dates.Schools(calendar.Date(s.Since.Of), k.History)
	return r, err
}
