package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestDirectorySignatures tests that a call is refused, always in the same words, if what its signature covers changes.
func TestDirectorySignatures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		body := entity("network", "n", "ana")
		target := partners + "/entities?a=1&b=2"
		tests := []struct {
			rule  string
			alter func(r *http.Request)
			want  int
		}{
			{"method", func(r *http.Request) { r.Method = "GET"; r.URL.Opaque = target }, 401},
			{"path", func(r *http.Request) { r.URL.Opaque = partners + "/teachers?a=1&b=2" }, 401},
			{"path, with other escapes", func(r *http.Request) { r.URL.Opaque = partners + "/%65ntities?a=1&b=2" }, 401},
			{"query", func(r *http.Request) { r.URL.Opaque = partners + "/entities?a=1&b=3" }, 401},
			{"query, in another order", func(r *http.Request) { r.URL.Opaque = partners + "/entities?b=2&a=1" }, 401},
			{"no query", func(r *http.Request) { r.URL.Opaque = partners + "/entities" }, 401},
			{"body", func(r *http.Request) { setBody(r, strings.Replace(body, "Um", "Os", 1)) }, 401},
			{"body and its hash", func(r *http.Request) {
				setBody(r, "{}")
				r.Header.Set("X-Authorization-Content-SHA256", auth.HashBody([]byte("{}")))
			}, 401},
			{"no hash of the body", func(r *http.Request) { r.Header.Del("X-Authorization-Content-SHA256"); c.seal(r, body) }, 401},
			{"content type", func(r *http.Request) { r.Header.Set("Content-Type", "text/json") }, 401},
			{"date", func(r *http.Request) { r.Header.Set("Date", c.clock.now.Add(time.Second).Format(http.TimeFormat)) }, 401},
			{"no date", func(r *http.Request) { r.Header.Del("Date"); c.seal(r, body) }, 401},
			{"key", func(r *http.Request) {
				r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), c.id+":", "1-1:", 1))
			}, 401},
			{"unknown key", func(r *http.Request) {
				r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), c.id+":", "99-1:", 1))
			}, 401},
			{"signature", func(r *http.Request) { r.Header.Set("Authorization", r.Header.Get("Authorization")[:40]) }, 401},
			{"no signature", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
			{"a schools key", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+c.north) }, 401},
			{"an agent that the other APIs refuse", func(r *http.Request) { r.Header.Set("User-Agent", "Python-urllib/3.12") }, 201},
		}
		for _, tt := range tests {
			r := c.sign(t, "POST", target, body)
			tt.alter(r)
			a := do(t, r)
			if a.status != tt.want || tt.want == 401 && a.body != unauthorized {
				t.Errorf("%s = %d %s, want %d", tt.rule, a.status, a.body, tt.want)
			}
		}
	})
}

func setBody(r *http.Request, body string) {
	fresh, _ := http.NewRequest(r.Method, "http://x", strings.NewReader(body))
	r.Body, r.ContentLength, r.GetBody = fresh.Body, fresh.ContentLength, fresh.GetBody
}

// TestDirectoryReplay tests that a call is valid for 900 seconds before and after its date, while its key is valid.
func TestDirectoryReplay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		c.clock.now = c.clock.now.Truncate(time.Second)
		start := c.clock.now
		call := func() *http.Request { return c.sign(t, "GET", partners+"/entities/north", "") }
		for shift, want := range map[time.Duration]int{
			0: 200, 900 * time.Second: 200, 901 * time.Second: 401, -900 * time.Second: 200, -901 * time.Second: 401,
		} {
			r := call()
			c.clock.now = start.Add(shift)
			if a := do(t, r); a.status != want {
				t.Errorf("replayed after %v = %d, want %d", shift, a.status, want)
			}
			c.clock.now = start
		}

		expiring := *c
		expiring.id, expiring.secret = c.issueDirectory(t, c.partner, start.Add(time.Minute))
		for shift, want := range map[time.Duration]int{time.Minute - time.Second: 200, time.Minute: 401} {
			c.clock.now = start.Add(shift)
			if a := expiring.call(t, "GET", "/entities/north", ""); a.status != want {
				t.Errorf("a key of a minute, after %v = %d, want %d", shift, a.status, want)
			}
		}
		if err := c.keys.Revoke(t.Context(), c.id); err != nil {
			t.Fatal(err)
		}
		c.want(t, "revoked", "GET", "/entities/north", "", 401, unauthorized)
	})
}

