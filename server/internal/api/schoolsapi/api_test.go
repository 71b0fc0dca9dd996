package schoolsapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// fixed answers with its fields and records the last call.
type fixed struct {
	schoolsapi.Reports // nil: no test uses the incremental pulls

	users       []report.User
	engagements []report.Engagement
	readings    []report.Reading
	summary     report.Summary
	err         error

	access  report.Access
	period  calendar.Period
	filter  report.Filter
	page    paging.Page
	groupBy report.GroupBy
	during  func() // if not nil, called while a summary is read
	calls   int
}

func (f *fixed) asked(a report.Access, p calendar.Period, g report.Filter, n paging.Page) {
	f.access, f.period, f.filter, f.page = a, p, g, n
	f.calls++
}

func (f *fixed) Users(_ context.Context, a report.Access, g report.Filter, n paging.Page) (paging.List[report.User], error) {
	f.asked(a, calendar.Period{}, g, n)
	return paging.List[report.User]{Rows: f.users, Total: 7}, f.err
}

func (f *fixed) Engagements(_ context.Context, a report.Access, p calendar.Period, g report.Filter, n paging.Page) (paging.List[report.Engagement], error) {
	f.asked(a, p, g, n)
	return paging.List[report.Engagement]{Rows: f.engagements, Total: 8}, f.err
}

func (f *fixed) Readings(_ context.Context, a report.Access, p calendar.Period, g report.Filter, n paging.Page) (paging.List[report.Reading], error) {
	f.asked(a, p, g, n)
	return paging.List[report.Reading]{Rows: f.readings, Total: 9}, f.err
}

func (f *fixed) Summary(_ context.Context, a report.Access, q report.SummaryQuery, n paging.Page) (report.Summary, error) {
	f.asked(a, q.Period, q.Filter, n)
	f.groupBy = q.GroupBy
	if f.during != nil {
		f.during()
	}
	return f.summary, f.err
}

// oneKey accepts the good key and one of another partner, and fails like a database for the broken one.
type oneKey struct{ now func() time.Time }

func (k oneKey) Check(_ context.Context, text string, _ bool) (web.Caller, error) {
	switch text {
	case "good", "other":
		c := web.Caller{Tenant: map[string]auth.Tenant{"good": 3, "other": 4}[text], Network: 5, Spends: auth.Budget{Tenant: 3, Name: "schools/1"}, Budget: 1, Secret: []byte("secret"), Time: k.now()}
		c.Now = snapshot.Snapshot{Versions: snapshot.Versions{Registers: 1, Facts: 2}, Of: int32(calendar.Day(k.now()))}
		return c, nil
	case "broken":
		return web.Caller{}, errors.New("no database")
	}
	return web.Caller{}, web.ErrKey
}

// pulls keeps pulls in memory. It keeps only the current snapshot.
type pulls map[snapshot.PullKey]snapshot.Snapshot

func (p pulls) KeptFrom(context.Context, auth.Tenant, snapshot.Versions) (time.Time, error) {
	return time.Time{}, snapshot.ErrGone
}

func (p pulls) BeginPull(_ context.Context, k snapshot.PullKey, at snapshot.Snapshot, _ time.Time) error {
	p[k] = at
	return nil
}

func (p pulls) Pull(_ context.Context, k snapshot.PullKey, _ snapshot.Snapshot, _ time.Time) (at snapshot.Snapshot, from time.Time, ok bool, err error) {
	at, ok = p[k]
	return at, from, ok, nil
}

func (p pulls) UsePull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error {
	return p.BeginPull(ctx, k, at, now)
}

// noon is the clock of these tests: midday of 2026-06-15 in Brasilia.
func noon() time.Time { return time.Date(2026, 6, 15, 15, 0, 0, 0, time.UTC) }

// front returns a Front with the keys of oneKey, a clock and a rate limit.
func front(now func() time.Time, rate int) web.Front {
	return web.Front{Keys: oneKey{now}, Limit: web.Limit{Limiter: &auth.MemoryLimiter{Now: noon}, Rate: rate}, Pulls: pulls{}, Answers: new(web.Answers),
		Day: func(at snapshot.Snapshot) calendar.Date { return calendar.Date(at.Of) }}
}

// newAPI returns the API over fixed reports, with a limit of requests per minute.
func newAPI(f *fixed, rate int) http.Handler {
	a := &schoolsapi.API{
		Front:   front(noon, rate),
		Reports: f,
		Queue:   &web.Queue{AtATime: 2, Waiting: 16, Wait: time.Minute},
		History: calendar.MustParse("2026-01-01"),
	}
	return a.Handler()
}

