package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	feeds "github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// The snapshot hour (L1, L13): inside it the same query has the same bytes, whatever happens meanwhile.

// asStuckLoad is set in the environment of a child of the tests that is a load which never ends: see stuckLoad.
const asStuckLoad = "LECTERN_TEST_AS_STUCK_LOAD"

func TestMain(m *testing.M) {
	if text := os.Getenv(asStuckLoad); text != "" {
		fmt.Fprintln(os.Stderr, stuckLoad(text))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// stuck is what a child does.
type stuck struct {
	URL, Folder string
	Network     libraries.NetworkID
	// Step is the step of the writing at which it stops.
	Step int64
}

// stuckLoad is a load into a database, as the command's, but that it stops in the middle. It says on stdout when it does.
func stuckLoad(text string) error {
	var o stuck
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := database.Open(ctx, o.URL)
	if err != nil {
		return err
	}
	_, err = load.Libraries(ctx, &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: shelvesNow}, o.Network, os.DirFS(o.Folder), load.Options{Now: shelvesNow, Progress: func(stage string, done, _ int64) {
		if stage == "fold" && done == o.Step {
			fmt.Println("stuck")
			select {}
		}
	}})
	return fmt.Errorf("the load ended: %w", err)
}

// killed starts a load in a process of its own and kills it with SIGKILL at a step of its writing.
func (s *shelf) killed(folder string, step int64) {
	s.Helper()
	text, err := json.Marshal(stuck{s.db.URL, folder, s.north, step})
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.CommandContext(s.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asStuckLoad+"="+string(text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("stuck\n"))); err != nil {
		cmd.Wait()
		s.Fatalf("the load does not stop (%v): %s", err, &stderr)
	}
	if err := cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		s.Fatal("the load was not killed")
	}
}

// answers has all answers to some questions, by route and question.
type answers map[string]string

// asked asks some questions of every route of a server, which tags the answers as the shelf's own one does.
func (s *shelf) asked(of *server.Server, questions map[string][]url.Values) answers {
	s.Helper()
	via := s.network
	via.server = of
	all := answers{}
	for route, list := range questions {
		for _, q := range list {
			target := librariesPrefix + "/" + route + "?" + q.Encode()
			w := via.get(s.key, target)
			if w.Code != 200 {
				s.Errorf("GET %s = %d %s", target, w.Code, w.Body)
			}
			if tag, want := w.Header().Get("ETag"), s.get(s.key, target).Header().Get("ETag"); tag != want {
				s.Errorf("GET %s has the tag %s, and %s on another server", target, tag, want)
			}
			all[target] = w.Body.String()
		}
	}
	return all
}

// same checks that a server answers as before.
func (s *shelf) same(when string, of *server.Server, questions map[string][]url.Values, before answers) {
	s.Helper()
	for target, got := range s.asked(of, questions) {
		if got != before[target] {
			got, want := apart(got, before[target])
			s.Errorf("%s: GET %s answers\n…%s\nwant as before\n…%s", when, target, got, want)
		}
	}
}

// someQuestions are some of every route.
func (s *shelf) someQuestions() map[string][]url.Values {
	questions := map[string][]url.Values{}
	for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
		plain := url.Values{}
		if route == "engagements" {
			plain = during("2026-08-07", "2026-09-06")
		}
		questions[route] = append(questions[route], plain)
		for range 3 {
			questions[route] = append(questions[route], s.question(route))
		}
	}
	return questions
}

// another is a second server on the same data: with PostgreSQL on connections of its own.
func (s *shelf) another(c server.Config) *server.Server {
	s.Helper()
	c.DB, c.Now, c.LibrariesRate = s.db, s.network.clock.time, -1
	if strings.HasPrefix(s.db.URL, "postgres") {
		db, err := database.Open(s.Context(), s.db.URL)
		if err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() { db.Close() })
		c.DB = db
	}
	other, err := server.New(s.Context(), c)
	if err != nil {
		s.Fatal(err)
	}
	return other
}

// hourly loads a folder as the command does, for the next full hour.
func (s *shelf) hourly(ctx context.Context, folder string) (*feeds.Totals, error) {
	s.Helper()
	now := s.network.clock.time
	store := &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: now}
	return load.Libraries(ctx, store, s.north, os.DirFS(folder), load.Options{Now: now})
}

