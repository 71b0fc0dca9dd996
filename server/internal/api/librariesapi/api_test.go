package librariesapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// fixed answers with its fields and records the last call.
type fixed struct {
	librariesapi.Reports // nil: no test uses the incremental pulls

	hour         libraries.Hour
	summary      report.Summary
	dimensions   report.Dimensions
	engagements  []report.Engagement
	users        []report.User
	books        []report.BookRow
	stock        []report.StockRow
	loans        []report.LoanRow
	reservations []report.ReservationRow
	logins       []report.LoginRow
	channels     []libraries.ChannelDay
	suggestions  []report.SuggestionRow
	requests     []libraries.Request
	err          error
	during       func() // if not nil, called while users are read

	access report.Access
	query  any
	page   paging.Page
	calls  int
}

// total is the number of rows of all pages of every list.
const total = 9

func list[T any](f *fixed, rows []T, a report.Access, query any, p paging.Page) (paging.List[T], error) {
	f.access, f.query, f.page = a, query, p
	f.calls++
	return paging.List[T]{Rows: rows, Total: total}, f.err
}

func (f *fixed) Summary(_ context.Context, a report.Access, q report.SummaryQuery, p paging.Page) (*report.Summary, error) {
	list[int](f, nil, a, q, p)
	return &f.summary, f.err
}

func (f *fixed) Dimensions(_ context.Context, a report.Access) (*report.Dimensions, error) {
	list[int](f, nil, a, nil, paging.Page{})
	return &f.dimensions, f.err
}

func (f *fixed) Engagements(_ context.Context, a report.Access, q report.DayQuery, p paging.Page) (paging.List[report.Engagement], error) {
	return list(f, f.engagements, a, q, p)
}

func (f *fixed) Users(_ context.Context, a report.Access, q report.UserQuery, p paging.Page) (paging.List[report.User], error) {
	if f.during != nil {
		f.during()
		return paging.List[report.User]{}, nil
	}
	return list(f, f.users, a, q, p)
}

func (f *fixed) Books(_ context.Context, a report.Access, q report.BookQuery, p paging.Page) (paging.List[report.BookRow], error) {
	return list(f, f.books, a, q, p)
}

func (f *fixed) Stock(_ context.Context, a report.Access, q report.StockQuery, p paging.Page) (paging.List[report.StockRow], error) {
	return list(f, f.stock, a, q, p)
}

func (f *fixed) Loans(_ context.Context, a report.Access, q report.LoanQuery, p paging.Page) (paging.List[report.LoanRow], error) {
	return list(f, f.loans, a, q, p)
}

func (f *fixed) Reservations(_ context.Context, a report.Access, q report.ReservationQuery, p paging.Page) (paging.List[report.ReservationRow], error) {
	return list(f, f.reservations, a, q, p)
}

func (f *fixed) Logins(_ context.Context, a report.Access, q report.DayQuery, p paging.Page) (paging.List[report.LoginRow], error) {
	return list(f, f.logins, a, q, p)
}

func (f *fixed) ChannelDays(_ context.Context, a report.Access, q report.ChannelQuery) (paging.List[libraries.ChannelDay], error) {
	return list(f, f.channels, a, q, paging.Page{})
}

func (f *fixed) Suggestions(_ context.Context, a report.Access, q report.SuggestionQuery, p paging.Page) (paging.List[report.SuggestionRow], error) {
	return list(f, f.suggestions, a, q, p)
}

func (f *fixed) Requests(_ context.Context, a report.Access, q report.RequestQuery, p paging.Page) (paging.List[libraries.Request], error) {
	return list(f, f.requests, a, q, p)
}

// testAccess is the access that the good key gives.
var testAccess = report.Access{Network: 3, At: snapshot.Versions{Registers: 1, Facts: 2}}

// oneKey accepts the good key, and fails like a database for the broken one.
type oneKey struct {
	now  func() time.Time
	from time.Time // since when the facts are current
}

func (k oneKey) Check(_ context.Context, text string, _ bool) (web.Caller, error) {
	switch text {
	case "good":
		c := web.Caller{Tenant: 3, Spends: auth.Budget{Tenant: 3, Name: "libraries"}, Secret: []byte("secret"), Time: k.now(), From: k.from}
		c.Now = snapshot.Snapshot{Versions: testAccess.At, Of: int32(libraries.HourOf(k.now()))}
		return c, nil
	case "broken":
		return web.Caller{}, errors.New("no database")
	}
	return web.Caller{}, web.ErrKey
}

