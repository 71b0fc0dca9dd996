// Package librariesapi answers the libraries reporting API: GET routes under Prefix, as the specification and the L and H
// parts of the contract have them. It reads parameters, calls a report and writes what it returns; the rules are in
// package libraries.
//
//	GET /api-platform/libraries/v1/datasets/channels?startDate=2026-08-01&endDate=2026-08-01&channel=app
//
//	{"meta":{"updatedAt":"2026-08-02 14:00:00","period":{"startDate":"2026-08-01","endDate":"2026-08-01"}},
//	 "data":{"rows":[{"date":"2026-08-01","channel":"app","sessions":31,"estimated":true}]}}
//
// With Accept: text/csv or application/x-ndjson the rows of a list come alone (H11).
//
// A request is checked in the order of H5: path (404), method (405), key (401), rate (429), name of the dataset (404),
// parameters (400). The user agent stands before them all, in the middleware of the server. Whatever is refused before
// the rate uses no budget.
//
// The package keeps no keys and no counters, and knows no database: see Keys, Reports and auth.Limiter.
package librariesapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// The routes stand under Prefix, and under each legacy prefix followed by Suffix (H1).
const (
	Prefix = "/api-platform" + Suffix
	Suffix = "/libraries/v1"
)

// Keys checks keys.
type Keys interface {
	// Check returns what the key with the given text opens. The error is one of web.RefuseKey, or web.ErrKey, for
	// every key that is not good.
	Check(ctx context.Context, text string) (Grant, error)
}

// Grant is what a good key opens, the budget that its requests count on, and who asks when: Caller.Now is of the hour.
type Grant struct {
	Access report.Access
	Budget auth.Budget
	Caller web.Caller
}

// Reports are the reports behind the routes; *report.Reports is one.
type Reports interface {
	Summary(context.Context, report.Access, report.SummaryQuery, paging.Page) (*report.Summary, error)
	Engagements(context.Context, report.Access, report.DayQuery, paging.Page) (report.List[report.Engagement], error)
	Users(context.Context, report.Access, report.UserQuery, paging.Page) (report.List[report.User], error)
	Dimensions(context.Context, report.Access) (*report.Dimensions, error)

	Books(context.Context, report.Access, report.BookQuery, paging.Page) (report.List[report.BookRow], error)
	Stock(context.Context, report.Access, report.StockQuery, paging.Page) (report.List[report.StockRow], error)
	Loans(context.Context, report.Access, report.LoanQuery, paging.Page) (report.List[report.LoanRow], error)
	Reservations(context.Context, report.Access, report.ReservationQuery, paging.Page) (report.List[report.ReservationRow], error)
	Logins(context.Context, report.Access, report.DayQuery, paging.Page) (report.List[report.LoginRow], error)
	ChannelDays(context.Context, report.Access, report.ChannelQuery) (report.List[libraries.ChannelDay], error)
	Suggestions(context.Context, report.Access, report.SuggestionQuery, paging.Page) (report.List[report.SuggestionRow], error)
	Requests(context.Context, report.Access, report.RequestQuery, paging.Page) (report.List[libraries.Request], error)
}

var _ Reports = (*report.Reports)(nil)

// API answers the routes. Keys, Limiter, Reports, Pulls, Queue and Answers must be set.
type API struct {
	Keys    Keys
	Limiter auth.Limiter
	Reports Reports
	Pulls   web.Pulls
	// Queue bounds the users route (L17).
	Queue   *Queue
	Answers *web.Answers
	// Rate is the number of requests a minute that a library network may make; 0 sets no limit (H6).
	Rate int
	// LegacyPrefixes are further paths before Suffix under which the routes answer: plain ones, without `:` and `*`, each once.
	LegacyPrefixes []string
}

