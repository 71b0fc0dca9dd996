package server_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// march is a period of the fixture's events, which must be given with changedSince.
const march = "startDate=2026-03-01&endDate=2026-03-31"

// moved moves the north's pupil to the south, and lets the teacher come on another day.
func (f *fixture) moved(t *testing.T) {
	t.Helper()
	f.loadRows(t, map[string]string{
		"accounts": `{"referenceId":"pupil","kind":"reader","name":"Bia","email":"bia@escola.example","entityReferenceId":"south","active":true}`,
		"accesses": `{"accessId":"a2","account":"teacher","at":"2026-03-05T10:00:00-03:00","kind":"login"}`,
	})
}

// TestRounds asks what has changed in each list since the pupil moved, in every form: of what has left a list there is the key alone.
func TestRounds(t *testing.T) {
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
			t.Errorf("what came to the south: %s", w.Body)
		}
		sheet, err := xlsxtest.Read(f.get(f.north, prefix+since["/readings?"+march], "Accept", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet").Body.Bytes())
		if err != nil || len(sheet) != 2 || len(sheet[1]) != 11 || sheet[1][0].Text != "2" || sheet[1][2].Text != "" || sheet[1][10] != (xlsxtest.Cell{Kind: "boolean", Text: "true"}) {
			t.Errorf("as a workbook: %+v, %v", sheet, err)
		}
	})
}

// TestRoundIsOfOneState pages alone: the later pages of a round are of the state of its first page, and another round is another query.
func TestRoundIsOfOneState(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		all := prefix + "/engagements?" + march
		first := snapshotOf(t, f.get(f.north, all))
		f.moved(t)
		second := snapshotOf(t, f.get(f.north, all))
		page := func(n int, since string) string {
			return fmt.Sprintf("%s&pageSize=1&page=%d&changedSince=%s", all, n, since)
		}
		begun := f.get(f.north, page(1, first))
		want := f.get(f.north, page(2, first))
		f.renamed(t, "Novo")
		same(t, "page 2", f.get(f.north, page(2, first)), want)
		if at := snapshotOf(t, begun); at != second || snapshotOf(t, want) != second {
			t.Errorf("the round is of %s and %s, want %s", at, snapshotOf(t, want), second)
		}
		if w := f.get(f.north, page(2, second)); snapshotOf(t, w) == second {
			t.Errorf("page 2 of another round is of the first one's state: %s", w.Body)
		}
	})
}

// TestBadRounds refuses what is no earlier answer to the query, in its order, and 410 a state that is not kept. The query is as it
// was asked: dates as they were sent.
func TestBadRounds(t *testing.T) {
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
				t.Errorf("since a state that was lost, with %q: %d %s", more, w.Code, w.Body)
			}
		}
	})
}

// TestRoundOverMidnight asks in the next day, without a load, what has changed in a period that ends in the future: the day that has come.
func TestRoundOverMidnight(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		f.clock.now = time.Date(2026, 4, 1, 2, 58, 0, 0, time.UTC)
		f.loadRows(t, map[string]string{"segments": `{"segmentId":"s3","account":"pupil","bookId":1,"startedAt":"2026-04-01T00:01:00-03:00","durationMs":60000,"from":500,"to":600,"wpm":200}`})
		start := f.clock.now
		for list, want := range map[string]string{
			"/engagements": `{"date":"2026-04-01","userId":2,"readingMinutes":1.0}`,
			"/readings":    `"percent":60.00`,
		} {
			list += "?startDate=2026-03-01&endDate=2026-12-31"
			f.clock.now = start
			since := snapshotOf(t, f.get(f.north, prefix+list))
			f.clock.now = start.Add(4 * time.Minute)
			w := f.get(f.north, prefix+list+"&changedSince="+since)
			if !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), `"totalRows":1}`) {
				t.Errorf("%s = %d %s, want %s", list, w.Code, w.Body, want)
			}
		}
	})
}

// TestLibrariesRounds asks what has changed in each of the libraries' lists after a session, a return and a reservation more.
func TestLibrariesRounds(t *testing.T) {
	const september = "startDate=2026-09-01&endDate=2026-09-30"
	tests := []struct {
		list string
		rows []string // the beginning of each
	}{
		{"/users?", []string{`{"userId":7,"name":"Ana Maria","email":"",`}},
		{"/users?userId=8", nil},
		{"/engagements?" + september, []string{`{"date":"2026-09-15","userId":7,`, `{"date":"2026-09-15","userId":8,`}},
		{"/engagements?userId=7&" + september, []string{`{"date":"2026-09-15","userId":7,`}},
		{"/datasets/loans?" + september, []string{`{"loanId":20,"userId":7,`}},
		{"/datasets/loans?status=active&" + september, []string{`{"loanId":20,"removed":true}`}},
		{"/datasets/loans?userId=8&" + september, nil},
		{"/datasets/reservations?" + september, []string{`{"reservationId":30,"userId":8,`, `{"reservationId":31,"userId":7,`}},
		{"/datasets/reservations?userId=7&" + september, []string{`{"reservationId":31,"userId":7,`}},
		{"/datasets/reservations?bookId=11&" + september, nil},
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		since := map[string]string{}
		for _, tt := range tests {
			since[tt.list] = tt.list + "&changedSince=" + snapshotOf(t, n.get(n.key, librariesPrefix+tt.list))
		}
		n.clock.now = n.clock.now.Add(time.Hour)
		n.load(map[string]string{
			"readers":      strings.Replace(strings.Split(libraryFeed["readers"], "\n")[0], `"Ana","email":"ana@rede.example"`, `"Ana Maria","email":null`, 1),
			"loans":        `{"loanId":20,"userId":7,"bookId":10,"borrowedAt":"2026-09-01T10:00:00-03:00","dueAt":"2026-09-15","returnedAt":"2026-09-15T10:00:00-03:00","status":"returned"}`,
			"reservations": `{"reservationId":31,"userId":7,"bookId":10,"status":"waiting","position":2,"reservedAt":"2026-09-15T10:00:00-03:00","resolvedAt":null}`,
			"sessions":     `{"sessionId":"s2","userId":8,"bookId":10,"startedAt":"2026-09-15T11:00:00-03:00","seconds":60,"mode":"online","format":"ebook","progress":1}`,
		})
		for _, tt := range tests {
			w := n.get(n.key, librariesPrefix+since[tt.list], "Accept", "application/x-ndjson")
			rows := slices.Collect(strings.Lines(w.Body.String()))
			if w.Code != 200 || !slices.EqualFunc(rows, tt.rows, strings.HasPrefix) {
				t.Errorf("%s = %d %q, want %q", tt.list, w.Code, rows, tt.rows)
			}
		}
		if w := n.get(n.key, librariesPrefix+since["/datasets/loans?status=active&"+september]); !strings.HasSuffix(w.Body.String(), `"data":{"rows":[],"removed":[{"loanId":20}]}}`) {
			t.Errorf("as JSON: %s", w.Body)
		}
		for _, list := range []string{"/datasets/loans?", "/datasets/reservations?startDate=2026-09-01"} {
			w := n.get(n.key, librariesPrefix+list+"&changedSince="+snapshotOf(t, n.get(n.key, librariesPrefix+list)))
			if w.Code != 400 || !strings.HasSuffix(w.Body.String(), `"message":["startDate and endDate must be given with changedSince"]}`) {
				t.Errorf("%s = %d %s", list, w.Code, w.Body)
			}
		}
	})
}