// get sends a GET of a path under the prefix. Headers come in pairs; without any, the good key is sent.
func get(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	return send(h, "GET", schoolsapi.Prefix+path, headers...)
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

func TestRows(t *testing.T) {
	first := time.Date(2026, 3, 1, 2, 59, 59, 999_000_000, time.UTC)
	f := &fixed{
		users: []report.User{
			{ID: 1, Name: "Ana <b>", Email: "ana@escola.example", Profile: schools.Student, School: report.Unit{ID: 10, Name: "Escola"},
				Class: report.Unit{ID: 11}, Grade: 7, Stage: "FUNDAMENTAL 2", Active: true},
			{ID: 2, Profile: schools.Teacher},
		},
		engagements: []report.Engagement{
			{Date: calendar.MustParse("2026-03-01"), UserID: 1, Minutes: 123},
			{Date: calendar.MustParse("2026-03-02"), UserID: 2},
		},
		readings: []report.Reading{
			{UserID: 1, Book: &schools.Book{ID: 4, Title: "Dom Casmurro", Author: "Machado de Assis", ISBN: "9788500000000", Length: 9},
				Percent: 5000, Minutes: 120, First: first, Last: first.Add(time.Second), Finished: true},
			{UserID: 2, Book: &schools.Book{ID: 5, Length: 9}, Percent: 4999, First: first, Last: first},
		},
	}
	h := newAPI(f, 0)
	tests := []struct{ path, want string }{
		{"/users?pageSize=2", `{"meta":{"page":{"page":1,"pageSize":2,"totalRows":7}},"data":{"rows":[` +
			`{"userId":1,"name":"Ana <b>","email":"ana@escola.example","profile":"student","school":{"id":10,"name":"Escola"},` +
			`"class":{"id":11,"name":null},"grade":7,"stage":"FUNDAMENTAL 2","active":true},` +
			`{"userId":2,"name":null,"email":null,"profile":"teacher","school":null,"class":null,"grade":null,"stage":null,"active":false}]}}`},
		{"/engagements?startDate=2026-03-01&endDate=2026-03-31", `{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-03-31"},` +
			`"page":{"page":1,"pageSize":100,"totalRows":8}},"data":{"rows":[` +
			`{"date":"2026-03-01","userId":1,"readingMinutes":12.3},{"date":"2026-03-02","userId":2,"readingMinutes":0.0}]}}`},
		{"/readings?startDate=2026-03-01&page=2", `{"meta":{"period":{"startDate":"2026-03-01","endDate":"2026-06-15"},` +
			`"page":{"page":2,"pageSize":100,"totalRows":9}},"data":{"rows":[` +
			`{"userId":1,"book":{"id":4,"title":"Dom Casmurro","author":"Machado de Assis","isbn":"9788500000000"},` +
			`"percent":50.00,"readingMinutes":12.0,"firstReadAt":"2026-03-01T02:59:59Z","lastReadAt":"2026-03-01T03:00:00Z","finished":true},` +
			`{"userId":2,"book":{"id":5,"title":null,"author":null,"isbn":null},` +
			`"percent":49.99,"readingMinutes":0.0,"firstReadAt":"2026-03-01T02:59:59Z","lastReadAt":"2026-03-01T02:59:59Z","finished":false}]}}`},
	}
	for _, tt := range tests {
		w := get(h, tt.path)
		if w.Code != 200 || w.Body.String() != tt.want {
			t.Errorf("GET %s = %d\n%s\nwant 200\n%s", tt.path, w.Code, w.Body, tt.want)
		}
	}
}

func TestNoRows(t *testing.T) {
	w := get(newAPI(&fixed{}, 0), "/users?page=100000")
	const want = `{"meta":{"page":{"page":100000,"pageSize":100,"totalRows":7}},"data":{"rows":[]}}`
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("a page past the end = %d %s, want 200 %s", w.Code, w.Body, want)
	}
}

