package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// admin sends a request to a server's admin handler and returns the response.
func admin(ctx context.Context, s *server.Server, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, path, nil))
	return w
}

// readiness checks that /readyz returns 200 if reason is empty, and otherwise 503 and one line with the reason.
func readiness(t *testing.T, s *server.Server, rule, reason string) {
	t.Helper()
	w := admin(t.Context(), s, "GET", "/readyz")
	want := http.StatusServiceUnavailable
	if reason == "" {
		want, reason = http.StatusOK, "ok"
	}
	if body := w.Body.String(); w.Code != want || !strings.Contains(body, reason) || strings.Contains(body, "\n") {
		t.Errorf("%s: /readyz = %d %q, want %d and a line with %q", rule, w.Code, body, want, reason)
	}
	if w := admin(t.Context(), s, "GET", "/healthz"); w.Code != 200 || w.Body.String() != "ok" {
		t.Errorf("%s: /healthz = %d %q, want 200 ok whatever the database does", rule, w.Code, w.Body)
	}
}

func newServer(t *testing.T, c server.Config) *server.Server {
	t.Helper()
	s, err := server.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestAdminNoSniff tests that responses of the admin address have the header X-Content-Type-Options: nosniff.
func TestAdminNoSniff(t *testing.T) {
	s := newServer(t, server.Config{DB: dbtest.SQLite(t)})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/": 404} {
		if w := admin(t.Context(), s, "GET", path); w.Code != want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s = %d %v, want %d and nosniff", path, w.Code, w.Header(), want)
		}
	}
}

