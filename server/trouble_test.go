package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestNoFreeConnection tests requests while no database connection is free (H13). At the deadline, each API returns 503
// in its own format. A request returns 200 if a connection is free before that.
func TestNoFreeConnection(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SecretKey: secretKey})
		id, secret := f.issueDirectory(t, f.partner, time.Time{})
		c := &client{fixture: f, id: id, secret: secret}
		db.SetMaxOpenConns(1)
		conn, err := db.DB.DB.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ask := func(ctx context.Context, r *http.Request) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r.WithContext(ctx))
			return w
		}
		school := httptest.NewRequest("GET", prefix+"/users", nil)
		school.Header.Set("X-Api-Key", f.north)
		library := httptest.NewRequest("GET", librariesPrefix+"/users", nil)
		library.Header.Set("X-Api-Key", f.north) // its key is of another API, which cannot be checked now
		const later = `{"statusCode":503,"error":"Service Unavailable","message":"the data are not available now; try again later"}`
		const down = `{"errors":{"detail":"Service Unavailable"}}`
		for _, tt := range []struct {
			r    *http.Request
			want string
		}{
			{school, later}, {library, later},
			{c.sign(t, "GET", partners+"/entities/north", ""), down},
			{c.sign(t, "POST", partners+"/entities", entity("school", "nova", "north")), down},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if w := ask(ctx, tt.r); w.Code != 503 || w.Body.String() != tt.want || w.Header().Get("Retry-After") != "1" {
				t.Errorf("%s %s = %d %s, Retry-After %q, want 503 %s, 1", tt.r.Method, tt.r.URL, w.Code, w.Body, w.Header().Get("Retry-After"), tt.want)
			}
			cancel()
		}
		answered := make(chan int)
		waiting := db.Stats().WaitCount
		go func() { answered <- ask(t.Context(), school).Code }()
		for db.Stats().WaitCount == waiting {
			time.Sleep(time.Millisecond)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if code := <-answered; code != 200 {
			t.Errorf("a request that waited for a connection = %d, want 200", code)
		}
	})
}

// TestEndedConnections tests connections that the database server has ended, as a restart does. Reads succeed, and a
// write succeeds or returns 503 with Retry-After.
func TestEndedConnections(t *testing.T) {
	db := dbtest.Postgres(t)
	c := newClient(t, db, server.Config{SchoolsRate: -1})
	admin, err := database.Open(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	end := func() {
		t.Helper()
		for range 4 { // connections just used, which have not been tested since
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.ExecContext(t.Context(), `SELECT 1`); err != nil {
				t.Fatal(err)
			}
		}
		_, err := admin.ExecContext(t.Context(),
			`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		end()
		if w := c.get(c.north, prefix+"/users"); w.Code != 200 {
			t.Fatalf("a read after the connections ended = %d %s, want 200", w.Code, w.Body)
		}
	}
	for range 5 {
		end()
		if r := c.call(t, "PUT", "/entities/school", `{"name":"Escola nova"}`); r.status != 200 && (r.status != 503 || r.header.Get("Retry-After") != "1") {
			t.Fatalf("a write after the connections ended = %d %v %s, want 200, or 503 and Retry-After 1", r.status, r.header, r.body)
		}
	}
	if r := c.call(t, "PUT", "/entities/school", `{"name":"Escola"}`); r.status != 200 {
		t.Errorf("the next write = %d %s, want 200", r.status, r.body)
	}
}
