package schoolsapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// pull is a request as one of a pull (H12).
type pull struct {
	web.Caller
	api    *API
	route  route
	query  *web.Query
	given  *state.Snapshot // nil without the parameter
	since  *state.Snapshot // likewise
	asked  calendar.Asked
	filter report.Filter
	page   paging.Page

	// The state that it is answered from, and the effective period on its day, which is zero where the route has none.
	at     state.Snapshot
	period calendar.Period
	was    calendar.Period // on the day of since
}

// pull reads the parameters of a request.
func (a *API) pull(q *web.Query, rt route, c web.Caller) *pull {
	p := &pull{Caller: c, api: a, route: rt, query: q, given: c.Asked(q), at: c.Now}
	if rt.hasPeriod() {
		p.asked = calendar.Asked{Start: q.Date("startDate", rt.aboutStart), End: q.Date("endDate", "Last day. Left out, or in the future: today.")}
	}
	p.filter = report.Filter{
		UserID:   (*directory.UserID)(q.Int("userId", "One user.")),
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Students or teachers alone.", profiles),
	}
	p.page = q.Page(limits)
	p.since = c.Since(q, rt.hasPeriod())
	return p
}

func (rt route) hasPeriod() bool { return rt.aboutStart != "" }

// settle finds the state that the request is answered from, and the period of that state's day (S8). The rules about the period
// as a whole speak only of well-formed dates.
func (p *pull) settle(ctx context.Context) (err error) {
	switch {
	case p.given != nil:
		p.at = *p.given
	case p.page.Number > 1 && p.query.Err() == nil:
		if p.at, err = p.begun(ctx); err != nil {
			return err
		}
	}
	if p.query.Valid("startDate", "endDate") {
		p.period, err = p.periodOn(day(p.at))
		failPeriod(p.query, err, p.api.History)
	}
	p.settleSince()
	return p.query.Err()
}

// settleSince finds the effective period on the day of the earlier state: another one where it ends in the future. Where it was none
// then, that is the state of an answer to another query.
func (p *pull) settleSince() {
	if p.since == nil {
		return
	}
	web.CheckSince(p.query, p.since, p.at.Versions)
	var err error
	if p.was, err = p.periodOn(day(*p.since)); err != nil {
		p.query.Fail(web.SinceParam, web.SinceParam+" must be the "+web.SnapshotHeader+" of an earlier answer to the same query")
	}
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

// periodOn returns the effective period on a day, the zero one where the route has none.
func (p *pull) periodOn(today calendar.Date) (calendar.Period, error) {
	if !p.route.hasPeriod() {
		return calendar.Period{}, nil
	}
	return p.asked.Schools(today, p.api.History)
}

// begun returns the state that the query's first page was answered from, or that of now. That may have been yesterday, when the
// defaults of the period were others: a query is the same as long as it reads the same on the day of its first page.
func (p *pull) begun(ctx context.Context) (state.Snapshot, error) {
	today := day(p.Now)
	now, nowErr := p.periodOn(today)
	for _, on := range []calendar.Date{today, today - 1} {
		period, err := p.periodOn(on)
		if err != nil || on != today && nowErr == nil && period == now {
			continue
		}
		at, ok, err := p.api.Pulls.Pull(ctx, p.key(period), p.Time)
		if err != nil {
			return at, err
		}
		if then, err := p.periodOn(day(at)); ok && err == nil && then == period {
			return at, nil
		}
	}
	return p.Now, nil
}

// key names the pull of the query with an effective period: all that the rows depend on but the page, whatever the order and
// form in which it was sent.
func (p *pull) key(period calendar.Period) state.PullKey {
	user, school := "any", "any"
	if p.filter.UserID != nil {
		user = fmt.Sprint(*p.filter.UserID)
	}
	if p.filter.SchoolID != nil {
		school = fmt.Sprint(*p.filter.SchoolID)
	}
	query := fmt.Sprintf("%s %d %d %d %s %s %d %d",
		p.route.path, p.Network, period.Start, period.End, user, school, p.filter.Profile, p.page.Size)
	if p.since != nil {
		query += fmt.Sprintf(" since %+v", *p.since)
	}
	return p.Key(query)
}

// run runs the report of the request, and notes the pull that it begins or goes on with, before anything is sent.
func (p *pull) run(ctx context.Context) (list wire.Rows, err error) {
	err = p.ReportSince(ctx, p.api.Pulls, p.at.Versions, p.since, func(time.Time) (err error) {
		if p.given != nil {
			if err := p.Use(ctx, p.api.Pulls, p.at); err != nil {
				return err
			}
		}
		list, err = p.route.rows(ctx, p)
		return err
	})
	if err != nil || p.given != nil || p.page.Number > 1 || list.Total <= int64(p.page.Size) {
		return list, err
	}
	return list, p.api.Pulls.BeginPull(ctx, p.key(p.period), p.at, p.Time)
}

// access is what the key opens, at the state that the request is answered from.
func (p *pull) access() report.Access {
	return report.Access{Partner: directory.PartnerID(p.Tenant), Network: directory.EntityID(p.Network), At: p.at.Versions}
}

// round is what a request asks that has changedSince.
func (p *pull) round() report.Round {
	return report.Round{Since: p.since.Versions, Was: p.was, Period: p.period, Filter: p.filter}
}