func TestReadiness(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServer(t, server.Config{DB: db})
		readiness(t, s, "served", "")
		exec := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO bun_migrations (name, group_id) VALUES ('99990101000000', 1)`)
		readiness(t, s, "migrated by a later version", "newer version")
		exec(`DELETE FROM bun_migrations WHERE name = '99990101000000'`)
		readiness(t, s, "as before", "")
		exec(`DELETE FROM bun_migrations WHERE name = (SELECT max(name) FROM bun_migrations)`)
		readiness(t, s, "a migration is missing", "lectern migrate")
		exec(`DROP TABLE bun_migrations`)
		readiness(t, s, "an empty database", "lectern migrate")
	})
}

func TestReadinessWithoutDatabase(t *testing.T) {
	s := newServer(t, server.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db")})
	readiness(t, s, "served", "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	readiness(t, s, "closed", "closed")
}

// TestReadinessIsBounded tests that /readyz gives the database two seconds to answer, here while all connections are in
// use. Without that bound, the test would hang.
func TestReadinessIsBounded(t *testing.T) {
	db := dbtest.SQLite(t)
	s := newServer(t, server.Config{DB: db})
	db.SetMaxOpenConns(1)
	conn, err := db.DB.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	readiness(t, s, "no connection is free", "did not answer within 2s")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	readiness(t, s, "a connection is free again", "")
}

func TestAdminPaths(t *testing.T) {
	s := newServer(t, server.Config{DB: dbtest.SQLite(t)})
	for _, tt := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/healthz", 200}, {"HEAD", "/healthz", 200}, {"HEAD", "/readyz", 200}, {"GET", "/metrics", 200},
		{"POST", "/healthz", 405}, {"DELETE", "/readyz", 405}, {"PUT", "/metrics", 405},
		{"GET", "/", 404}, {"GET", "/healthz/", 404}, {"GET", prefix + "/users", 404},
	} {
		if w := admin(t.Context(), s, tt.method, tt.path); w.Code != tt.want {
			t.Errorf("%s %s = %d, want %d", tt.method, tt.path, w.Code, tt.want)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 404 {
			t.Errorf("GET %s at the address of the APIs = %d, want 404: only the admin address serves it", path, w.Code)
		}
	}
}

// metricsOf returns the values of a server's metrics, by name and labels.
func metricsOf(t *testing.T, s *server.Server) map[string]float64 {
	t.Helper()
	w := admin(t.Context(), s, "GET", "/metrics")
	values := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || i < 0 {
			continue
		}
		v, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			t.Fatalf("metrics have the line %q: %v", line, err)
		}
		values[line[:i]] = v
	}
	return values
}

// requestsOf returns the name of the metric that counts the responses of a route.
func requestsOf(method, route, status string) string {
	return `lectern_http_request_duration_seconds_count{method="` + method + `",route="` + route + `",status="` + status + `"}`
}

func TestMetrics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: 4})
		for range 2 {
			n.get(n.key, librariesPrefix+"/users")
		}
		n.get(n.key, librariesPrefix+"/users?userId=ana@rede.example")
		n.get(n.key, librariesPrefix+"/datasets/ana@rede.example")
		n.get(n.key, librariesPrefix+"/users") // the fifth in the minute
		n.get("nobody", librariesPrefix+"/users")
		n.get(n.key, "/ana@rede.example")
		got := metricsOf(t, n.server)
		for name, want := range map[string]float64{
			requestsOf("GET", librariesPrefix+"/users", "200"):                             2,
			requestsOf("GET", librariesPrefix+"/users", "400"):                             1,
			requestsOf("GET", librariesPrefix+"/users", "429"):                             1,
			requestsOf("GET", librariesPrefix+"/users", "401"):                             1,
			requestsOf("GET", librariesPrefix+"/datasets/:name", "404"):                    1,
			requestsOf("GET", "", "404"):                                                   1,
			`lectern_rate_refused_total{api="libraries"}`:                                  1,
			`lectern_rate_refused_total{api="schools"}`:                                    0,
			`lectern_rate_refused_total{api="directory"}`:                                  0,
			`lectern_data_version{data="facts",kind="library",reference="sul",tenant="2"}`: 0,
			// The snapshot of the load at 14:00:30 in Brasilia has the full hour as its time.
			`lectern_libraries_snapshot_timestamp_seconds{reference="norte",tenant="1"}`: float64(n.clock.now.Truncate(time.Hour).Unix()),
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s = %v (%v), want %v", name, v, ok, want)
			}
		}
		for _, name := range []string{
			`lectern_data_version{data="facts",kind="library",reference="norte",tenant="1"}`, "lectern_cache_bytes", "lectern_cache_warm_total", "lectern_cache_cold_total", `go_sql_max_open_connections{db_name="lectern"}`, "go_goroutines",
		} {
			if got[name] <= 0 {
				t.Errorf("%s = %v, want more than 0", name, got[name])
			}
		}
		for name := range got {
			if strings.Contains(name, "rede.example") || strings.Contains(name, "nobody") || strings.Contains(name, `{reference="sul"`) {
				t.Errorf("metrics have %s, want no such series", name)
			}
		}
	})
}

// TestPrometheusFiles tests that a server with a loaded network shows all series that the alerts and the dashboard use.
func TestPrometheusFiles(t *testing.T) {
	n := newNetwork(t, dbtest.SQLite(t), server.Config{})
	load := snapshotdb.LastLoad{Ended: n.clock.now, Took: time.Second, Rows: 1}
	if err := snapshotdb.NoteLoad(t.Context(), n.db, 1, load); err != nil {
		t.Fatal(err)
	}
	n.clock.now = n.clock.now.Add(time.Minute) // gives the snapshot an age
	n.get(n.key, librariesPrefix+"/users")
	shown := map[string]bool{}
	for name := range metricsOf(t, n.server) {
		name, _, _ = strings.Cut(name, "{")
		shown[name] = true
	}
	series := regexp.MustCompile(`\b(lectern|go|process)_[a-z_]+`)
	for file, least := range map[string]int{"alerts.yml": 8, "dashboard.json": 20} {
		text, err := os.ReadFile(filepath.Join("deploy", "prometheus", file))
		if err != nil {
			t.Fatal(err)
		}
		asked := series.FindAllString(string(text), -1)
		if len(asked) < least {
			t.Errorf("%s uses %d series, want at least %d", file, len(asked), least)
		}
		for _, name := range asked {
			if !shown[name] {
				t.Errorf("%s uses %s, which a server does not export", file, name)
			}
		}
	}
}

// TestMetricsOfTheCache tests that a first request counts as cold, and the same request again only as warm.
func TestMetricsOfTheCache(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t), server.Config{})
	counters := func() (warm, cold float64) {
		f.get(f.north, prefix+"/readings")
		got := metricsOf(t, f.server)
		return got["lectern_cache_warm_total"], got["lectern_cache_cold_total"]
	}
	warm, cold := counters()
	again, same := counters()
	if cold == 0 || again <= warm || same != cold {
		t.Errorf("warm, cold = %v, %v after a request and %v, %v after the same request again, want only warm to rise", warm, cold, again, same)
	}
}

// TestMetricsOfManyTenants tests that the thousand tenants loaded last have series, and that the others are counted.
func TestMetricsOfManyTenants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		newServer(t, server.Config{DB: db})
		exec := func(statement string, args ...any) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
				t.Fatal(err)
			}
		}
		create := func(from, to int) {
			t.Helper()
			const numbers = `WITH RECURSIVE n (i) AS (SELECT ?0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) `
			exec(`INSERT INTO tenants (tenant_id, kind, reference, name, created) `+numbers+
				`SELECT i, 'library', 'rede-' || i, 'Rede', ?2 FROM n`, from, to, time.Unix(0, 0).UTC())
			exec(`INSERT INTO versions (tenant_id, registers, facts, facts_from) `+numbers+`SELECT i, i, 2 * i, ?2 FROM n`, from, to, int64(495000*3600*1_000_000))
		}
		shown := func(rule string, tenants, leftOut int) map[string]float64 {
			t.Helper()
			got := metricsOf(t, newServer(t, server.Config{DB: db})) // a new server has not read the tenants yet
			n := map[string]int{}
			for name := range got {
				kind, _, _ := strings.Cut(name, "{")
				n[kind]++
			}
			if n["lectern_data_version"] != 2*tenants || n["lectern_libraries_snapshot_timestamp_seconds"] != tenants ||
				got["lectern_data_version_tenants_left_out"] != float64(leftOut) {
				t.Errorf("%s: %d versions, %d snapshots and %v tenants left out, want %d, %d and %d", rule, n["lectern_data_version"],
					n["lectern_libraries_snapshot_timestamp_seconds"], got["lectern_data_version_tenants_left_out"], 2*tenants, tenants, leftOut)
			}
			return got
		}
		shown("none", 0, 0)
		create(1, 1000)
		shown("a thousand", 1000, 0)
		create(1001, 1001)
		shown("one more", 1000, 1)
		create(1002, 10_000)
		load := snapshotdb.LastLoad{Ended: time.Unix(1789491600, 0)}
		if err := snapshotdb.NoteLoad(t.Context(), db, 9999, load); err != nil {
			t.Fatal(err)
		}
		got := shown("ten thousand", 1000, 9000)
		for name, want := range map[string]float64{
			`lectern_data_version{data="registers",kind="library",reference="rede-9999",tenant="9999"}`: 9999,
			`lectern_data_version{data="facts",kind="library",reference="rede-999",tenant="999"}`:       1998,
			`lectern_libraries_snapshot_timestamp_seconds{reference="rede-9999",tenant="9999"}`:         495000 * 3600,
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s = %v (%v), want %v", name, v, ok, want)
			}
		}
	})
}

// addresses passes a log on, and sends the first admin address in it to a channel.
type addresses struct {
	next  io.Writer
	admin chan string
	once  sync.Once
}

func (a *addresses) Write(b []byte) (int, error) {
	if _, rest, ok := strings.Cut(string(b), `"adminAddr":"`); ok {
		addr, _, _ := strings.Cut(rest, `"`)
		a.once.Do(func() { a.admin <- addr })
	}
	return a.next.Write(b)
}

