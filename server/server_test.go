package server_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

const prefix = "/api-platform/schools/v1"

// feed is a partner with two networks. The first has a pupil who read half a book and a teacher who logged in. The
// second has a pupil who read.
var feed = map[string]string{
	"entities": `{"referenceId":"north","entityType":"network","name":"Rede Norte","degree":"F","state":"PA","parentReferenceId":"ana"}
{"referenceId":"south","entityType":"network","name":"Rede Sul","degree":"F","state":"RS"}
{"referenceId":"school","entityType":"school","name":"Escola","degree":"F","state":"PA","parentReferenceId":"north"}
{"referenceId":"class","entityType":"class","name":"7A","degree":"7","state":"PA","parentReferenceId":"school"}`,
	"accounts": `{"referenceId":"pupil","kind":"reader","name":"Bia","email":"bia@escola.example","entityReferenceId":"class","active":true}
{"referenceId":"teacher","kind":"teacher","name":"Caio","entityReferenceId":"school","active":true}
{"referenceId":"other","kind":"reader","name":"Davi","entityReferenceId":"south","active":true}`,
	"books": `{"bookId":1,"title":"Dom Casmurro","author":"Machado de Assis","isbn":null,"length":1000}`,
	"segments": `{"segmentId":"s1","account":"pupil","bookId":1,"startedAt":"2026-03-01T10:00:00-03:00","durationMs":60000,"from":0,"to":500,"wpm":200}
{"segmentId":"s2","account":"other","bookId":1,"startedAt":"2026-03-01T10:00:00-03:00","durationMs":60000,"from":0,"to":10,"wpm":200}`,
	"accesses": `{"accessId":"a1","account":"teacher","at":"2026-03-02T10:00:00-03:00","kind":"login"}`,
}

// clock is the clock of these tests, which they may set.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

// fixture is a server on a loaded database.
type fixture struct {
	db           *database.DB
	partner      directory.PartnerID
	keys         *authdb.Store
	clock        *clock
	server       *server.Server
	handler      http.Handler // of the server; responses are compared with the documents
	north, south string       // keys of the two networks
}

func newFixture(t *testing.T, db *database.DB, c server.Config) *fixture {
	t.Helper()
	ctx := t.Context()
	f := &fixture{db: db, clock: &clock{time.Date(2026, 3, 31, 12, 0, 30, 0, time.UTC)}}
	f.keys = &authdb.Store{DB: db.DB, Now: f.clock.time}
	c.DB, c.Now = db, f.clock.time
	var err error
	if f.server, err = server.New(ctx, c); err != nil {
		t.Fatal(err)
	}
	f.handler = documented(t, f.server.Handler())
	f.load(t)
	f.north, f.south = f.issue(t, "north"), f.issue(t, "south")
	return f
}

// load creates the partner and loads the feed.
func (f *fixture) load(t *testing.T) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	for name, rows := range feed {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if f.partner, err = directorydb.CreatePartner(ctx, f.db, "ana", "Ana"); err != nil {
		t.Fatal(err)
	}
	store := &schoolsdb.Store{DB: f.db.DB, Copy: f.db.Copy, Now: f.clock.time}
	if _, err := load.Schools(ctx, store, f.partner, "ana", os.DirFS(dir), load.Options{Now: f.clock.time}); err != nil {
		t.Fatal(err)
	}
}

