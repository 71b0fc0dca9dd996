package schoolsapi

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

var groupings = web.Named(report.ByDay, report.ByMonth, report.BySchool, report.ByClass, report.ByBook)

func (a *API) summary(q *web.Query, today calendar.Date) web.Reply {
	var query report.SummaryQuery
	_, query.Period = a.period(q, today)
	query.Filter = filter(q)
	query.GroupBy = web.Choose(q, "groupBy", "Fills data.breakdown.", groupings)
	page, grouped := q.Page(web.SmallPage), query.GroupBy != 0
	content := func(s *report.Summary) web.Content {
		return web.Content{Rows: wire.Rows{Total: s.Groups.Total}, Members: func(w *wire.Writer) { writeSummary(w, query.GroupBy, s) }}
	}
	p := web.Object(content, func(ctx context.Context, s web.Snapshots, _ time.Time) (*report.Summary, error) {
		sum, err := a.Reports.Summary(ctx, access(s), query, page)
		return &sum, err
	})
	p.Page, p.Breakdown, p.Meta = &page, &grouped, "SummaryMeta"
	p.Enter = func(ctx context.Context, _ web.Snapshots) (func(), error) { return a.Queue.Enter(ctx, 0) }
	return p.Over(query.Period)
}

// writeSummary writes the totals and, where groups are asked for, a page of them.
func writeSummary(w *wire.Writer, by report.GroupBy, s *report.Summary) {
	w.Object("general", "Metrics", "", func() { writeMetrics(w, &s.General, 0) })
	if w.Optional(by != 0) {
		wire.List(w, "breakdown", "Group", s.Groups.Rows, func(w *wire.Writer, g *report.Group) { writeGroup(w, g, by) }, "Only with groupBy.")
	}
}

func writeGroup(w *wire.Writer, g *report.Group, by report.GroupBy) {
	w.Text("key", g.Key, "YYYY-MM-DD, YYYY-MM, or the identifier of a school, class or book; empty for users without a school or class.")
	w.Text("label", g.Label, "Name of the school or class, title of the book; the key of a day or month.")
	w.Object("metrics", "Metrics", "", func() { writeMetrics(w, &g.Metrics, by) })
}

// writeMetrics writes the metrics of all, or of a group. Metrics that a group does not have are null.
func writeMetrics(w *wire.Writer, m *report.Metrics, by report.GroupBy) {
	users, readings := by.HasUsers(), by.HasReadings()
	w.IntIf("users", m.Users, users, "Accounts that pass the filters; null for a book.")
	w.IntIf("activeUsers", m.Active, users, "Active accounts that pass the filters; null for a book.")
	w.IntIf("usersWithAccess", m.WithAccess, users, "Users with an access in the period; null for a book.")
	w.IntIf("accessDays", m.AccessDays, users, "Rows of engagements; null for a book.")
	w.Int("readers", m.Readers, "Users with a row of readings.")
	w.Minutes("readingMinutes", m.Minutes, "Minutes of effective reading, one decimal.")
	w.IntIf("readings", m.Readings, readings, "Rows of readings; null for a day.")
	w.IntIf("finished", m.Finished, readings, "Rows of readings whose percent reaches 50; null for a day.")
	w.IntIf("distinctBooks", m.DistinctBooks, readings && users, "Books with a row of readings; null for a day and a book.")
}