// TestSealedUnderAnotherKey tests a directory key that another process sealed with another secret key. Calls with it
// are refused (G3), and no server starts until it is revoked.
func TestSealedUnderAnotherKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		other := *c
		other.id, other.secret = c.issueUnder(t, []byte(strings.Repeat("k", 32)), c.partner, time.Time{})
		other.want(t, "sealed under another key", "GET", "/entities/north", "", 401, unauthorized)
		c.want(t, "sealed under the server's key", "GET", "/entities/nowhere", "", 404, `{"errors":{"detail":"Not Found"}}`)
		config := server.Config{DB: db, SecretKey: secretKey}
		if _, err := server.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), other.id) {
			t.Errorf("New = %v, want an error that names the key %s", err, other.id)
		}
		if err := c.keys.Revoke(t.Context(), other.id); err != nil {
			t.Fatal(err)
		}
		if _, err := server.New(t.Context(), config); err != nil {
			t.Errorf("New after it was revoked = %v, want nil", err)
		}
	})
}

func TestDirectoryRate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{DirectoryRate: 2})
		second := *c
		second.id, second.secret = c.issueDirectory(t, c.partner, time.Time{})
		refused := do(t, func() *http.Request {
			r := c.sign(t, "GET", partners+"/entities/north", "")
			r.Header.Del("Date")
			return r
		}())
		if refused.status != 401 || refused.header.Get("X-Ratelimit-Limit-Public-Default") != "" {
			t.Errorf("a bad signature = %d %v, want 401 and no rate headers", refused.status, refused.header)
		}
		for i, want := range []int{200, 404, 429} {
			path := []string{"/entities/north", "/entities/nowhere", "/entities/north"}[i]
			a := c.call(t, "GET", path, "")
			if a.status != want || a.header.Get("X-Ratelimit-Limit-Public-Default") != "2" || a.header.Get("X-Ratelimit-Reset-Public-Default") != "30" {
				t.Errorf("request %d = %d %v, want %d and the rate headers", i+1, a.status, a.header, want)
			}
			if want == 429 && (a.header.Get("Retry-After") != "30" || a.body != `{"errors":{"detail":"Too Many Requests"}}`) {
				t.Errorf("429 = %v %s, want Retry-After 30", a.header, a.body)
			}
		}
		if a := second.call(t, "GET", "/entities/north", ""); a.status != 200 {
			t.Errorf("another key = %d, want 200", a.status)
		}
	})
}

func TestDirectoryBodies(t *testing.T) {
	c := newClient(t, dbtest.SQLite(t), server.Config{})
	of := func(size int) string {
		head := strings.TrimSuffix(entity("network", "big", "ana"), "}") + `,"x":"`
		return head + strings.Repeat("x", size-len(head)-2) + `"}`
	}
	if a := c.call(t, "POST", "/entities", of(1<<20)); a.status != 201 {
		t.Errorf("1 MiB = %d %s, want 201", a.status, a.body)
	}
	c.want(t, "1 MiB + 1", "POST", "/entities", of(1<<20+1), 413, `{"errors":{"detail":"Request Entity Too Large"}}`)
	for rule, body := range map[string]string{
		"array": `[]`, "empty": ``, "a name twice": `{"name":"a","name":"b"}`, "not UTF-8": "{\"name\":\"\xff\"}",
		"deep": `{"x":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`,
	} {
		c.want(t, rule, "POST", "/entities", body, 400, badRequest)
		c.want(t, rule, "PUT", "/teachers/teacher", body, 400, badRequest)
	}
	r := c.sign(t, "POST", partners+"/entities", "{}")
	r.Header.Set("Content-Type", "text/plain")
	c.seal(r, "{}")
	if a := do(t, r); a.status != 415 || a.body != `{"errors":{"detail":"Unsupported Media Type"}}` {
		t.Errorf("text/plain = %d %s, want 415", a.status, a.body)
	}
	r = c.sign(t, "HEAD", partners+"/entities/north", "")
	if a := do(t, r); a.status != 405 || a.header.Get("Allow") != "DELETE, GET, PUT" {
		t.Errorf("HEAD = %d %v, want 405", a.status, a.header)
	}
}