// issue returns a new key of a network.
func (f *fixture) issue(t *testing.T, network directory.Ref) string {
	t.Helper()
	entities, err := directorydb.Latest(f.db, f.partner).Entities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entities {
		if e.Ref == network {
			text, _, err := f.keys.Issue(t.Context(), f.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(f.partner), API: auth.Schools, Network: int64(e.ID)})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatalf("no network %q", network)
	return ""
}

// keyID returns the id that a key's text begins with.
func keyID(text string) string { return strings.Join(strings.SplitN(text, "-", 3)[:2], "-") }

// get sends GET with a key and returns the response.
func (f *fixture) get(key, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w
}

func TestRoutes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		period := `{"period":{"startDate":"2026-01-01","endDate":"2026-03-31"},`
		tests := []struct{ key, target, want string }{
			{f.north, "/users", `{"meta":{"page":{"page":1,"pageSize":100,"totalRows":2}},"data":{"rows":[` +
				`{"userId":2,"name":"Bia","email":"bia@escola.example","profile":"student","school":{"id":3,"name":"Escola"},` +
				`"class":{"id":4,"name":"7A"},"grade":7,"stage":"FUNDAMENTAL 2","active":true},` +
				`{"userId":3,"name":"Caio","email":null,"profile":"teacher","school":{"id":3,"name":"Escola"},"class":null,"grade":null,"stage":null,"active":true}]}}`},
			{f.north, "/engagements?startDate=2025-01-01", `{"meta":` + period + `"page":{"page":1,"pageSize":100,"totalRows":2}},"data":{"rows":[` +
				`{"date":"2026-03-01","userId":2,"readingMinutes":1.0},{"date":"2026-03-02","userId":3,"readingMinutes":0.0}]}}`},
			{f.north, "/readings?startDate=2025-01-01", `{"meta":` + period + `"page":{"page":1,"pageSize":100,"totalRows":1}},"data":{"rows":[` +
				`{"userId":2,"book":{"id":1,"title":"Dom Casmurro","author":"Machado de Assis","isbn":null},"percent":50.00,"readingMinutes":1.0,` +
				`"firstReadAt":"2026-03-01T13:00:00Z","lastReadAt":"2026-03-01T13:00:00Z","finished":true}]}}`},
			{f.south, "/users", `{"meta":{"page":{"page":1,"pageSize":100,"totalRows":1}},"data":{"rows":[` +
				`{"userId":1,"name":"Davi","email":null,"profile":"student","school":null,"class":null,"grade":null,"stage":null,"active":true}]}}`},
			{f.south, "/users?userId=2", `{"meta":{"page":{"page":1,"pageSize":100,"totalRows":0}},"data":{"rows":[]}}`},
		}
		for range 2 { // the second time from the cache
			for _, tt := range tests {
				if w := f.get(tt.key, prefix+tt.target); w.Code != 200 || w.Body.String() != tt.want {
					t.Errorf("GET %s = %d\n%s\nwant 200\n%s", tt.target, w.Code, w.Body, tt.want)
				}
			}
		}
	})
}

func TestFirstChecks(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t), server.Config{})
	python := "Python-urllib/3.12"
	tests := []struct {
		rule, target, agent string
		want                int
	}{
		{"user agent before the path", "/nowhere", python, 403},
		{"user agent before the key", prefix + "/users", python, 403},
		{"unknown path", "/nowhere", "curl", 404},
		{"root", "/", python, 200}, // the welcome page
		{"a longer prefix", prefix + "x/users", "curl", 404},
		{"known path", prefix + "/users", "curl", 200},
	}
	for _, tt := range tests {
		if w := f.get(f.north, tt.target, "User-Agent", tt.agent); w.Code != tt.want || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: GET %s = %d, id %q, want %d and an id", tt.rule, tt.target, w.Code, w.Header().Get("X-Request-Id"), tt.want)
		}
	}
}

func TestKeys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		ctx := t.Context()
		status := func(rule, key string, want int) {
			t.Helper()
			if w := f.get(key, prefix+"/users"); w.Code != want {
				t.Errorf("%s: status = %d, want %d", rule, w.Code, want)
			}
		}
		status("issued", f.north, 200)
		successor, _, err := f.keys.Rotate(ctx, f.keys.DB, keyID(f.north), time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		status("rotated, in its grace", f.north, 200)
		status("successor", successor, 200)
		f.clock.now = f.clock.now.Add(time.Hour)
		status("rotated, after its grace", f.north, 401)
		status("successor, after the grace", successor, 200)
		if err := f.keys.Revoke(ctx, keyID(successor)); err != nil {
			t.Fatal(err)
		}
		status("revoked", successor, 401)
		status("altered", altered(f.south), 401)
		status("of another network", f.south, 200)
		if libraries, _, err := f.keys.Issue(ctx, f.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(f.partner), API: auth.Libraries}); err != nil {
			t.Error(err)
		} else {
			status("of another API", libraries, 401)
		}
	})
}

// altered changes the last character of a key.
func altered(key string) string {
	last := key[len(key)-1:]
	if last == "A" {
		return key[:len(key)-1] + "E"
	}
	return key[:len(key)-1] + "A"
}

