// Package librariesapi answers the libraries reporting API: GET routes under Prefix, as the specification and the parts L
// and H of the contract say. It reads parameters, calls a report and writes the answer. The rules are in package
// libraries.
//
//	GET /api-platform/libraries/v1/datasets/channels?startDate=2026-08-01&endDate=2026-08-01&channel=app
//
//	{"meta":{"updatedAt":"2026-08-02 14:00:00","period":{"startDate":"2026-08-01","endDate":"2026-08-01"}},
//	 "data":{"rows":[{"date":"2026-08-01","channel":"app","sessions":31,"estimated":true}]}}
//
// CSV, NDJSON and XLSX have only the rows of a list (H11).
//
// A request is checked in the order of H5: path (404), method (405), key (401), rate (429), name of the dataset (404),
// parameters (400). The middleware of the server checks the user agent before. A request that is refused before the rate
// uses no budget.
//
// The package has no keys and no counters, and does not know databases: see web.Front and Reports.
package librariesapi

import (
	"context"
	"net/http"
	"path"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// The routes are under Prefix, and under each legacy prefix followed by Suffix (H1).
const (
	Prefix = "/api-platform" + Suffix
	Suffix = "/libraries/v1"
)

// Reports are the reports behind the routes; *report.Reports is one.
type Reports interface {
	Summary(context.Context, report.Access, report.SummaryQuery, paging.Page) (*report.Summary, error)
	Engagements(context.Context, report.Access, report.DayQuery, paging.Page) (paging.List[report.Engagement], error)
	Users(context.Context, report.Access, report.UserQuery, paging.Page) (paging.List[report.User], error)
	Dimensions(context.Context, report.Access) (*report.Dimensions, error)

	Books(context.Context, report.Access, report.BookQuery, paging.Page) (paging.List[report.BookRow], error)
	Stock(context.Context, report.Access, report.StockQuery, paging.Page) (paging.List[report.StockRow], error)
	Loans(context.Context, report.Access, report.LoanQuery, paging.Page) (paging.List[report.LoanRow], error)
	Reservations(context.Context, report.Access, report.ReservationQuery, paging.Page) (paging.List[report.ReservationRow], error)
	Logins(context.Context, report.Access, report.DayQuery, paging.Page) (paging.List[report.LoginRow], error)
	ChannelDays(context.Context, report.Access, report.ChannelQuery) (paging.List[libraries.ChannelDay], error)
	Suggestions(context.Context, report.Access, report.SuggestionQuery, paging.Page) (paging.List[report.SuggestionRow], error)
	Requests(context.Context, report.Access, report.RequestQuery, paging.Page) (paging.List[libraries.Request], error)

	// Incremental pulls (H14).
	EngagementsSince(context.Context, report.Access, snapshot.Versions, report.DayQuery, paging.Page) (paging.List[report.Engagement], error)
	UsersSince(context.Context, report.Access, snapshot.Versions, report.UserQuery, paging.Page) (paging.List[report.User], error)
	LoansSince(context.Context, report.Access, snapshot.Versions, report.LoanQuery, paging.Page) (paging.List[report.LoanRow], error)
	ReservationsSince(context.Context, report.Access, snapshot.Versions, report.ReservationQuery, paging.Page) (paging.List[report.ReservationRow], error)
}

var _ Reports = (*report.Reports)(nil)

// API answers the routes. Reports, Queue and the fields of Front must be set.
type API struct {
	web.Front
	Reports Reports
	// Queue bounds the users route (L17).
	Queue *web.Queue
	// History is the first day of the history (G6).
	History calendar.Date
	// Outside says that sessions by channel come from an outside source, and so are not part of the snapshot (L13).
	Outside bool
	// LegacyPrefixes are other paths before Suffix under which the routes answer. They have no `:` and no `*`.
	LegacyPrefixes []string
}

// Handler returns the handler of every path under Prefix and the legacy ones.
func (a *API) Handler() http.Handler {
	router := web.NewRouter()
	prefixes := []string{Prefix}
	for _, p := range a.LegacyPrefixes {
		prefixes = append(prefixes, p+Suffix)
	}
	for _, prefix := range prefixes {
		for _, rt := range a.reports() {
			router.Handler(http.MethodGet, prefix+rt.Path, a.Get(prefix, rt))
		}
		router.Handler(http.MethodGet, prefix+"/datasets/:name", a.dataset(prefix))
	}
	return web.Exact(router)
}

// dataset answers the dataset that a path names. An unknown name is refused after the rate is checked.
func (a *API) dataset(prefix string) http.Handler {
	named := func(r *http.Request) string { return httprouter.ParamsFromContext(r.Context()).ByName("name") }
	all := make(map[string]http.Handler)
	for _, rt := range a.datasets() {
		all[path.Base(rt.Path)] = a.Get(prefix, rt)
	}
	unknown := a.Checked(prefix+"/datasets/:name", func(_ http.ResponseWriter, r *http.Request, _ web.Caller) error {
		return &web.Problem{Status: http.StatusNotFound, Message: "unknown dataset " + named(r)}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := all[named(r)]
		if !ok {
			h = unknown
		}
		h.ServeHTTP(w, r)
	})
}

// access returns what the key opens, at the snapshot of the request, which is current from a time on.
func access(s web.Snapshots, from time.Time) report.Access {
	return report.Access{Network: libraries.NetworkID(s.Tenant), At: s.At.Versions, Erasures: s.Erasures, Hour: hourOf(from)}
}

// hourOf returns the hour from which a snapshot is current, or 0 before the first load.
func hourOf(from time.Time) libraries.Hour {
	if from.IsZero() {
		return 0
	}
	return libraries.HourOf(from)
}

// errChannels refuses the dataset channels while its source is not available (L13). The source has logged why.
var errChannels = &web.Problem{
	Status: http.StatusServiceUnavailable, Message: "the analytics source is not available; try again later", RetryAfter: 60,
}
