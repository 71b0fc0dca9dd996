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
	"github.com/lectern-dev/lectern/server/internal/librariesload"
)

// The snapshot hour (L1, L13): inside it the same query has the same bytes, whatever happens meanwhile.

// asWaitingLoad is set in the environment of a child of the tests that is a load which waits for ever: see waitingLoad.
const asWaitingLoad = "LECTERN_TEST_AS_WAITING_LOAD"

func TestMain(m *testing.M) {
	if text := os.Getenv(asWaitingLoad); text != "" {
		fmt.Fprintln(os.Stderr, waitingLoad(text))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// waiting is what a child does.
type waiting struct {
	URL, Folder string
	Network     libraries.NetworkID
	// Written says that it writes everything and then waits with the commit, and not with the writing.
	Written bool
}

// waitingLoad is a load into a database, as the command's, but that its hour never comes. It says on stdout when it waits.
func waitingLoad(text string) error {
	var o waiting
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := database.Open(ctx, o.URL)
	if err != nil {
		return err
	}
	waits := 0
	_, err = librariesload.Load(ctx, &librariesdb.Store{DB: db.DB, Copy: db.Copy}, o.Folder, librariesload.Options{
		Network: o.Network, Now: shelvesNow,
		Wait: func(context.Context, time.Time) error {
			if waits++; waits == 1 && o.Written {
				return nil
			}
			fmt.Println("waiting")
			select {}
		},
	})
	return fmt.Errorf("the load ended: %w", err)
}

// killed starts a load in a process of its own and kills it with SIGKILL when it waits.
func (s *shelf) killed(folder string, written bool) {
	s.Helper()
	text, err := json.Marshal(waiting{s.db.URL, folder, s.north, written})
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.CommandContext(s.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asWaitingLoad+"="+string(text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("waiting\n"))); err != nil {
		cmd.Wait()
		s.Fatalf("the load does not wait (%v): %s", err, &stderr)
	}
	if err := cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		s.Fatal("the load was not killed")
	}
}

// answers has all answers to some questions: body and tag, by route and question.
type answers map[string]string

// asked asks some questions of every route of a server.
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
			all[target] = w.Header().Get("ETag") + " " + w.Body.String()
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

// hourly is a load whose hours the test lets come.
type hourly struct {
	waits chan time.Time // what the load waits for
	come  chan struct{}  // lets it come
	ended chan error
}

// begin begins a load that waits for the next full hour.
func (s *shelf) begin(ctx context.Context, folder string) *hourly {
	h := &hourly{make(chan time.Time), make(chan struct{}), make(chan error, 1)}
	o := librariesload.Options{Network: s.north, Now: s.network.clock.time, Wait: func(ctx context.Context, until time.Time) error {
		h.waits <- until
		select {
		case <-h.come:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	go func() {
		_, err := librariesload.Load(ctx, &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy}, folder, o)
		h.ended <- err
	}()
	return h
}

// until waits until the load waits for a time.
func (h *hourly) until(s *shelf) time.Time {
	s.Helper()
	select {
	case at := <-h.waits:
		return at
	case err := <-h.ended:
		s.Fatalf("the load ended: %v, want it to wait", err)
	}
	return time.Time{}
}

// The first load takes effect at once. Then, within the hour, nothing changes an answer: a restart, a second server, a load
// that waits, one that was called off or killed as it waited or had written all and waited with the commit. At the full
// hour the load that waits to its end is seen, whole (L1).
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
		if err := <-s.begin(t.Context(), writePiece(t, s.pieces.Rand, first)).ended; err != nil { // it asks for no time
			t.Fatal(err)
		}
		s.shelves.load(shelvesNow().Truncate(time.Hour), first)
		questions := s.someQuestions()
		before := s.asked(s.server, questions)
		for route, list := range questions {
			for _, q := range list {
				s.agrees(route, q)
			}
		}

		s.network.clock.now = shelvesNow().Add(39*time.Minute + 59*time.Second)
		s.same("later in the hour", s.server, questions, before)
		s.same("after a restart", s.another(server.Config{}), questions, before)
		other := s.another(server.Config{})

		folder := writePiece(t, s.pieces.Rand, second)
		both := func(when string) {
			t.Helper()
			s.same(when, s.server, questions, before)
			s.same(when+", on another server", other, questions, before)
			s.same(when+", after a restart", s.another(server.Config{}), questions, before)
		}
		s.killed(folder, false)
		both("a load was killed as it waited")
		s.killed(folder, true)
		both("a load was killed as it waited with the commit")

		for _, written := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			h := s.begin(ctx, folder)
			h.until(s)
			if written {
				h.come <- struct{}{}
				h.until(s)
			}
			s.same("a load waits", other, questions, before)
			cancel()
			if err := <-h.ended; !errors.Is(err, context.Canceled) {
				t.Errorf("a load that was called off = %v, want that it was", err)
			}
			both("a load was called off")
		}

		s.network.clock.now = shelvesNow()
		next := shelvesNow().Truncate(time.Hour).Add(time.Hour)
		h := s.begin(t.Context(), folder)
		if at := h.until(s); at.After(next) || at.Before(shelvesNow()) {
			t.Errorf("a load at %v begins to write at %v, want later and by %v", shelvesNow(), at, next)
		}
		h.come <- struct{}{}
		if at := h.until(s); !at.Equal(next) {
			t.Errorf("a load at %v waits until %v, want %v", shelvesNow(), at, next)
		}
		s.network.clock.now = next
		both("the hour has come and the load is not committed")
		h.come <- struct{}{}
		if err := <-h.ended; err != nil {
			t.Fatal(err)
		}
		s.shelves.load(next, second)
		for route, list := range questions {
			for _, q := range list {
				s.agrees(route, q)
			}
		}
		after := s.asked(s.server, questions)
		s.same("after the load, on another server", other, questions, after)
	})
}

// A load that was killed may be run again at once, with --now, and everything of it is seen.
func TestLibrariesKilledLoadRunsAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(2, 30)), 2), server.Config{})
		s.feed(shelvesNow(), s.pieces.feeds[0])
		s.killed(writePiece(t, s.pieces.Rand, s.pieces.feeds[1]), true)
		s.feed(shelvesNow(), s.pieces.feeds[1])
		for route, list := range s.someQuestions() {
			for _, q := range list {
				s.agrees(route, q)
			}
		}
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