// noPulls remembers no pull, and keeps only the current snapshot.
type noPulls struct{}

func (noPulls) KeptFrom(context.Context, auth.Tenant, snapshot.Versions) (time.Time, error) {
	return time.Time{}, snapshot.ErrGone
}

func (noPulls) BeginPull(context.Context, snapshot.PullKey, snapshot.Snapshot, time.Time) error {
	return nil
}

func (noPulls) Pull(context.Context, snapshot.PullKey, snapshot.Snapshot, time.Time) (at snapshot.Snapshot, from time.Time, ok bool, err error) {
	return at, from, false, nil
}

func (noPulls) UsePull(context.Context, snapshot.PullKey, snapshot.Snapshot, time.Time) error {
	return nil
}

// noon is the clock of these tests: midday of 2026-09-15 in Brasilia.
func noon() time.Time { return time.Date(2026, 9, 15, 15, 0, 0, 0, time.UTC) }

// front returns a Front with the keys of oneKey, a clock and a rate limit.
func front(now func() time.Time, rate int) web.Front {
	return web.Front{Keys: oneKey{now: now}, Limit: web.Limit{Limiter: &auth.MemoryLimiter{Now: noon}, Rate: rate}, Answers: new(web.Answers),
		Pulls: noPulls{}, Day: func(at snapshot.Snapshot) calendar.Date { return libraries.Hour(at.Of).Day() }}
}

// newAPI returns the API over fixed reports, with a limit of requests per minute.
func newAPI(f *fixed, rate int) http.Handler {
	a := &librariesapi.API{
		Front:          front(noon, rate),
		Reports:        f,
		Queue:          &web.Queue{AtATime: 2, Waiting: 16, Wait: time.Minute},
		LegacyPrefixes: []string{"/old", "/older/name"},
	}
	if f.hour != 0 {
		a.Keys = oneKey{noon, f.hour.Time()}
	}
	return a.Handler()
}

// get sends a GET of a path under the prefix. Headers come in pairs; without any, the good key is sent.
func get(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	return send(h, "GET", prefix+path, headers...)
}

func send(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	if len(headers) == 0 {
		headers = []string{"X-Api-Key", "good"}
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func day(text string) calendar.Date { return calendar.MustParse(text) }

func ptr[T any](v T) *T { return &v }

// TestToday tests that today is the day in Brasilia, not in UTC (G2). The default period is the 31 days to today (L2).
func TestToday(t *testing.T) {
	for _, tt := range []struct{ now, want string }{
		{"2026-09-16T02:59:59Z", "2026-09-15"},
		{"2026-09-16T03:00:00Z", "2026-09-16"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixed{}
		a := &librariesapi.API{Front: front(func() time.Time { return now }, 0), Reports: f}
		get(a.Handler(), "/summary")
		q := f.query.(report.SummaryQuery)
		if got := q.Period.End.String(); got != tt.want || q.Today != q.Period.End {
			t.Errorf("at %s today = %s and %v, want %s", tt.now, got, q.Today, tt.want)
		}
		if got, want := q.Period.Days(), 31; got != want {
			t.Errorf("at %s the default period has %d days, want %d", tt.now, got, want)
		}
	}
}

func TestLegacyPrefixes(t *testing.T) {
	h := newAPI(&fixed{}, 0)
	for _, p := range []string{"/api-platform", "/old", "/older/name"} {
		for _, route := range []string{"/summary", "/users", "/dimensions", "/datasets/loans", "/engagements?startDate=2026-08-01&endDate=2026-08-01"} {
			if w := send(h, "GET", p+"/libraries/v1"+route); w.Code != 200 {
				t.Errorf("GET %s%s = %d %s, want 200", p, route, w.Code, w.Body)
			}
		}
	}
	for _, p := range []string{"", "/older", "/old/old"} {
		if w := send(h, "GET", p+"/libraries/v1/users"); w.Code != 404 {
			t.Errorf("GET under %q = %d, want 404", p, w.Code)
		}
	}
}

// TestNotModified tests that an answer has the same tag under a legacy prefix, and is not sent twice (H8).
func TestNotModified(t *testing.T) {
	h := newAPI(&fixed{}, 0)
	tag := get(h, "/dimensions").Header().Get("ETag")
	w := send(h, "GET", "/old/libraries/v1/dimensions", "X-Api-Key", "good", "If-None-Match", tag)
	if tag == "" || w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("If-None-Match %q = %d %q, want 304 and no body", tag, w.Code, w.Body)
	}
}
