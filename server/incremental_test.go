package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// march is the period of the fixture's events. It must be given with changedSince.
const march = "startDate=2026-03-01&endDate=2026-03-31"

// moved moves the north's pupil to the south, and adds a login of the teacher on another day.
func (f *fixture) moved(t *testing.T) {
	t.Helper()
	f.loadRows(t, map[string]string{
		"accounts": `{"referenceId":"pupil","kind":"reader","name":"Bia","email":"bia@escola.example","entityReferenceId":"south","active":true}`,
		"accesses": `{"accessId":"a2","account":"teacher","at":"2026-03-05T10:00:00-03:00","kind":"login"}`,
	})
}

// TestIncrementalPulls requests the changes in each list, in every format, since the pupil moved. Removed rows have only their
// key.
func TestIncrementalPulls(t *testing.T) {
	const tables, lines, document = "text/csv", "application/x-ndjson", "application/json"
	tests := []struct{ list, accept, total, want string }{
		{"/users?", document, "1", `{"rows":[],"removed":[{"userId":2}]}`},
		{"/users?profile=teacher", document, "0", `{"rows":[],"removed":[]}`},
		{"/users?", lines, "1", `{"userId":2,"removed":true}` + "\n"},
		{"/users?", tables, "1", "userId,name,email,profile,school.id,school.name,class.id,class.name,grade,stage,active,removed\r\n2,,,,,,,,,,,true\r\n"},
		{"/engagements?" + march, document, "2", `{"rows":[{"date":"2026-03-05","userId":3,"readingMinutes":0.0}],"removed":[{"date":"2026-03-01","userId":2}]}`},
		{"/engagements?pageSize=1&" + march, document, "2", `{"rows":[],"removed":[{"date":"2026-03-01","userId":2}]}`},
		{"/engagements?" + march, lines, "2", `{"date":"2026-03-01","userId":2,"removed":true}` + "\n" + `{"date":"2026-03-05","userId":3,"readingMinutes":0.0}` + "\n"},
		{"/engagements?" + march, tables, "2", "date,userId,readingMinutes,removed\r\n2026-03-01,2,,true\r\n2026-03-05,3,0.0,\r\n"},
		{"/engagements?pageSize=1&page=2&" + march, tables, "2", "date,userId,readingMinutes,removed\r\n2026-03-05,3,0.0,\r\n"},
		{"/engagements?userId=3&" + march, tables, "1", "date,userId,readingMinutes,removed\r\n2026-03-05,3,0.0,\r\n"},
		{"/engagements?pageSize=1&page=3&" + march, tables, "2", "date,userId,readingMinutes,removed\r\n"},
		{"/readings?" + march, document, "1", `{"rows":[],"removed":[{"userId":2,"book":{"id":1}}]}`},
		{"/readings?" + march, lines, "1", `{"userId":2,"book":{"id":1},"removed":true}` + "\n"},
		{"/readings?" + march, tables, "1", "userId,book.id,book.title,book.author,book.isbn,percent,readingMinutes,firstReadAt,lastReadAt,finished,removed\r\n2,1,,,,,,,,,true\r\n"},
		{"/readings?profile=teacher&" + march, lines, "0", ""},
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		since := map[string]string{}
		for _, tt := range tests {
			since[tt.list] = tt.list + "&changedSince=" + snapshotOf(t, f.get(f.north, prefix+tt.list))
		}
		south := "&changedSince=" + snapshotOf(t, f.get(f.south, prefix+"/readings?"+march))
		f.moved(t)
		for _, tt := range tests {
			w := f.get(f.north, prefix+since[tt.list], "Accept", tt.accept)
			body, ok := w.Body.String(), w.Header().Get("X-Total-Rows") == tt.total
			if tt.accept == document {
				_, body, ok = strings.Cut(strings.TrimSuffix(body, "}"), `"totalRows":`+tt.total+`}},"data":`)
			}
			if w.Code != 200 || !ok || body != tt.want {
				t.Errorf("%s as %s: %d %s\n%q\nwant\n%q", tt.list, tt.accept, w.Code, w.Header().Get("X-Total-Rows"), w.Body, tt.want)
			}
		}
		if w := f.get(f.south, prefix+"/readings?"+march+south); !strings.Contains(w.Body.String(), `"totalRows":1}`) || !strings.Contains(w.Body.String(), `{"userId":2,"book":{"id":1,"title":"Dom Casmurro"`) {
			t.Errorf("pull of the south = %s, want the moved reader", w.Body)
		}
		sheet, err := xlsxtest.Read(f.get(f.north, prefix+since["/readings?"+march], "Accept", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet").Body.Bytes(), "rows")
		if err != nil || len(sheet) != 2 || len(sheet[1]) != 11 || sheet[1][0].Text != "2" || sheet[1][2].Text != "" || sheet[1][10] != (xlsxtest.Cell{Kind: "boolean", Text: "true"}) {
			t.Errorf("workbook = %+v, %v, want one removed row", sheet, err)
		}
	})
}

// TestBadIncrementalPulls tests that changedSince must be from an earlier response to the same query, with its dates as they were
// sent. If its snapshot is no longer stored, the response is 410.
func TestBadIncrementalPulls(t *testing.T) {
	const notGiven, notOne = "startDate and endDate must be given with changedSince", "changedSince must be the X-Snapshot of an earlier answer to this query"
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		f.clock.now = f.clock.now.AddDate(0, 0, -20) // the 11th
		since := func(path string) string {
			t.Helper()
			return "&changedSince=" + snapshotOf(t, f.get(f.north, prefix+path))
		}
		of := f.get(f.south, prefix+"/users").Header().Get("X-Snapshot")
		readings, short := since("/readings"), since("/readings?startDate=2026-03-01&endDate=2026-03-11")
		users, long := since("/users"), since("/readings?startDate=2026-03-01&endDate=2026-12-31")
		students := since("/users?profile=student")
		f.clock.now = f.clock.now.AddDate(0, 0, 20)
		f.moved(t)
		now := since("/users")
		at := strings.Replace(users, "changedSince", "snapshot", 1)
		tests := []struct{ path, want string }{
			{"/readings?" + readings, notGiven},
			{"/readings?startDate=2026-03-01" + long, notGiven},
			{"/readings?endDate=2026-03-31" + long, notGiven},
			{"/users?changedSince=", notOne},
			{"/users?changedSince=x", notOne},
			{"/users?" + users + users, notOne},
			{"/users?" + now + at, notOne},
			{"/users?changedSince=" + of, notOne},
			{"/users?" + students, notOne},
			{"/users?profile=teacher" + students, notOne},
			{"/users?userId=2" + users, notOne},
			{"/engagements?startDate=2026-03-01&endDate=2026-12-31" + long, notOne},
			{"/readings?startDate=2026-03-01&endDate=2026-12-31" + short, notOne},
			{"/readings?startDate=2026-03-01&endDate=2026-03-11" + long, notOne},
			{"/users?schoolId=x" + users, "schoolId must be an integer number"},
		}
		for _, tt := range tests {
			if w := f.get(f.north, prefix+tt.path); w.Code != 400 || !strings.HasSuffix(w.Body.String(), `"message":["`+tt.want+`"]}`) {
				t.Errorf("%s = %d %s, want %s", tt.path, w.Code, w.Body, tt.want)
			}
		}
		for _, path := range []string{
			"/readings?startDate=2026-03-01&endDate=2026-12-31" + long, // the period is longer now than then
			"/readings?pageSize=07&page=2&endDate=2026-12-31&startDate=2026-03-01" + long,
			"/users?profile=student" + students, "/readings?" + at,
		} {
			if w := f.get(f.north, prefix+path); w.Code != 200 {
				t.Errorf("%s = %d %s", path, w.Code, w.Body)
			}
		}
		f.lose(t)
		for _, more := range []string{"", strings.Replace(now, "changedSince", "snapshot", 1)} {
			if w := f.get(f.north, prefix+"/users?"+users+more); w.Code != http.StatusGone || w.Body.String() != goneSnapshot {
				t.Errorf("changedSince a lost snapshot, with %q = %d %s, want 410", more, w.Code, w.Body)
			}
		}
	})
}
