package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// Removal beside what is slow (G8): while a request is under way, between any two of its statements, hours pass,
// loads replace what it reads, and that is removed for good. What is answered is whole, or says that the state is gone.

// changed is a tenant that is read, and can be loaded again.
type changed struct {
	*testing.T
	db      *database.DB
	clock   *clock
	key     string
	targets []string // of requests
	load    func()   // replaces much of what the targets show
	loads   int
}

// forEachAPI runs a test for a tenant of the schools and for one of the libraries, on both engines.
func forEachAPI(t *testing.T, test func(c *changed)) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Run("schools", func(t *testing.T) {
			test(changedSchools(t, db))
		})
		t.Run("libraries", func(t *testing.T) { test(changedLibrary(t, db)) })
	})
}

func changedSchools(t *testing.T, db *database.DB) *changed {
	c := &changed{T: t, db: db, clock: &clock{now()}}
	s := &site{t: t, db: db, partner: newPartner(t, db, "ana"), ref: "ana", keys: map[string]string{}, now: c.clock.time}
	w := newWorld(rand.New(rand.NewPCG(3, 5)))
	w.segments = w.segments[:80]
	s.load(w)
	c.key = s.keys["net-0"]
	for _, list := range []string{"/users?", "/engagements?startDate=2026-03-30&endDate=2026-05-10", "/readings?startDate=2026-03-30&endDate=2026-05-10"} {
		c.targets = append(c.targets, prefix+list+"&pageSize=1000")
	}
	c.load = func() { // new titles, names, and some reading of everybody
		c.loads++
		more := world{accounts: slices.Clone(w.accounts), books: slices.Clone(w.books)}
		more.someEvents(rand.New(rand.NewPCG(uint64(c.loads), 7)), 30)
		for i := range more.segments {
			more.segments[i].ID = fmt.Sprint("more ", c.loads, "-", i)
		}
		more.accesses = nil
		for i := range more.accounts {
			more.accounts[i].Name = new(fmt.Sprint("Nome ", c.loads, "-", i))
		}
		for i := range more.books {
			more.books[i].Title = new(fmt.Sprint("Livro ", c.loads, "-", i))
		}
		s.load(&more)
	}
	return c
}

func changedLibrary(t *testing.T, db *database.DB) *changed {
	n := newNetwork(t, db, server.Config{LibrariesRate: -1})
	c := &changed{T: t, db: db, clock: n.clock, key: n.key}
	for _, list := range []string{"/users?", "/engagements?startDate=2026-09-01&endDate=2026-09-05", "/datasets/books?", "/datasets/loans?", "/summary?groupBy=city"} {
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

// interrupted is a database that does something before statements.
type interrupted struct {
	mutex sync.Mutex
	n     int // of the statements so far, those about pulls not counted
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

// interrupt returns the database with something done before its statements, which are counted from 1.
func (c *changed) interrupt(do func(n int)) (*database.DB, *interrupted) {
	h := &interrupted{do: do}
	db := *c.db
	db.DB = db.WithQueryHook(h)
	return &db, h
}

// remove takes a turn of removal after some time.
func (c *changed) remove(after time.Duration) {
	c.Helper()
	c.clock.now = c.clock.now.Add(after)
	if err := server.Remover(c.db, c.clock.time).Remove(c.Context()); err != nil {
		c.Fatal(err)
	}
}

// removeAll removes all states but the present one, as what nobody has used for hours.
func (c *changed) removeAll() {
	c.Helper()
	for _, after := range []time.Duration{3 * time.Hour, 5 * time.Minute} {
		c.remove(after)
	}
	var left int
	err := c.db.NewRaw(`SELECT count(*) FROM states s JOIN versions v ON v.tenant_id = s.tenant_id AND s.facts < v.facts`).Scan(c.Context(), &left)
	if err != nil || left > 0 {
		c.Fatalf("%d former states are left, %v", left, err)
	}
}

// serve is a new server on a database, which has nothing in its cache.
func (c *changed) serve(db *database.DB) http.Handler {
	c.Helper()
	s, err := server.New(c.Context(), server.Config{DB: db, SchoolsRate: -1, LibrariesRate: -1, Now: c.clock.time})
	if err != nil {
		c.Fatal(err)
	}
	return s.Handler()
}

// TestRemovalInARequest removes a state between any two statements of a request that reads it.
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
					c.Errorf("%s, its state removed before statement %d: %d %s\nwant 410 or\n%s", target, n, w.Code, w.Body, want.Body)
				}
			}
			if gone < 2 {
				c.Errorf("%s: the state was gone in %d requests; this trial shows nothing", target, gone)
			}
		}
	})
}

// ask answers GET of a target with a key.
func ask(h http.Handler, key, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
