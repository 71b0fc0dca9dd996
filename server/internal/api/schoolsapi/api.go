// Package schoolsapi answers the schools reading API: four GET routes under Prefix, as the specification and parts S and
// H of the contract describe them. It parses parameters, calls a report and writes the result; the rules are in
// package schools.
//
//	GET /api-platform/schools/v1/engagements?startDate=2026-03-01&endDate=2026-03-31&pageSize=1
//
//	{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-03-31"},"page":{"page":1,"pageSize":1,"totalRows":2}},
//	 "data":{"rows":[{"date":"2026-03-02","userId":7,"readingMinutes":12.3}]}}
//
// CSV, NDJSON and XLSX have only the rows (H11).
//
// A request is checked in the order of H5: path (404), method (405), key (401), rate (429), parameters (400). The user
// agent is checked first, by the server's middleware. A request that is refused before the rate uses no budget.
//
// The package keeps no keys or counters and does not know the database: see web.Front and Reports.
package schoolsapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// Prefix is the path of the routes (H1).
const Prefix = "/api-platform/schools/v1"

// Reports are the three lists, the changes of each (H14), and the summary; *report.Reports implements it.
type Reports interface {
	Users(context.Context, report.Access, report.Filter, paging.Page) (paging.List[report.User], error)
	Engagements(context.Context, report.Access, calendar.Period, report.Filter, paging.Page) (paging.List[report.Engagement], error)
	Readings(context.Context, report.Access, calendar.Period, report.Filter, paging.Page) (paging.List[report.Reading], error)

	UsersSince(context.Context, report.Access, report.Pull, paging.Page) (paging.List[report.User], error)
	EngagementsSince(context.Context, report.Access, report.Pull, paging.Page) (paging.List[report.Engagement], error)
	ReadingsSince(context.Context, report.Access, report.Pull, paging.Page) (paging.List[report.Reading], error)

	Summary(context.Context, report.Access, report.SummaryQuery, paging.Page) (report.Summary, error)
}

var _ Reports = (*report.Reports)(nil)

// API answers the routes. Reports, Queue and the front's fields must be set.
type API struct {
	web.Front
	Reports Reports
	// Queue bounds the summaries of all partners that are not in the cache (S10).
	Queue *web.Queue
	// History is the first day of the reports (G6).
	History calendar.Date
}

// Handler returns the handler of every path under Prefix.
func (a *API) Handler() http.Handler {
	router := web.NewRouter()
	for _, rt := range a.routes() {
		router.Handler(http.MethodGet, Prefix+rt.Path, a.Get(Prefix, rt))
	}
	return web.Exact(router)
}