// The first load holds at once. Then, within the hour, nothing changes an answer: a restart, a second server, a load that
// waits for its hour, one that was called off, or killed as it wrote or when it had written all. At the full hour what waits is
// seen, whole, on all servers (L1).
func TestLibrariesHourHolds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(1, 30)), 2), server.Config{})
		first, second := s.pieces.feeds[0], s.pieces.feeds[1]
		for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
			q := url.Values{}
			if route == "engagements" {
				q = during("2026-08-01", "2026-08-31")
			}
			if w := s.ask(route, q); w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"meta":{"updatedAt":null`) {
				t.Errorf("before the first load %s = %d %s, want no hour", route, w.Code, w.Body)
			}
		}
		if _, err := s.hourly(t.Context(), writePiece(t, s.pieces.Rand, first)); err != nil {
			t.Fatal(err)
		}
		s.shelves.load(shelvesNow().Truncate(time.Hour), first)
		questions := s.someQuestions()
		before := s.asked(s.server, questions)
		s.agreesOn(questions)

		s.same("after a restart", s.another(server.Config{}), questions, before)
		other := s.another(server.Config{})
		folder := writePiece(t, s.pieces.Rand, second)
		both := func(when string) {
			t.Helper()
			s.same(when, s.server, questions, before)
			s.same(when+", on another server", other, questions, before)
			s.same(when+", after a restart", s.another(server.Config{}), questions, before)
		}
		for _, step := range []int64{0, 300, 512} {
			s.killed(folder, step)
			both(fmt.Sprint("a load was killed at step ", step))
			s.network.clock.now = s.network.clock.now.Add(2 * time.Minute) // its lease is over
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.hourly(ctx, folder); !errors.Is(err, context.Canceled) {
				t.Errorf("a load that was called off = %v, want that it was", err)
			}
			both("a load was called off")
			s.dropped(folder)
			both("a load was withdrawn")
			s.network.clock.now = shelvesNow()
		}

		s.network.clock.now = shelvesNow().Add(10 * time.Minute)
		next := shelvesNow().Truncate(time.Hour).Add(time.Hour)
		if totals, err := s.hourly(t.Context(), folder); err != nil || totals.Hour != libraries.FormatTime(next) {
			t.Fatalf("a load at %v holds from %s, %v, want %v", shelvesNow(), totals.Hour, err, next)
		}
		both("a load waits for its hour")
		s.network.clock.now = next.Add(-time.Microsecond)
		both("the hour is about to come")
		s.network.clock.now = next
		s.shelves.load(next, second)
		s.agreesOn(questions)
		after := s.asked(s.server, questions)
		s.same("at the hour, on another server", other, questions, after)
		s.network.clock.now = next.Add(-time.Minute)
		s.same("the clock was put back", s.server, questions, after)
		s.same("the clock was put back, after a restart", s.another(server.Config{}), questions, after)
	})
}

// agreesOn checks some questions against the model.
func (s *shelf) agreesOn(questions map[string][]url.Values) {
	s.Helper()
	for route, list := range questions {
		for _, q := range list {
			s.agrees(route, q)
		}
	}
}

// dropped loads a folder for the next hour, and withdraws it.
func (s *shelf) dropped(folder string) {
	s.Helper()
	if _, err := s.hourly(s.Context(), folder); err != nil {
		s.Fatal(err)
	}
	store := &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: s.network.clock.time}
	if was, err := store.Drop(s.Context(), s.north, nil); err != nil || was.Hour == 0 {
		s.Fatalf("Drop = %+v, %v, want what waits", was, err)
	}
}

// A load that was killed may be run again, with --now, once its lease is over, and everything of it is seen.
func TestLibrariesKilledLoadRunsAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(2, 30)), 2), server.Config{})
		s.feed(shelvesNow(), s.pieces.feeds[0])
		s.killed(writePiece(t, s.pieces.Rand, s.pieces.feeds[1]), 512)
		s.feed(shelvesNow().Add(time.Minute), s.pieces.feeds[1])
		s.agreesOn(s.someQuestions())
	})
}

// tool is an analytics tool that answers as a test wants, or not at all.
type tool struct {
	*httptest.Server
	mutex  sync.Mutex
	answer http.HandlerFunc
	asked  int
}

func newTool(t *testing.T) *tool {
	s := new(tool)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		s.asked++
		answer := s.answer
		s.mutex.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// says makes the tool answer so from now on, and returns how often it was asked before.
func (s *tool) says(answer http.HandlerFunc) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answer = answer
	return s.asked
}

// text answers 200 with a body.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// Whatever is wrong with the analytics tool, the dataset is a 503, the summary has zeros and says so, and nothing is kept
// of it: the next call is good as soon as the tool is. A good answer is served for the rest of the hour, by a second server
// too, and not a moment longer (L13).
func TestLibrariesAnalyticsFails(t *testing.T) {
	const good = `[{"date":"2026-09-02","channel":"app","sessions":2},{"date":"2026-09-01","channel":"web-desktop","sessions":5},{"date":"2026-09-02","channel":"web-mobile","sessions":1}]`
	faults := map[string]http.HandlerFunc{
		"down":          func(w http.ResponseWriter, _ *http.Request) { c, _, _ := w.(http.Hijacker).Hijack(); c.Close() },
		"an error":      func(w http.ResponseWriter, _ *http.Request) { http.Error(w, good, 500) },
		"moved":         func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) },
		"no content":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"garbage":       text("<html>"),
		"an object":     text("{}"),
		"null":          text("null"),
		"cut off":       text(good[:len(good)-1]),
		"more after it": text(good + good),
		"too early":     text(`[{"date":"2026-08-31","channel":"app","sessions":2}]`),
		"too late":      text(`[{"date":"2026-09-03","channel":"app","sessions":2}]`),
		"no such day":   text(`[{"date":"2026-02-30","channel":"app","sessions":2}]`),
		"no channel":    text(`[{"date":"2026-09-01","channel":"tv","sessions":2}]`),
		"below zero":    text(`[{"date":"2026-09-01","channel":"app","sessions":-2}]`),
		"not whole":     text(`[{"date":"2026-09-01","channel":"app","sessions":2.5}]`),
		"incomplete":    text(`[{"date":"2026-09-01","channel":"app"}]`),
		"twice":         text(`[{"date":"2026-09-01","channel":"app","sessions":2},{"date":"2026-09-01","channel":"app","sessions":3}]`),
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		tool := newTool(t)
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(3, 30)), 1), server.Config{AnalyticsURL: tool.URL})
		s.all()
		q := during("2026-09-01", "2026-09-02")
		for _, fault := range slices.Sorted(maps.Keys(faults)) {
			before := tool.says(faults[fault])
			s.unavailable(fault, q)
			// A client may ask again by itself where a connection breaks.
			if after := tool.says(faults[fault]); after < before+2 {
				t.Errorf("%s: the tool was asked %d times for two questions, want each to ask: a failure is not kept", fault, after-before)
			}
		}
		before := tool.says(text(good))
		const rows = `{"rows":[{"date":"2026-09-01","channel":"web-desktop","sessions":5,"estimated":false},{"date":"2026-09-02","channel":"web-mobile","sessions":1,"estimated":false},{"date":"2026-09-02","channel":"app","sessions":2,"estimated":true}]}`
		const block = `"channels":{"available":true,"appEstimated":true,"total":8,"web":6,"app":2,"webMobile":1,"webDesktop":5,"webTablet":0}`
		served := func(when string) {
			t.Helper()
			if w := s.ask("datasets/channels", q); w.Code != 200 || !strings.Contains(w.Body.String(), rows) {
				t.Errorf("%s: channels = %d %s, want %s", when, w.Code, w.Body, rows)
			}
			if w := s.ask("summary", q); w.Code != 200 || !strings.Contains(w.Body.String(), block) {
				t.Errorf("%s: summary = %d %s, want %s", when, w.Code, w.Body, block)
			}
		}
		served("as soon as the tool is good")
		tool.says(faults["down"])
		served("when the tool is down again")
		s.network.clock.now = shelvesNow().Truncate(time.Hour).Add(time.Hour - time.Second)
		one := s.server
		s.server = s.another(server.Config{AnalyticsURL: tool.URL})
		served("on a second server, to the end of the hour")
		if after := tool.says(faults["down"]); after != before+1 {
			t.Errorf("the tool was asked %d times in the hour for one period, want once", after-before)
		}
		s.network.clock.now = s.network.clock.now.Add(time.Second)
		for _, s.server = range []*server.Server{one, s.server} {
			s.unavailable("in the next hour", q)
		}
	})
}

// unavailable checks that the channels are not to be had.
func (s *shelf) unavailable(when string, q url.Values) {
	s.Helper()
	const want = `{"statusCode":503,"error":"Service Unavailable","message":"the analytics source is not available; try again later"}`
	if w := s.ask("datasets/channels", q); w.Code != 503 || w.Body.String() != want {
		s.Errorf("%s: channels = %d %s, want 503 %s", when, w.Code, w.Body, want)
	}
	const zeros = `"channels":{"available":false,"appEstimated":false,"total":0,"web":0,"app":0,"webMobile":0,"webDesktop":0,"webTablet":0}`
	if w := s.ask("summary", q); w.Code != 200 || !strings.Contains(w.Body.String(), zeros) {
		s.Errorf("%s: summary = %d %s, want 200 with %s", when, w.Code, w.Body, zeros)
	}
}

// A tool that nobody listens for, and one that takes a request and never answers, are not available either; the second
// costs a request its patience, and no more requests than the one period have.
func TestLibrariesAnalyticsIsSilent(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	p := newPieces(rand.New(rand.NewPCG(4, 30)), 1)
	s := newShelf(t, dbtest.SQLite(t), "rede", p, server.Config{AnalyticsURL: "http://" + ln.Addr().String()})
	s.all()
	q := during("2026-09-01", "2026-09-02")
	s.unavailable("nobody listens", q)

	tool := newTool(t)
	tool.says(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }) // until the client gives up
	s.server = s.another(server.Config{AnalyticsURL: tool.URL})
	var both sync.WaitGroup
	both.Go(func() {
		if w := s.ask("datasets/channels", q); w.Code != 503 {
			t.Errorf("channels of a silent tool = %d %s, want 503", w.Code, w.Body)
		}
	})
	both.Go(func() {
		if w := s.ask("summary", q); w.Code != 200 || !strings.Contains(w.Body.String(), `"channels":{"available":false`) {
			t.Errorf("summary with a silent tool = %d %s, want 200 without channels", w.Code, w.Body)
		}
	})
	both.Wait()
	tool.says(text("[]"))
	if w := s.ask("datasets/channels", q); w.Code != 200 || !strings.HasSuffix(w.Body.String(), `{"rows":[]}}`) {
		t.Errorf("channels when the tool answers = %d %s, want 200", w.Code, w.Body)
	}
}
