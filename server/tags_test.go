package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// walk requests every route of an API, with every parameter and in every format, after each change that affects
// responses. A tag never names two texts (H8).
type walk struct {
	*testing.T
	get     func(target string, headers ...string) *httptest.ResponseRecorder
	targets []string
	named   map[string]string // the texts, by tag
	last    map[string]string // by target and form
	changes int
}

// newWalk requests routes. values returns two values of a parameter, and base the parameters of every request to a
// route.
func newWalk(t *testing.T, prefix string, routes []web.Route, base func(route string) string, values func(route, name string) [2]string) *walk {
	w := &walk{T: t, named: map[string]string{}, last: map[string]string{}}
	for _, rt := range routes {
		rt.Path = prefix + rt.Path
		first := rt.Path + "?" + base(rt.Path)
		w.targets = append(w.targets, first)
		for _, p := range rt.Params() {
			if p.Name == web.SnapshotParam || p.Name == web.SinceParam || strings.Contains(first, p.Name+"=") {
				continue
			}
			for _, v := range values(rt.Path, p.Name) {
				w.targets = append(w.targets, first+"&"+p.Name+"="+v)
			}
		}
	}
	return w
}

// ofThis returns the targets at the current snapshot, and those for changes since then, with and without a period.
func (w *walk) ofThis(period string) (targets []string) {
	pulls := 0
	for _, target := range w.targets {
		if at := w.get(target).Header().Get("X-Snapshot"); at != "" {
			targets = append(targets, target+"&snapshot="+at)
		}
		for _, list := range []string{target, target + "&" + period} {
			since := list + "&changedSince=" + w.get(list).Header().Get("X-Snapshot")
			if w.get(since).Code == 200 {
				targets, pulls = append(targets, since), pulls+1
			}
		}
	}
	if pulls == 0 {
		w.Error("no list has changedSince")
	}
	return targets
}

// all sends requests after a change, which must change some of the responses.
func (w *walk) all(change string) {
	w.Helper()
	good, others := 0, 0
	w.changes++
	for i, target := range w.targets {
		if (i+w.changes)%3 != 0 && !strings.HasSuffix(target, "?") { // each target after every third change
			continue
		}
		accepts := []string{"application/json"}
		if i%5 == 0 || strings.HasSuffix(target, "?") { // some, and those without parameters, in all formats
			accepts = append(accepts, plainCSV.accept, ndjson.accept, xlsx.accept)
		}
		for _, accept := range accepts {
			a := w.get(target, "Accept", accept)
			if a.Code != 200 {
				continue
			}
			good++
			tag, text := a.Header().Get("ETag"), a.Header().Get("Content-Type")+"\n"+a.Body.String()
			if was, ok := w.named[tag]; tag == "" || ok && was != text {
				w.Fatalf("%s: GET %s: the tag %q has the text\n%s\nand had\n%s", change, target, tag, text, was)
			}
			w.named[tag] = text
			if had := w.get(target, "Accept", accept, "If-None-Match", tag); had.Code != 304 {
				w.Errorf("%s: GET %s with its tag = %d, want 304", change, target, had.Code)
			}
			if was := w.last[target+accept]; was != "" && was != text {
				others++
			}
			w.last[target+accept] = text
		}
	}
	if good < len(w.targets)/6 {
		w.Errorf("%s: of %d targets, %d requests were answered with 200, want more", change, len(w.targets), good)
	}
	if change != "" && others == 0 {
		w.Errorf("%s: no answer has changed", change)
	}
}

// TestTagsOfTheSchools walks the schools API.
func TestTagsOfTheSchools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		w := newWalk(t, schoolsapi.Prefix, schoolsapi.Routes(calendar.MustParse("2026-01-01")), func(string) string { return "" }, func(route, name string) (v [2]string) {
			v, ok := map[string][2]string{
				"startDate": {"2026-03-01", "2026-03-02"}, "endDate": {"2026-03-30", "2026-12-31"}, "userId": {"2", "3"}, "schoolId": {"3", "9"},
				"profile": {"student", "teacher"}, "page": {"2", "3"}, "pageSize": {"1", "2"}, "groupBy": {"school", "day"},
			}[name]
			if !ok {
				t.Fatalf("%s has a parameter %s, for which this test has no values", route, name)
			}
			return v
		})
		key := f.north
		w.get = func(target string, headers ...string) *httptest.ResponseRecorder {
			return f.get(key, target, headers...)
		}
		serve := func(c server.Config) {
			c.DB, c.SchoolsRate, c.Now = db, -1, f.clock.time
			s, err := server.New(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			f.handler = documented(t, s.Handler())
		}
		w.all("")
		key = f.south
		w.all("another network")
		key = f.north
		w.all("the first network again")
		f.clock.now = f.clock.now.AddDate(0, 0, 1)
		w.all("a day later")
		of := w.ofThis("startDate=2026-01-01&endDate=2026-12-31")
		f.renamed(t, "Outro")
		w.all("a load")
		w.targets = append(w.targets, of...)
		w.all("")
		store := &directorydb.Store{DB: db.DB, Now: f.clock.time}
		if _, _, err := store.PutDegrees(t.Context(), f.partner, directory.Degrees{{Code: "7", Stage: "MEDIO", Grade: 3}, {Code: "F"}}); err != nil {
			t.Fatal(err)
		}
		w.all("degrees")
		if err := store.DeleteTeacher(t.Context(), f.partner, "teacher"); err != nil {
			t.Fatal(err)
		}
		w.all("a DELETE")
		if _, _, err := store.Forget(t.Context(), f.partner, 2); err != nil {
			t.Fatal(err)
		}
		w.all("a pupil is erased")
		history := calendar.MustParse("2026-03-02")
		serve(server.Config{SchoolsHistory: &history})
		w.all("another history")
		serve(server.Config{})
		w.all("the earlier history")
	})
}