// TestDirectoryTooLarge tests that a client gets an answer if it sends all of a body that is too large before it reads.
func TestDirectoryTooLarge(t *testing.T) {
	c := newClient(t, dbtest.SQLite(t), server.Config{})
	for range 5 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		const size = 1<<20 + 1<<19
		fmt.Fprintf(conn, "POST %s/entities HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", partners, size)
		for range size / 1024 {
			if _, err := conn.Write(make([]byte, 1024)); err != nil {
				t.Fatalf("write of a body that is too large: %v", err)
			}
		}
		if status, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(status, "HTTP/1.1 413 ") {
			t.Errorf("answer to a body that is too large = %q, %v, want 413", status, err)
		}
	}
}

func TestDirectoryDebug(t *testing.T) {
	c := newClient(t, dbtest.SQLite(t), server.Config{DebugSignatures: true})
	r := c.sign(t, "GET", partners+"/entities/a%2Fb?x=1", "")
	r.Header.Set("Authorization", auth.Sign(auth.Signed{Method: "GET"}, c.id, "another secret", auth.SHA256))
	a := do(t, r)
	want := `{"errors":{"detail":"Unauthorized","canonical":"GET,,,` + partners + `/entities/a%2Fb?x=1,` + r.Header.Get("Date") +
		`","reason":"no valid signature: the signature is not that of the canonical string under the key's secret"}}`
	if a.status != 401 || a.body != want {
		t.Errorf("a wrong signature = %d %s, want 401 %s", a.status, a.body, want)
	}
}

// TestDirectorySecretKey tests that a cursor is valid on another server, and that a directory key needs the secret key.
func TestDirectorySecretKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		if _, err := server.New(ctx, server.Config{DB: db}); err != nil {
			t.Fatalf("New without a secret key, before the first directory key = %v, want nil", err)
		}
		c := newClient(t, db, server.Config{})
		for i := range 60 {
			c.call(t, "POST", "/entities", entity("network", fmt.Sprint("n", i), "ana"))
		}
		_, l := c.page(t, "/entities?entity_type=network")
		path := "/entities?entity_type=network&after=" + *l.Metadata.After

		second, err := server.New(ctx, server.Config{DB: db, Now: c.clock.time, SecretKey: secretKey})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(documented(t, second.Handler()))
		defer s.Close()
		replica := *c
		replica.url = s.URL
		if a, b := c.call(t, "GET", path, ""), replica.call(t, "GET", path, ""); a.status != 200 || a.body != b.body {
			t.Errorf("a cursor = %d %s\non a replica = %d %s\nwant the same", a.status, a.body, b.status, b.body)
		}
		if _, err := server.New(ctx, server.Config{DB: db}); err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32") {
			t.Errorf("New without the secret key = %v, want an error that says how to make one", err)
		}
		if _, err := server.New(ctx, server.Config{DB: db, SecretKey: make([]byte, 32)}); err == nil || !strings.Contains(err.Error(), server.SecretKeyVariable) {
			t.Errorf("New with another secret key = %v, want an error that names the variable", err)
		}
		if err := c.keys.Revoke(ctx, c.id); err != nil {
			t.Fatal(err)
		}
		if _, err := server.New(ctx, server.Config{DB: db}); err != nil {
			t.Errorf("New without the secret key, after the directory key was revoked = %v, want nil", err)
		}
	})
}