// TestAdminAddress tests that /readyz fails while a server ends its last request, and that the address ends with it.
func TestAdminAddress(t *testing.T) {
	blocked := &blockingLog{ended: make(chan struct{}), release: make(chan struct{}), stopping: make(chan struct{})}
	logged := &addresses{next: blocked, admin: make(chan string, 1)}
	log := slog.New(zerolog.NewSlogHandler(zerolog.New(logged)))
	f := newFixture(t, dbtest.SQLite(t), server.Config{Log: log, AdminAddr: "127.0.0.1:0"})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- f.server.Serve(ctx, ln) }()
	base := "http://" + <-logged.admin
	status := func(path string, want int) {
		t.Helper()
		res, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if body, _ := io.ReadAll(res.Body); res.StatusCode != want {
			t.Errorf("GET %s = %d %s, want %d", path, res.StatusCode, body, want)
		}
	}
	status("/readyz", 200)
	answered := make(chan error, 1)
	go func() {
		res, err := http.Get("http://" + ln.Addr().String() + prefix + "/users")
		if err == nil {
			res.Body.Close()
		}
		answered <- err
	}()
	<-blocked.ended
	cancel()
	<-blocked.stopping
	status("/readyz", 503)
	status("/healthz", 200)
	status("/metrics", 200)
	close(blocked.release)
	if err := <-served; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the request in progress: %v", err)
	}
	if res, err := http.Get(base + "/healthz"); err == nil {
		res.Body.Close()
		t.Error("the admin address answers after the server has ended")
	}
}

func TestAdminAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := newServer(t, server.Config{Addr: "127.0.0.1:0", AdminAddr: taken.Addr().String(), URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db")})
	if err := s.Run(t.Context()); !errors.Is(err, server.ErrAdminAddr) || !strings.Contains(err.Error(), "in use") {
		t.Errorf("Run with a taken admin address = %v, want an error that says so", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context(), ln); !errors.Is(err, server.ErrAdminAddr) {
		t.Errorf("Serve with a taken admin address = %v, want ErrAdminAddr", err)
	}
	ln.(*net.TCPListener).SetDeadline(time.Now()) // Accept does not wait if the listener is still open
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener of the APIs = %v, want it closed", err)
	}
}