// libraryValues has two values of each libraries parameter. If they apply to one route, the key begins with its name.
var libraryValues = map[string][2]string{
	"startDate": {"2026-09-01", "2026-09-02"}, "endDate": {"2026-09-03", "2026-09-14"}, "registeredFrom": {"2020-01-01", "2026-08-01"},
	"registeredTo": {"2020-01-01", "2026-08-01"}, "updatedSince": {"2026-08-02", "2026-09-11"}, "purchasedFrom": {"2026-08-01", "2026-08-02"},
	"purchasedTo": {"2026-07-31", "2026-08-01"}, "userId": {"7", "8"}, "bookId": {"10", "11"}, "libraryId": {"1", "77"}, "ageGroupId": {"2", "77"},
	"publisherId": {"3", "77"}, "categoryId": {"4", "77"}, "subjectId": {"5", "77"}, "publicationYear": {"1899", "1900"}, "state": {"PA", "SP"},
	"city": {"BELEM", "Santos"}, "gender": {"Feminino", "nao%20informado"}, "newUsers": {"true", "false"}, "groupBy": {"library", "city"},
	"search": {"casmurro", "iracema"}, "author": {"ASSIS", "alencar"}, "title": {"iracema", "casmurro"}, "format": {"ebook", "audiobook"},
	"channel": {"app", "web-desktop"}, "orderDir": {"asc", "desc"}, "consumptionBand": {"0", "1-10"}, "collection": {"additional", "external"},
	"page": {"1", "2"}, "pageSize": {"1", "2"}, "users status": {"active", "deleted"}, "datasets/loans status": {"active", "returned"},
	"datasets/reservations status": {"waiting", "lost"}, "datasets/books orderBy": {"title", "loans"}, "datasets/stock orderBy": {"title", "activeLoans"},
}

// TestTagsOfTheLibraries walks the libraries API.
func TestTagsOfTheLibraries(t *testing.T) {
	db := dbtest.SQLite(t) // the test of the schools has both engines
	n := newNetwork(t, db, server.Config{LibrariesRate: -1})
	w := newWalk(t, librariesapi.Prefix, librariesapi.Routes(), func(route string) string {
		if strings.HasSuffix(route, "/v1/engagements") {
			return "startDate=2026-09-01&endDate=2026-09-10"
		}
		return ""
	}, func(route, name string) [2]string {
		v, ok := libraryValues[strings.TrimPrefix(route, librariesPrefix+"/")+" "+name]
		if !ok {
			v, ok = libraryValues[name]
		}
		if !ok {
			t.Fatalf("%s has a parameter %s, for which this test has no values", route, name)
		}
		return v
	})
	w.get = func(target string, headers ...string) *httptest.ResponseRecorder {
		return n.get(n.key, target, headers...)
	}
	serve := func(c server.Config) {
		c.DB, c.LibrariesRate, c.Now = db, -1, n.clock.time
		s, err := server.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		n.server = s
	}
	w.all("")
	of := w.ofThis("startDate=2026-09-01&endDate=2026-09-10")
	n.load(moreOfTheLibrary(1))
	w.all("a load that takes effect at once")
	w.targets = append(w.targets, of...)
	w.all("")
	erased := map[string]string{"readers": `{"userId":7,"name":"Ana","email":"ana@rede.example","libraryId":1,"ageGroupId":2,"city":"Belém","state":"PA","ra":"Norte","gender":"Feminino","registeredAt":"2026-08-01","status":"deleted","deletedAt":"2026-09-12","updatedAt":"2026-09-12T12:00:00Z","confirmedAt":null,"lastSignInAt":null}`}
	store := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: n.clock.time}
	if _, err := load.Libraries(t.Context(), store, n.north, os.DirFS(n.folder(erased)), load.Options{Now: n.clock.time}); err != nil {
		t.Fatal(err)
	}
	w.all("a load that erases, not yet in effect")
	n.clock.now = n.clock.now.Add(time.Hour)
	w.all("the load takes effect")
	n.clock.now = n.clock.now.AddDate(0, 0, 1)
	w.all("a day later")
	if _, _, err := store.Forget(t.Context(), n.north, 8); err != nil {
		t.Fatal(err)
	}
	w.all("a reader is erased")
	history := calendar.MustParse("2026-09-02")
	serve(server.Config{LibrariesHistory: &history})
	w.all("another history")
	sessions := 0
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sessions++; sessions < 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprintf(w, `[{"date":"%s","channel":"app","sessions":%d}]`, r.URL.Query().Get("startDate"), sessions)
	}))
	defer tool.Close()
	serve(server.Config{AnalyticsURL: tool.URL})
	w.all("sessions of the analytics tool")
	n.clock.now = n.clock.now.Add(time.Hour)
	w.all("other sessions in the next hour")
	sessions = -1_000_000
	n.clock.now = n.clock.now.Add(time.Hour)
	w.all("no sessions")
}