// TestChangedSinceIsRefused asks every route of both APIs that does not offer it, with a good X-Snapshot of its own.
func TestChangedSinceIsRefused(t *testing.T) {
	offers := []string{"/users", "/engagements", "/datasets/loans", "/datasets/reservations"}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		refused := 0
		for _, target := range libraryTargets() {
			route, _, _ := strings.Cut(strings.TrimPrefix(target, librariesPrefix), "?")
			if slices.Contains(offers, route) {
				continue
			}
			refused++
			w := n.get(n.key, with(target, "changedSince="+snapshotOf(t, n.get(n.key, target))))
			if w.Code != 400 || !strings.HasSuffix(w.Body.String(), `"message":["property changedSince should not exist"]}`) {
				t.Errorf("%s = %d %s", target, w.Code, w.Body)
			}
		}
		if refused != 8 {
			t.Errorf("%d routes do not offer it, want 8", refused)
		}
	})
}

// TestRoundAfterDrop lists a reader whose e-mail was erased by a load that was withdrawn: the copy has it still.
func TestRoundAfterDrop(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		since := snapshotOf(t, n.get(n.key, librariesPrefix+"/users"))
		n.dropDeletion()
		w := n.get(n.key, librariesPrefix+"/users?changedSince="+since)
		if !strings.Contains(w.Body.String(), `{"userId":7,"name":"Ana","email":"",`) || snapshotOf(t, w) == since {
			t.Errorf("after the drop: %d %s", w.Code, w.Body)
		}
		if w := n.get(n.key, librariesPrefix+"/users?changedSince="+snapshotOf(t, w)); !strings.Contains(w.Body.String(), `"totalRows":0}`) {
			t.Errorf("and again: %s", w.Body)
		}
	})
}

// TestRoundBeforeHour lists the reader whose e-mail was erased by a load that waits for its hour, and no other: the copy has it still.
func TestRoundBeforeHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		since := snapshotOf(t, n.get(n.key, librariesPrefix+"/users"))
		n.loadDeletion()
		w := n.get(n.key, librariesPrefix+"/users?changedSince="+since)
		if !strings.Contains(w.Body.String(), `"rows":[{"userId":7,"name":"Ana","email":"",`) || !strings.Contains(w.Body.String(), `"totalRows":1}`) {
			t.Errorf("before the hour: %d %s", w.Code, w.Body)
		}
		since = snapshotOf(t, w)
		if w := n.get(n.key, librariesPrefix+"/users?changedSince="+since); !strings.Contains(w.Body.String(), `"totalRows":0}`) {
			t.Errorf("and again: %s", w.Body)
		}
		n.clock.now = n.clock.now.Add(time.Hour)
		if w := n.get(n.key, librariesPrefix+"/users?changedSince="+since); !strings.Contains(w.Body.String(), `"status":"deleted"`) {
			t.Errorf("in the next hour: %s", w.Body)
		}
	})
}

// loadDeletion loads for the next hour that a reader is deleted.
func (n *network) loadDeletion() *librariesdb.Store {
	n.Helper()
	store := &librariesdb.Store{DB: n.db.DB, Copy: n.db.Copy, Now: n.clock.time}
	deleted := strings.NewReplacer(`"active","deletedAt":null`, `"deleted","deletedAt":"2026-09-15"`, `"updatedAt":"2026-08-01`, `"updatedAt":"2026-09-15`)
	feed := map[string]string{"readers": deleted.Replace(strings.Split(libraryFeed["readers"], "\n")[0])}
	if _, err := load.Libraries(n.Context(), store, n.north, os.DirFS(n.folder(feed)), load.Options{Now: n.clock.time}); err != nil {
		n.Fatal(err)
	}
	return store
}

// dropDeletion loads for the next hour that a reader is deleted, and withdraws that.
func (n *network) dropDeletion() {
	n.Helper()
	if was, err := n.loadDeletion().Drop(n.Context(), n.north, nil); err != nil || was.At.Facts == 0 {
		n.Fatalf("Drop = %+v, %v", was, err)
	}
}