func TestParametersReachTheReport(t *testing.T) {
	f := &fixed{}
	get(newAPI(f, 0), "/readings?pageSize=1000&page=100000&profile=teacher&schoolId=0&userId=9007199254740991&startDate=2025-12-31&endDate=2027-01-01")
	user, school := directory.UserID(9007199254740991), directory.EntityID(0)
	if f.calls != 1 {
		t.Fatalf("report called %d times, want once", f.calls)
	}
	if want := (report.Access{Partner: 3, Network: 5, At: snapshot.Versions{Registers: 1, Facts: 2}}); f.access != want {
		t.Errorf("access = %v, want %v", f.access, want)
	}
	if want := (calendar.Period{Start: calendar.MustParse("2026-01-01"), End: calendar.MustParse("2026-06-15")}); f.period != want {
		t.Errorf("period = %v, want %v", f.period, want)
	}
	if f.filter.UserID == nil || *f.filter.UserID != user || f.filter.SchoolID == nil || *f.filter.SchoolID != school || f.filter.Profile != schools.Teacher {
		t.Errorf("filter = %+v, want user %d, school %d, teachers", f.filter, user, school)
	}
	if want := (paging.Page{Number: 100000, Size: 1000}); f.page != want {
		t.Errorf("page = %v, want %v", f.page, want)
	}
	get(newAPI(f, 0), "/users")
	if f.filter != (report.Filter{}) || f.page != (paging.Page{Number: 1, Size: 100}) {
		t.Errorf("without parameters: filter %+v, page %v, want none and page 1 of 100", f.filter, f.page)
	}
}

func TestMessages(t *testing.T) {
	const (
		start = "startDate must be a valid date in the form YYYY-MM-DD"
		end   = "endDate must be a valid date in the form YYYY-MM-DD"
		after = "startDate must not be after endDate"
		old   = "endDate must not be before 2026-01-01"
		user  = "userId must be an integer number"
	)
	tests := []struct {
		rule, path string
		want       []string // none: 200
	}{
		{"a period of one day", "/readings?startDate=2026-03-01&endDate=2026-03-01", nil},
		{"start after end", "/readings?startDate=2026-03-02&endDate=2026-03-01", []string{after}},
		{"start today", "/readings?startDate=2026-06-15", nil},
		{"start in the future", "/readings?startDate=2026-06-16", []string{after}},
		{"both in the future", "/readings?startDate=2026-06-16&endDate=2026-06-17", []string{after}},
		{"end at the history", "/readings?endDate=2026-01-01", nil},
		{"end before the history", "/readings?endDate=2025-12-31", []string{old}},
		{"both before the history", "/engagements?startDate=2025-01-01&endDate=2025-12-31", []string{old}},
		{"one message for the period", "/readings?startDate=2025-12-31&endDate=2025-12-30", []string{after}},
		{"a bad start suppresses the error of the period", "/readings?startDate=x&endDate=2025-12-31", []string{start}},
		{"a bad end suppresses the error of the period", "/readings?startDate=2027-01-01&endDate=2026-02-30", []string{end}},
		{"start after end is listed before userId", "/readings?userId=x&startDate=2026-03-02&endDate=2026-03-01", []string{after, user}},
		{"before the history is listed at endDate", "/readings?userId=x&endDate=2025-12-31&a=1", []string{"property a should not exist", old, user}},
		{"users has no period", "/users?startDate=2026-01-01&endDate=x", []string{"property startDate should not exist", "property endDate should not exist"}},
		{
			"all errors, in the order of the table",
			"/engagements?pageSize=1001&page=0&profile=x&schoolId=&userId=-1&endDate=&startDate=",
			[]string{start, end, user, "schoolId must be an integer number", "profile must be one of the following values: student, teacher",
				"page must not be less than 1", "pageSize must not be greater than 1000"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			f := &fixed{}
			w := get(newAPI(f, 0), tt.path)
			if tt.want == nil {
				if w.Code != 200 {
					t.Errorf("GET %s = %d %s, want 200", tt.path, w.Code, w.Body)
				}
				return
			}
			want := `{"statusCode":400,"error":"Bad Request","message":["` + strings.Join(tt.want, `","`) + `"]}`
			if w.Code != 400 || w.Body.String() != want {
				t.Errorf("GET %s = %d %s, want 400 %s", tt.path, w.Code, w.Body, want)
			}
			if f.calls != 0 {
				t.Error("the report was called, want no call")
			}
		})
	}
}

// TestToday tests that today is the day in Brasilia, not in UTC (G2).
func TestToday(t *testing.T) {
	for _, tt := range []struct{ now, want string }{
		{"2026-06-16T02:59:59Z", "2026-06-15"},
		{"2026-06-16T03:00:00Z", "2026-06-16"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixed{}
		a := &schoolsapi.API{Front: front(func() time.Time { return now }, 0), Reports: f}
		get(a.Handler(), "/engagements")
		if got := f.period.End.String(); got != tt.want {
			t.Errorf("at %s today = %s, want %s", tt.now, got, tt.want)
		}
		if got, want := f.period.Days(), 30; got != want {
			t.Errorf("at %s the default period has %d days, want %d", tt.now, got, want)
		}
	}
}