// Handler returns the handler of every path under Prefix and the legacy ones.
func (a *API) Handler() http.Handler {
	router := web.NewRouter()
	dataset := find(a.datasets())
	for _, prefix := range a.prefixes() {
		for _, rt := range a.routes() {
			router.Handler(http.MethodGet, prefix+rt.path, a.checked(prefix, func(*http.Request) (route, error) { return rt, nil }))
		}
		router.Handler(http.MethodGet, prefix+"/datasets/:name", a.checked(prefix, dataset))
	}
	return web.Exact(router)
}

func (a *API) prefixes() []string {
	all := []string{Prefix}
	for _, p := range a.LegacyPrefixes {
		all = append(all, p+Suffix)
	}
	return all
}

// find returns what finds the route of the dataset that a path names.
func find(datasets []route) func(*http.Request) (route, error) {
	return func(r *http.Request) (route, error) {
		name := httprouter.ParamsFromContext(r.Context()).ByName("name")
		for _, rt := range datasets {
			if rt.path == "/datasets/"+name {
				return rt, nil
			}
		}
		return route{path: "/datasets/:name"}, &web.Problem{Status: http.StatusNotFound, Message: "unknown dataset " + name}
	}
}

// checked makes the checks that stand between the method and the parameters, and then answers. find says which route it
// is; its error is told after the rate.
func (a *API) checked(prefix string, find func(*http.Request) (route, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rt, unknown := find(r)
		ctx := r.Context()
		trace := web.TraceOf(ctx)
		trace.Route = prefix + rt.path
		key := web.KeyText(r.Header)
		trace.Claim(auth.ParseKey(key))
		grant, err := a.Keys.Check(ctx, key)
		if err != nil {
			web.Fail(w, r, err)
			return
		}
		trace.Tenant = int64(grant.Access.Network)
		if err := web.Spend(ctx, w, a.Limiter, grant.Budget, a.Rate); err != nil {
			web.Fail(w, r, err)
			return
		}
		if unknown != nil {
			web.Fail(w, r, unknown)
			return
		}
		a.answer(w, r, rt, grant)
	})
}

// answer reads the parameters, runs the report on the state of now or on that of the snapshot, and writes it.
func (a *API) answer(w http.ResponseWriter, r *http.Request, rt route, g Grant) {
	q := web.NewQuery(r.URL.RawQuery, rt.vocabulary)
	at, given := g.Caller.Now, g.Caller.Asked(q)
	if given != nil {
		at = *given
	}
	c := rt.read(q, libraries.Hour(at.Of).Day())
	if err := q.Err(); err != nil {
		web.Fail(w, r, err)
		return
	}
	ans, err := a.report(r.Context(), c, g, given)
	if err != nil {
		web.Fail(w, r, explain(err))
		return
	}
	g.Caller.ShowSnapshot(w, at)
	write := func(w *wire.Writer) { c.write(w, ans) }
	if ans.data != nil {
		a.Answers.WriteJSON(w, r, write)
		return
	}
	a.Answers.WriteRows(w, r, ans.rows, write)
}

// report runs a report on the state of a snapshot, which is noted as that of a pull, or on the state of now.
func (a *API) report(ctx context.Context, c call, g Grant, given *state.Snapshot) (ans answer, err error) {
	access := g.Access
	if given != nil {
		access.At = given.Versions
	}
	err = g.Caller.Report(ctx, a.Pulls, access.At, func(from time.Time) (err error) {
		access.Hour = hourOf(from)
		if given != nil {
			if err := g.Caller.Use(ctx, a.Pulls, *given); err != nil {
				return err
			}
		}
		ans, err = c.run(ctx, access)
		return err
	})
	return ans, err
}

// errChannels refuses the dataset channels while its source does not answer (L13). The source has logged why.
var errChannels = &web.Problem{Status: http.StatusServiceUnavailable, Message: "the analytics source is not available; try again later"}

// explain returns what a client is told of a report's error, if it is told anything.
func explain(err error) error {
	if errors.Is(err, report.ErrChannels) {
		return errChannels
	}
	return err
}

// hourOf is the hour from which a state holds, 0 before the first load.
func hourOf(from time.Time) libraries.Hour {
	if from.IsZero() {
		return 0
	}
	return libraries.HourOf(from)
}
