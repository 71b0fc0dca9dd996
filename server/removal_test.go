package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// These tests remove snapshots during a slow request (G8). Between two of its statements, hours pass, and loads replace
// what it reads, which is then removed. The response must be complete, or say that the snapshot is gone.

// changed is a tenant that is read, and can be loaded again.
type changed struct {
	*testing.T
	db      *database.DB
	clock   *clock
	key     string
	targets []string // of requests
	load    func()   // replaces what the targets show
	loads   int
}

// forEachAPI runs a test for a tenant of the schools and for one of the libraries, on both engines.
func forEachAPI(t *testing.T, test func(c *changed)) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Run("schools", func(t *testing.T) { test(changedSchools(t, db)) })
		t.Run("libraries", func(t *testing.T) { test(changedLibrary(t, db)) })
	})
}

func changedSchools(t *testing.T, db *database.DB) *changed {
	f := newFixture(t, db, server.Config{SchoolsRate: -1})
	c := &changed{T: t, db: db, clock: f.clock, key: f.north}
	for _, list := range []string{"/readings?" + march, "/summary?groupBy=month&" + march} {
		c.targets = append(c.targets, prefix+list)
	}
	c.load = func() { // changes a title and a name, and adds a minute
		c.loads++
		f.loadRows(t, map[string]string{
			"accounts": fmt.Sprintf(`{"referenceId":"pupil","kind":"reader","name":"Bia %d","entityReferenceId":"class","active":true}`, c.loads),
			"books":    fmt.Sprintf(`{"bookId":1,"title":"Dom Casmurro %d","author":"Machado de Assis","isbn":null,"length":1000}`, c.loads),
			"segments": fmt.Sprintf(`{"segmentId":"more-%d","account":"pupil","bookId":1,"startedAt":"2026-03-%02dT10:00:00-03:00","durationMs":60000,"from":%d,"to":1000,"wpm":200}`, c.loads, 1+c.loads%20, 990-c.loads),
		})
	}
	return c
}

func changedLibrary(t *testing.T, db *database.DB) *changed {
	n := newNetwork(t, db, server.Config{LibrariesRate: -1})
	c := &changed{T: t, db: db, clock: n.clock, key: n.key}
	for _, list := range []string{"/datasets/loans?", "/summary?groupBy=city"} {
		c.targets = append(c.targets, librariesPrefix+list)
	}
	c.load = func() {
		c.loads++
		feed := map[string]string{"sessions": fmt.Sprintf(`{"sessionId":"m%d","userId":7,"bookId":10,"startedAt":"2026-09-0%dT11:00:00-03:00","seconds":600,"mode":"online","format":"ebook","progress":20}`, c.loads, 1+c.loads%5)}
		for _, name := range []string{"books", "readers", "loans"} {
			feed[name] = strings.NewReplacer("Dom Casmurro", fmt.Sprint("Dom Casmurro ", c.loads), `"Ana"`, fmt.Sprintf(`"Ana %d"`, c.loads),
				`"dueAt":"2026-09-15"`, fmt.Sprintf(`"dueAt":"2026-09-%d"`, 10+c.loads%20)).Replace(libraryFeed[name])
		}
		n.load(feed)
	}
	return c
}

// interrupted is a query hook that calls do before statements.
type interrupted struct {
	mutex sync.Mutex
	n     int // the number of statements so far, without those about pulls
	do    func(n int)
	off   bool
}

func (h *interrupted) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.off && !strings.Contains(e.Query, "pulls") {
		h.n++
		h.do(h.n)
	}
	return ctx
}

func (h *interrupted) AfterQuery(context.Context, *bun.QueryEvent) {}

// interrupt returns the database with do called before its statements, which are counted from 1.
func (c *changed) interrupt(do func(n int)) (*database.DB, *interrupted) {
	h := &interrupted{do: do}
	db := *c.db
	db.DB = db.WithQueryHook(h)
	return &db, h
}

// remove moves the clock and runs the remover once.
func (c *changed) remove(after time.Duration) {
	c.Helper()
	c.clock.now = c.clock.now.Add(after)
	if err := server.Remover(c.db, c.clock.time).Remove(c.Context()); err != nil {
		c.Fatal(err)
	}
}

// removeAll removes all snapshots except the current one, as if none had been used for hours.
func (c *changed) removeAll() {
	c.Helper()
	for _, after := range []time.Duration{3 * time.Hour, 5 * time.Minute} {
		c.remove(after)
	}
	var left int
	err := c.db.NewRaw(`SELECT count(*) FROM snapshots s JOIN versions v ON v.tenant_id = s.tenant_id AND s.facts < v.facts`).Scan(c.Context(), &left)
	if err != nil || left > 0 {
		c.Fatalf("%d superseded snapshots are left, %v, want none", left, err)
	}
}

// serve returns a new server on a database, with an empty cache.
func (c *changed) serve(db *database.DB) http.Handler {
	c.Helper()
	s, err := server.New(c.Context(), server.Config{DB: db, SchoolsRate: -1, LibrariesRate: -1, Now: c.clock.time})
	if err != nil {
		c.Fatal(err)
	}
	return s.Handler()
}

// TestRemovalInARequest removes a snapshot between any two statements of a request that reads it.
func TestRemovalInARequest(t *testing.T) {
	forEachAPI(t, func(c *changed) {
		for _, target := range c.targets {
			gone := 0
			for n, reached := 1, true; reached; n++ {
				want := ask(c.serve(c.db), c.key, target)
				c.load()
				reached = false
				db, h := c.interrupt(func(now int) {
					if now == n {
						reached = true
						c.removeAll()
					}
				})
				h.off = true
				handler := c.serve(db)
				h.off = false
				w := ask(handler, c.key, with(target, "snapshot="+want.Header().Get("X-Snapshot")))
				switch {
				case w.Code == 200 && w.Body.String() == want.Body.String():
				case w.Code == http.StatusGone && w.Body.String() == goneSnapshot && reached:
					gone++
				default:
					c.Errorf("%s, its snapshot removed before statement %d: %d %s\nwant 410 or\n%s", target, n, w.Code, w.Body, want.Body)
				}
			}
			if gone < 2 {
				c.Errorf("%s: the snapshot was gone in %d requests, want at least 2", target, gone)
			}
		}
	})
}

// ask sends GET for a target with a key, and returns the response.
func ask(h http.Handler, key, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