// TestRate tests that 30 requests a minute pass and the 31st does not. A key's successor shares its budget (G3).
func TestRate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		for i := range server.DefaultSchoolsRate {
			if w := f.get(f.north, prefix+"/users"); w.Code != 200 {
				t.Fatalf("request %d = %d, want 200", i+1, w.Code)
			}
		}
		successor, _, err := f.keys.Rotate(t.Context(), f.keys.DB, keyID(f.north), time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{f.north, successor} {
			if w := f.get(key, prefix+"/users"); w.Code != 429 || w.Header().Get("Retry-After") != "30" {
				t.Errorf("request 31 = %d, Retry-After %q, want 429, 30", w.Code, w.Header().Get("Retry-After"))
			}
		}
		if w := f.get(f.south, prefix+"/users"); w.Code != 200 {
			t.Errorf("another key = %d, want 200", w.Code)
		}
		f.clock.now = f.clock.now.Add(30 * time.Second)
		if w := f.get(f.north, prefix+"/users"); w.Code != 200 {
			t.Errorf("in the next minute = %d, want 200", w.Code)
		}
	})
}

func TestRateLifted(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t), server.Config{SchoolsRate: -1})
	for i := range server.DefaultSchoolsRate + 1 {
		if w := f.get(f.north, prefix+"/users"); w.Code != 200 || w.Header().Get("x-ratelimit-limit-public-default") != "" {
			t.Fatalf("request %d without a limit = %d %v, want 200 and no limit shown", i+1, w.Code, w.Header())
		}
	}
}

// blockingLog lets a test block the log line that ends a request, and detect the line that begins the shutdown.
type blockingLog struct {
	ended, release, stopping chan struct{}
	once                     sync.Once
}

func (l *blockingLog) Write(b []byte) (int, error) {
	switch {
	case bytes.Contains(b, []byte(`"message":"request"`)):
		l.once.Do(func() { close(l.ended) })
		<-l.release
	case bytes.Contains(b, []byte(`"message":"stopping"`)):
		close(l.stopping)
	}
	return len(b), nil
}

// TestServeStopsCleanly tests that a server that stops completes its request and stores the last use of the key.
func TestServeStopsCleanly(t *testing.T) {
	blocked := &blockingLog{ended: make(chan struct{}), release: make(chan struct{}), stopping: make(chan struct{})}
	log := slog.New(zerolog.NewSlogHandler(zerolog.New(blocked)))
	f := newFixture(t, dbtest.SQLite(t), server.Config{Log: log})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- f.server.Serve(ctx, ln) }()
	answered := make(chan string, 1)
	go func() {
		r, _ := http.NewRequest("GET", "http://"+ln.Addr().String()+prefix+"/users", nil)
		r.Header.Set("X-Api-Key", f.north)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			answered <- err.Error()
		}
		answered <- res.Status + " " + string(b)
	}()
	<-blocked.ended
	cancel()
	<-blocked.stopping
	close(blocked.release)
	if err := <-served; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	if got := <-answered; !strings.HasPrefix(got, "200 OK {") {
		t.Errorf("the request in progress = %s, want 200", got)
	}
	keys, err := f.keys.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := f.clock.now.Truncate(time.Minute); !keys[0].LastUsed.Equal(want) || !keys[1].LastUsed.IsZero() {
		t.Errorf("last uses = %v, %v, want %v and none", keys[0].LastUsed, keys[1].LastUsed, want)
	}
}

func TestNewOpensItsDatabase(t *testing.T) {
	s, err := server.New(t.Context(), server.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	if _, err := server.New(t.Context(), server.Config{URL: "mysql:x"}); err == nil {
		t.Error("New on an unknown kind of database = nil, want an error")
	}
}

func TestRunNeedsItsAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s, err := server.New(t.Context(), server.Config{Addr: taken.Addr().String(), URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("Run at a taken address = %v, want an error that says so", err)
	}
}

func newPartner(t *testing.T, db *database.DB, ref directory.Ref) directory.PartnerID {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, ref, "Partner "+string(ref))
	if err != nil {
		t.Fatal(err)
	}
	return id
}
