package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
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
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// walk asks every route of an API with every parameter and in every form, again and again while all that an answer depends on is
// changed, one after the other. A tag never names two texts (H8).
type walk struct {
	*testing.T
	get     func(target string, headers ...string) *httptest.ResponseRecorder
	targets []string
	named   map[string]string // the texts, by tag
	last    map[string]string // by target and form
}

// newWalk asks routes, of which values returns two of a parameter; base are parameters that every request to a route has.
func newWalk(t *testing.T, routes []web.Route, base func(route string) string, values func(route, name string) [2]string) *walk {
	w := &walk{T: t, named: map[string]string{}, last: map[string]string{}}
	for _, rt := range routes {
		first := rt.Path + "?" + base(rt.Path)
		w.targets = append(w.targets, first)
		for _, p := range rt.Params {
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

// ofThis returns the targets as of the snapshot of now, and, with a period and without, what will have changed since.
func (w *walk) ofThis(period string) (targets []string) {
	rounds := 0
	for _, target := range w.targets {
		if at := w.get(target).Header().Get("X-Snapshot"); at != "" {
			targets = append(targets, target+"&snapshot="+at)
		}
		for _, list := range []string{target, target + "&" + period} {
			since := list + "&changedSince=" + w.get(list).Header().Get("X-Snapshot")
			if w.get(since).Code == 200 {
				targets, rounds = append(targets, since), rounds+1
			}
		}
	}
	if rounds == 0 {
		w.Error("no list has changedSince")
	}
	return targets
}

// all asks everything after a change, by which some answers are others.
func (w *walk) all(change string) {
	w.Helper()
	good, others := 0, 0
	for i, target := range w.targets {
		accepts := []string{"application/json"}
		if i%5 == 0 || strings.HasSuffix(target, "?") { // some in all forms, and those without parameters
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
				w.Fatalf("%s: GET %s: the tag %q names\n%s\nand named\n%s", change, target, tag, text, was)
			}
			w.named[tag] = text
			if had := w.get(target, "Accept", accept, "If-None-Match", tag); had.Code != 304 {
				w.Errorf("%s: GET %s with its tag = %d", change, target, had.Code)
			}
			if was := w.last[target+accept]; was != "" && was != text {
				others++
			}
			w.last[target+accept] = text
		}
	}
	if good < len(w.targets)/2 {
		w.Errorf("%s: of %d requests %d have an answer", change, len(w.targets), good)
	}
	if change != "" && others == 0 {
		w.Errorf("%s: every answer is as before", change)
	}
}

// TestTagsOfTheSchools walks the schools API.
func TestTagsOfTheSchools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		w := newWalk(t, schoolsapi.Routes(calendar.MustParse("2026-01-01")), func(string) string { return "" }, func(route, name string) (v [2]string) {
			v, ok := map[string][2]string{
				"startDate": {"2026-03-01", "2026-03-02"}, "endDate": {"2026-03-30", "2026-12-31"}, "userId": {"2", "3"}, "schoolId": {"3", "9"},
				"profile": {"student", "teacher"}, "page": {"2", "3"}, "pageSize": {"1", "2"},
			}[name]
			if !ok {
				t.Fatalf("%s has a parameter %s, of which this test knows no values", route, name)
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
		w.all("the first again")
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
		w.all("a pupil is forgotten")
		history := calendar.MustParse("2026-03-02")
		serve(server.Config{SchoolsHistory: &history})
		w.all("another history")
		serve(server.Config{})
		w.all("the former history")
	})
}

// TestTagsOfTheLibraries walks the libraries API.
func TestTagsOfTheLibraries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPieces(rand.New(rand.NewPCG(5, 31)), 3)
		s := newShelf(t, db, "rede", p, server.Config{})
		values := s.parameters()
		w := newWalk(t, librariesapi.Routes(), func(route string) string {
			if strings.HasSuffix(route, "/v1/engagements") {
				return "startDate=2026-08-20&endDate=2026-09-01"
			}
			return ""
		}, func(route, name string) (v [2]string) {
			switch of := strings.Fields(choices[strings.TrimPrefix(route, librariesPrefix+"/")+" "+name]); {
			case len(of) > 1:
				return [2]string(of[:2])
			case name == "page" || name == "pageSize":
				return [2]string{"1", "2"}
			case values[name] == nil:
				t.Fatalf("%s has a parameter %s, of which this test knows no values", route, name)
			}
			escape := strings.NewReplacer(" ", "%20", "+", "%2B", "&", "%26").Replace
			return [2]string{escape(values[name]()), escape(values[name]())}
		})
		w.get = func(target string, headers ...string) *httptest.ResponseRecorder {
			return s.get(s.key, target, headers...)
		}
		load := func(piece int, now bool) {
			store := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: s.network.clock.time}
			o := load.Options{Now: s.network.clock.time, Immediately: now}
			if _, err := load.Libraries(t.Context(), store, s.north, os.DirFS(writePiece(t, p.Rand, p.feeds[piece])), o); err != nil {
				t.Fatal(err)
			}
		}
		w.all("")
		load(0, true)
		w.all("the first load")
		of := w.ofThis("startDate=2026-08-01&endDate=2026-08-31")
		load(1, true)
		w.all("a load that holds at once")
		w.targets = append(w.targets, of...)
		w.all("")
		named := slices.IndexFunc(p.feeds[1]["readers"], func(row any) bool { return row.(readerRow).Status == "active" && row.(readerRow).Email != nil })
		erased := p.feeds[1]["readers"][named].(readerRow)
		erased.Status, erased.Deleted, erased.Updated = "deleted", new("2026-09-01"), "2026-09-01T15:00:00-03:00"
		p.feeds[2]["readers"] = append(p.feeds[2]["readers"], erased)
		load(2, false)
		w.all("a load that waits, and erases")
		s.network.clock.now = s.network.clock.now.Add(time.Hour)
		w.all("its hour")
		s.network.clock.now = s.network.clock.now.AddDate(0, 0, 1)
		w.all("a day later")
		store := &librariesdb.Store{DB: db.DB, Now: s.network.clock.time}
		if _, _, err := store.Forget(t.Context(), s.north, int64(p.feeds[0]["readers"][0].(readerRow).ID)); err != nil {
			t.Fatal(err)
		}
		w.all("a reader is forgotten")
		history := calendar.MustParse("2026-08-20")
		s.server = s.another(server.Config{LibrariesHistory: &history})
		w.all("another history")
		tool, sessions := newTool(t), 0
		tool.says(func(w http.ResponseWriter, r *http.Request) {
			sessions++
			fmt.Fprintf(w, `[{"date":"%s","channel":"app","sessions":%d}]`, r.URL.Query().Get("startDate"), sessions)
		})
		s.server = s.another(server.Config{AnalyticsURL: tool.URL})
		w.all("sessions from outside")
		s.network.clock.now = s.network.clock.now.Add(time.Hour)
		w.all("other ones in the next hour")
		tool.says(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		s.network.clock.now = s.network.clock.now.Add(time.Hour)
		w.all("none")
	})
}
