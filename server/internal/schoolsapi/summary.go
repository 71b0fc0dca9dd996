package schoolsapi

import (
	"context"
	"net/http"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

const summaryPath = "/summary"

var (
	groupings = web.Named(report.ByDay, report.ByMonth, report.BySchool, report.ByClass, report.ByBook)
	// groupLimits are the bounds of the pages of groups.
	groupLimits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 100}
)

// summaryRoute describes the summary.
func (a *API) summaryRoute() web.Route {
	return web.Route{
		Method: http.MethodGet, Path: Prefix + summaryPath, ID: "schoolSummary", Tag: "reading", Summary: "Totals of a period",
		About: "Counts what users, engagements and readings have for the same period and filters. With groupBy, `data.breakdown` has the same numbers by day, month, school, class or book: " +
			"schools and classes by name, books by readers, most first. A summary that is not in the server's cache may be answered with 503 when many are asked at once.",
		Params: web.Params(a.summary()), Schema: "Summary",
		Sample: func(w *wire.Writer) { writeSummary(w, &report.SummaryQuery{}, paging.Page{}, report.Summary{}) },
	}
}

// summary is how the route reads a request.
func (a *API) summary() web.Asking {
	return web.Asking{Read: func(q *web.Query, today calendar.Date) web.Reply {
		var ask report.SummaryQuery
		_, ask.Period = a.period(q, today)
		ask.Filter = filter(q)
		ask.GroupBy = web.Choose(q, "groupBy", "Fills data.breakdown.", groupings)
		page := q.Page(groupLimits)
		return web.Reply{
			Route: summaryPath, Period: &ask.Period, Page: &page,
			Enter: func(ctx context.Context, _ web.States) (func(), error) { return a.Queue.Enter(ctx, 0) },
			Read: func(ctx context.Context, s web.States, _ time.Time) (web.Content, error) {
				sum, err := a.Reports.Summary(ctx, access(s), ask, page)
				return web.Content{
					Rows:    wire.Rows{Total: sum.Groups.Total},
					Members: func(w *wire.Writer) { writeSummary(w, &ask, page, sum) },
				}, err
			},
		}
	}}
}

// writeSummary writes the envelope, the totals and, where groups are asked for, a page of them.
func writeSummary(w *wire.Writer, q *report.SummaryQuery, page paging.Page, s report.Summary) {
	grouped := q.GroupBy != 0
	w.Object("meta", "SummaryMeta", "", func() {
		web.WritePeriod(w, q.Period)
		if w.Optional(grouped) {
			web.WritePage(w, page, s.Groups.Total, "The page of the breakdown. Only with groupBy.")
		}
	})
	w.Object("data", "", "", func() {
		w.Object("general", "Metrics", "", func() { writeMetrics(w, &s.General, 0) })
		if w.Optional(grouped) {
			wire.List(w, "breakdown", "Group", s.Groups.Rows, func(w *wire.Writer, g *report.Group) { writeGroup(w, g, q.GroupBy) }, "Only with groupBy.")
		}
	})
}

func writeGroup(w *wire.Writer, g *report.Group, by report.GroupBy) {
	w.Text("key", g.Key, "YYYY-MM-DD, YYYY-MM, or the identifier of a school, class or book; empty for users without a school or class.")
	w.Text("label", g.Label, "Name of the school or class, title of the book; the key of a day or month.")
	w.Object("metrics", "Metrics", "", func() { writeMetrics(w, &g.Metrics, by) })
}

// writeMetrics writes what is counted of all, or of a group. What a group does not have is null.
func writeMetrics(w *wire.Writer, m *report.Metrics, by report.GroupBy) {
	users, readings := by.HasUsers(), by.HasReadings()
	w.IntIf("users", m.Users, users, "Accounts that pass the filters; null for a book.")
	w.IntIf("activeUsers", m.Active, users, "Those that are active; null for a book.")
	w.IntIf("usersWithAccess", m.WithAccess, users, "Users with an access in the period; null for a book.")
	w.IntIf("accessDays", m.AccessDays, users, "Rows of engagements; null for a book.")
	w.Int("readers", m.Readers, "Users with a row of readings.")
	w.Minutes("readingMinutes", m.Minutes, "Minutes of effective reading, one decimal.")
	w.IntIf("readings", m.Readings, readings, "Rows of readings; null for a day.")
	w.IntIf("finished", m.Finished, readings, "Those of which the percent reaches 50; null for a day.")
	w.IntIf("distinctBooks", m.DistinctBooks, readings && users, "Books with a row of readings; null for a day and a book.")
}
