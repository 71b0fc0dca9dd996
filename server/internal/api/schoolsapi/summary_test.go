package schoolsapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestSummary tests the envelope with and without groups, and that metrics that a group does not have are null. The
// summary is JSON whatever the client accepts (S10).
func TestSummary(t *testing.T) {
	m := report.Metrics{Users: 1, Active: 2, WithAccess: 3, AccessDays: 4, Readers: 5, Minutes: 67, Readings: 8, Finished: 9, DistinctBooks: 10}
	f := &fixed{summary: report.Summary{General: m, Groups: paging.List[report.Group]{Rows: []report.Group{{Key: "7", Label: "A <b>", Metrics: m}}, Total: 101}}}
	const (
		period = `"period":{"startDate":"2026-03-01","endDate":"2026-03-31"}`
		all    = `{"users":1,"activeUsers":2,"usersWithAccess":3,"accessDays":4,"readers":5,"readingMinutes":6.7,"readings":8,"finished":9,"distinctBooks":10}`
		day    = `{"users":1,"activeUsers":2,"usersWithAccess":3,"accessDays":4,"readers":5,"readingMinutes":6.7,"readings":null,"finished":null,"distinctBooks":null}`
		book   = `{"users":null,"activeUsers":null,"usersWithAccess":null,"accessDays":null,"readers":5,"readingMinutes":6.7,"readings":8,"finished":9,"distinctBooks":null}`
	)
	for by, metrics := range map[string]string{"": "", "day": day, "month": all, "school": all, "class": all, "book": book} {
		query := "/summary?startDate=2026-03-01&endDate=2026-03-31"
		want := `{"meta":{` + period + `},"data":{"general":` + all + `}}`
		if by != "" {
			query += "&pageSize=1&page=2&groupBy=" + by
			want = `{"meta":{` + period + `,"page":{"page":2,"pageSize":1,"totalRows":101}},"data":{"general":` + all +
				`,"breakdown":[{"key":"7","label":"A <b>","metrics":` + metrics + `}]}}`
		}
		for _, accept := range []string{"application/json", "text/csv", "application/x-ndjson", "image/png"} {
			w := get(newAPI(f, 0), query, "X-Api-Key", "good", "Accept", accept)
			if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != "application/json; charset=utf-8" || w.Header().Get("X-Total-Rows") != "" {
				t.Errorf("GET %s as %s = %d %v\n%s\nwant 200\n%s", query, accept, w.Code, w.Header(), w.Body, want)
			}
		}
	}
}

func TestSummaryParametersReachTheReport(t *testing.T) {
	f := &fixed{}
	get(newAPI(f, 0), "/summary?pageSize=100&page=100000&groupBy=class&profile=teacher&schoolId=0&startDate=2025-12-31&endDate=2027-01-01")
	if want := (calendar.Period{Start: calendar.MustParse("2026-01-01"), End: calendar.MustParse("2026-06-15")}); f.calls != 1 || f.period != want || f.groupBy != report.ByClass {
		t.Errorf("%d calls of %v by %v, want 1 of %v by class", f.calls, f.period, f.groupBy, want)
	}
	if f.filter.UserID != nil || f.filter.SchoolID == nil || *f.filter.SchoolID != directory.EntityID(0) || f.filter.Profile != schools.Teacher {
		t.Errorf("filter = %+v, want school 0 and teachers", f.filter)
	}
	if want := (paging.Page{Number: 100000, Size: 100}); f.page != want {
		t.Errorf("page = %v, want %v", f.page, want)
	}
}

func TestSummaryMessages(t *testing.T) {
	const groupBy = "groupBy must be one of the following values: day, month, school, class, book"
	for query, want := range map[string]string{
		"groupBy=year":                   groupBy,
		"groupBy=":                       groupBy,
		"groupBy=day&groupBy=day":        groupBy,
		"pageSize=101":                   "pageSize must not be greater than 100",
		"userId=1":                       "property userId should not exist",
		"changedSince=x":                 "property changedSince should not exist",
		"snapshot=x":                     "snapshot must be the X-Snapshot of an earlier answer",
		"startDate=2026-02-30":           "startDate must be a valid date in the form YYYY-MM-DD",
		"endDate=2025-12-31":             "endDate must not be before 2026-01-01",
		"startDate=2026-06-16&schoolId=": `startDate must not be after endDate","schoolId must be an integer number`,
		"page=0&groupBy=x&profile=y":     `profile must be one of the following values: student, teacher","` + groupBy + `","page must not be less than 1`,
	} {
		f := &fixed{}
		w := get(newAPI(f, 0), "/summary?"+query)
		if body := `{"statusCode":400,"error":"Bad Request","message":["` + want + `"]}`; w.Code != 400 || w.Body.String() != body || f.calls != 0 {
			t.Errorf("%s = %d %s, want 400 %s", query, w.Code, w.Body, body)
		}
	}
}

// TestSummaryQueue tests that the summaries of all partners share the slots of the queue.
func TestSummaryQueue(t *testing.T) {
	started, end := make(chan struct{}), make(chan struct{})
	f := &fixed{during: func() { started <- struct{}{}; <-end }}
	a := &schoolsapi.API{Front: front(noon, 0), Reports: f, Queue: &web.Queue{AtATime: 1, Wait: time.Minute}}
	h := a.Handler()
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- get(h, "/summary") }()
	<-started
	const want = `{"statusCode":503,"error":"Service Unavailable","message":"too many heavy queries; try again later"}`
	for _, key := range []string{"good", "other"} {
		w := get(h, "/summary?groupBy=book", "X-Api-Key", key)
		if w.Code != 503 || w.Body.String() != want || w.Header().Get("Retry-After") != "5" {
			t.Errorf("a second query at once with key %s = %d %s, Retry-After %q, want 503 %s, 5", key, w.Code, w.Body, w.Header().Get("Retry-After"), want)
		}
	}
	if w := get(h, "/summary?page=0"); w.Code != 400 {
		t.Errorf("a bad query = %d, want 400: parameters come before the queue", w.Code)
	}
	if w := get(h, "/users"); w.Code != 200 {
		t.Errorf("a list = %d, want 200", w.Code)
	}
	close(end)
	if w := <-first; w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"meta":`) {
		t.Errorf("the first query = %d, want 200", w.Code)
	}
}
