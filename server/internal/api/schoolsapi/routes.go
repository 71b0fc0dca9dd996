package schoolsapi

import (
	"context"
	"errors"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

func (a *API) routes() []web.Route {
	const tag = "reading"
	return []web.Route{
		{Path: "/users", ID: "users", Tag: tag, Schema: "Users", Summary: "Users of the network", Read: a.users,
			About: "All students and teachers, by userId. The only route with personal data."},
		{Path: "/engagements", ID: "engagements", Tag: tag, Schema: "Engagements", Summary: "Days with access", Read: a.engagements,
			About: "A row for each user and day with an access, by date, then userId. The sum of readingMinutes is that of readings for the same period and filters."},
		{Path: "/readings", ID: "readings", Tag: tag, Schema: "Readings", Summary: "What was read", Read: a.readings,
			About: "A row for each user and book with effective reading in the period, by userId, then book. Percent and finished count only the period."},
		{Path: "/summary", ID: "schoolSummary", Tag: tag, Schema: "Summary", Summary: "Totals of a period", Read: a.summary,
			About: "Counts what users, engagements and readings have for the same period and filters. With groupBy, `data.breakdown` has the same numbers by day, month, school, class or book: " +
				"schools and classes by name, books by readers, most first. A summary that is not in the server's cache may be answered with 503 when many are asked at once."},
	}
}

// Routes returns the routes under Prefix of an API whose reports begin on a day.
func Routes(history calendar.Date) []web.Route { return (&API{History: history}).routes() }

func (a *API) users(q *web.Query, today calendar.Date) web.Reply {
	k := a.read(q, today, false)
	p := list(a, k, userRows, Reports.UsersSince, func(ctx context.Context, access report.Access) (paging.List[report.User], error) {
		return a.Reports.Users(ctx, access, k.filter, k.page)
	})
	p.People, p.Meta = true, "UsersMeta"
	return p
}

func (a *API) engagements(q *web.Query, today calendar.Date) web.Reply {
	k := a.read(q, today, true)
	return list(a, k, engagementRows, Reports.EngagementsSince, func(ctx context.Context, access report.Access) (paging.List[report.Engagement], error) {
		return a.Reports.Engagements(ctx, access, k.period, k.filter, k.page)
	}).Over(k.period)
}

func (a *API) readings(q *web.Query, today calendar.Date) web.Reply {
	k := a.read(q, today, true)
	return list(a, k, readingRows, Reports.ReadingsSince, func(ctx context.Context, access report.Access) (paging.List[report.Reading], error) {
		return a.Reports.Readings(ctx, access, k.period, k.filter, k.page)
	}).Over(k.period)
}

// asked is what a request asks for, as its parameters read on a day.
type asked struct {
	dates  *calendar.Asked // nil where the route has no period
	period calendar.Period
	filter report.Filter
	page   paging.Page
}

// read reads the parameters of a list, with a period or without, as of a day.
func (a *API) read(q *web.Query, today calendar.Date, period bool) (k asked) {
	if period {
		k.dates, k.period = a.period(q, today)
	}
	user := (*directory.UserID)(q.Int("userId", "One user."))
	k.filter = filter(q)
	k.filter.UserID = user
	k.page = q.Page(web.LargePage)
	return k
}

// period reads the period of a route as of a day. The rules about a period as a whole (S8) speak only of well-formed dates.
func (a *API) period(q *web.Query, today calendar.Date) (*calendar.Asked, calendar.Period) {
	dates := &calendar.Asked{
		Start: q.Date("startDate", "First day, Brasilia time. Left out: 29 days before the end. Before "+a.History.String()+": that day."),
		End:   q.Date("endDate", "Last day. Left out, or in the future: today."),
	}
	if !q.Valid("startDate", "endDate") {
		return dates, calendar.Period{}
	}
	period, err := dates.Schools(today, a.History)
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, calendar.ErrBeforeHistory):
		q.Fail("endDate", "endDate must not be before "+a.History.String())
	}
	return dates, period
}

// filter reads the filters that all routes have.
func filter(q *web.Query) report.Filter {
	return report.Filter{
		SchoolID: (*directory.EntityID)(q.Int("schoolId", "The users of one school.")),
		Profile:  web.Choose(q, "profile", "Only students, or only teachers.", profiles),
	}
}

// list is the reply that is a page of a list, which ask returns, or with changedSince since. A period that ends in the future was
// another one on the day of that snapshot.
func list[T any](a *API, k asked, table wire.Table[T],
	since func(Reports, context.Context, report.Access, report.Pull, paging.Page) (paging.List[T], error),
	ask func(context.Context, report.Access) (paging.List[T], error)) web.Reply {
	p := web.List(table, k.page, func(ctx context.Context, s web.Snapshots, _ time.Time) (none paging.List[T], err error) {
		if s.Since == nil {
			return ask(ctx, access(s))
		}
		r := report.Pull{Since: s.Since.Versions, Period: k.period, Filter: k.filter}
		if k.dates != nil {
			if r.Was, err = k.dates.Schools(calendar.Date(s.Since.Of), a.History); err != nil {
				return none, err
			}
		}
		return since(a.Reports, ctx, access(s), r, k.page)
	})
	p.Meta = "PeriodMeta"
	return p
}

// access returns the access of a request: what its key opens, in the snapshot that answers it.
func access(s web.Snapshots) report.Access {
	return report.Access{
		Partner: directory.PartnerID(s.Tenant), Network: directory.EntityID(s.Network), At: s.At.Versions, Erasures: s.Erasures,
	}
}
