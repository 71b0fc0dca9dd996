package schoolsapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// pull is a request as one of a pull (H12): what it asks for, before it is known on which day that is.
type pull struct {
	api    *API
	route  route
	grant  Grant
	given  *state.Snapshot // nil without the parameter
	asked  calendar.Asked
	filter report.Filter
	page   paging.Page
}

// pull reads the parameters of a request.
func (a *API) pull(q *web.Query, rt route, g Grant) pull {
	p := pull{api: a, route: rt, grant: g, given: g.Caller.Asked(q)}
	if rt.hasPeriod() {
		p.asked = calendar.Asked{Start: q.Date("startDate", rt.aboutStart), End: q.Date("endDate", "Last day. Left out, or in the future: today.")}
	}
	p.filter, p.page = filter(q), q.Page(limits)
	return p
}

func (rt route) hasPeriod() bool { return rt.aboutStart != "" }

// request returns the request with the state that it is answered from, and the period of that state's day (S8). The rules about
// the period as a whole speak only of well-formed dates.
func (p pull) request(ctx context.Context, q *web.Query) (request, error) {
	req := request{at: p.grant.Caller.Now, access: p.grant.Access, filter: p.filter, page: p.page}
	switch {
	case p.given != nil:
		req.at = *p.given
	case p.page.Number > 1 && q.Err() == nil:
		begun, ok, err := p.begun(ctx)
		if err != nil {
			return request{}, err
		}
		if ok {
			req.at = begun
		}
	}
	req.access.At = req.at.Versions
	if p.route.hasPeriod() && q.Valid("startDate", "endDate") {
		period, err := p.period(day(req.at))
		failPeriod(q, err, p.api.History)
		req.period = &period
	}
	return req, nil
}

// failPeriod says what is wrong with a period as a whole.
func failPeriod(q *web.Query, err error, history calendar.Date) {
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, calendar.ErrBeforeHistory):
		q.Fail("endDate", "endDate must not be before "+history.String())
	}
}

// day is the day that a snapshot was.
func day(at state.Snapshot) calendar.Date { return calendar.Date(at.Of) }

// period returns the effective period on a day, the zero one where the route has none.
func (p pull) period(today calendar.Date) (calendar.Period, error) {
	if !p.route.hasPeriod() {
		return calendar.Period{}, nil
	}
	return p.asked.Schools(today, p.api.History)
}

// begun returns the state that the query's first page was answered from. That may have been yesterday, when the defaults of the
// period were others: a query is the same as long as it reads the same on the day of its first page.
func (p pull) begun(ctx context.Context) (at state.Snapshot, ok bool, err error) {
	c := p.grant.Caller
	today := day(c.Now)
	now, nowErr := p.period(today)
	for _, on := range []calendar.Date{today, today - 1} {
		period, err := p.period(on)
		if err != nil || on != today && nowErr == nil && period == now {
			continue
		}
		at, ok, err = p.api.Pulls.Pull(ctx, p.key(period), c.Time)
		if err != nil {
			return state.Snapshot{}, false, err
		}
		if then, err := p.period(day(at)); ok && err == nil && then == period {
			return at, true, nil
		}
	}
	return state.Snapshot{}, false, nil
}

// key names the pull of the query with an effective period: all that the rows depend on but the page, whatever the order and
// form in which it was sent.
func (p pull) key(period calendar.Period) state.PullKey {
	user, school := "any", "any"
	if p.filter.UserID != nil {
		user = fmt.Sprint(*p.filter.UserID)
	}
	if p.filter.SchoolID != nil {
		school = fmt.Sprint(*p.filter.SchoolID)
	}
	return p.grant.Caller.Key(fmt.Sprintf("%s %d %d %d %s %s %d %d",
		p.route.path, p.grant.Access.Network, period.Start, period.End, user, school, p.filter.Profile, p.page.Size))
}

// run runs the report of a request, and notes the pull that it begins or goes on with, before anything is sent.
func (p pull) run(ctx context.Context, req request) (list wire.Rows, err error) {
	c := p.grant.Caller
	err = c.Report(ctx, p.api.Pulls, req.at.Versions, func(time.Time) (err error) {
		if p.given != nil {
			if err := c.Use(ctx, p.api.Pulls, req.at); err != nil {
				return err
			}
		}
		list, err = p.route.rows(ctx, req)
		return err
	})
	if err != nil || p.given != nil || p.page.Number > 1 || list.Total <= int64(p.page.Size) {
		return list, err
	}
	var period calendar.Period
	if req.period != nil {
		period = *req.period
	}
	return list, p.api.Pulls.BeginPull(ctx, p.key(period), req.at, c.Time)
}
