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
	web.States
	api    *API
	route  route
	query  *web.Query
	asked  calendar.Asked
	filter report.Filter
	page   paging.Page

	// The effective periods on the day of the state that it is answered from, and on that of the earlier one; zero where there is
	// none.
	period, was calendar.Period
}

// pull reads the parameters of a request.
func (a *API) pull(q *web.Query, rt route, c web.Caller) *pull {
	p := &pull{States: c.States(q), api: a, route: rt, query: q}
	if rt.hasPeriod() {
		p.asked = calendar.Asked{Start: q.Date("startDate", rt.aboutStart), End: q.Date("endDate", "Last day. Left out, or in the future: today.")}
	}
	p.filter = report.Filter{
		UserID:   (*directory.UserID)(q.Int("userId", "One user.")),
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Students or teachers alone.", profiles),
	}
	p.page = q.Page(limits)
	p.ReadSince(q, rt.hasPeriod())
	return p
}

func (rt route) hasPeriod() bool { return rt.aboutStart != "" }

// settle finds the state that the request is answered from, and the period of that state's day (S8). The rules about the period
// as a whole speak only of well-formed dates.
func (p *pull) settle(ctx context.Context) (err error) {
	if !p.Given && p.page.Number > 1 && p.query.Err() == nil {
		if p.At, err = p.begun(ctx); err != nil {
			return err
		}
	}
	if p.query.Valid("startDate", "endDate") {
		p.period, err = p.periodOn(day(p.At))
		failPeriod(p.query, err, p.api.History)
	}
	p.CheckSince(p.query)
	if p.Since != nil { // its period is another one where it ends in the future; where it was none, the answer was to another query
		if p.was, err = p.periodOn(day(*p.Since)); err != nil {
			p.query.Fail(web.SinceParam, web.SinceParam+" must be the "+web.SnapshotHeader+" of an earlier answer to the same query")
		}
	}
	return p.query.Err()
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
		at, ok, err := p.api.Pulls.Pull(ctx, p.key(period), p.Now, p.Time)
		if err != nil {
			return at, err
		}
		if then, err := p.periodOn(day(at)); ok && err == nil && then == period {
			return at, nil
		}
	}
	return p.Now, nil
}

// key names the pull of the query with an effective period.
func (p *pull) key(period calendar.Period) state.PullKey { return p.Key(p.named(period)) }

// named names the query with an effective period: all that the rows depend on but the state and the page, whatever the order and
// form in which it was sent.
func (p *pull) named(period calendar.Period) string {
	user, school := "any", "any"
	if p.filter.UserID != nil {
		user = fmt.Sprint(*p.filter.UserID)
	}
	if p.filter.SchoolID != nil {
		school = fmt.Sprint(*p.filter.SchoolID)
	}
	query := fmt.Sprintf("%s %d %d %d %s %s %d %d",
		p.route.path, p.Network, period.Start, period.End, user, school, p.filter.Profile, p.page.Size)
	if p.Since != nil {
		query += fmt.Sprintf(" since %+v", *p.Since)
	}
	return query
}

// reply is the answer to the request. The day of the state is in the period.
func (p *pull) reply() web.Reply {
	return web.Reply{
		States: p.States, Of: fmt.Sprintf("%s page %d", p.named(p.period), p.page.Number), Rows: true, People: p.route.people,
		Read: func(ctx context.Context, _ time.Time) (web.Content, error) {
			list, erased, err := p.route.rows(ctx, p)
			return web.Content{Rows: list, Members: func(w *wire.Writer) { p.write(w, list) }, Erased: erased}, err
		},
	}
}

// begin notes the pull that an answer of so many rows in all begins, before anything is sent.
func (p *pull) begin(ctx context.Context, total int64) error {
	if p.Given || p.page.Number > 1 || total <= int64(p.page.Size) {
		return nil
	}
	return p.api.Pulls.BeginPull(ctx, p.key(p.period), p.At, p.Time)
}

// access is what the key opens, at the state that the request is answered from.
func (p *pull) access() report.Access {
	return report.Access{
		Partner: directory.PartnerID(p.Tenant), Network: directory.EntityID(p.Network), At: p.At.Versions, Erasures: p.Erasures,
	}
}

// round is what a request asks that has changedSince.
func (p *pull) round() report.Round {
	return report.Round{Since: p.Since.Versions, Was: p.was, Period: p.period, Filter: p.filter}
}
