// Package schoolsapi answers the schools reading API: four GET routes under Prefix, as the specification and the S and
// H parts of the contract have them. It reads parameters, calls a report and writes what it returns; the rules are in
// package schools.
//
//	GET /api-platform/schools/v1/engagements?startDate=2026-03-01&endDate=2026-03-31&pageSize=1
//
//	{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-03-31"},"page":{"page":1,"pageSize":1,"totalRows":2}},
//	 "data":{"rows":[{"date":"2026-03-02","userId":7,"readingMinutes":12.3}]}}
//
// As CSV, NDJSON or XLSX the rows come alone (H11).
//
// A request is checked in the order of H5: path (404), method (405), key (401), rate (429), parameters (400). The user
// agent stands before them all, in the middleware of the server. Whatever is refused before the rate uses no budget.
//
// The package keeps no keys and no counters, and knows no database: see web.Front and Reports.
package schoolsapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// Prefix is the path that the routes stand under (H1).
const Prefix = "/api-platform/schools/v1"

// Reports are the three lists, what has changed in each (H14), and the summary; *report.Reports is one.
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
	// History is the first day that the reports know (G6).
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
