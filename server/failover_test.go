//go:build unix

package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// A primary that freezes resets nothing: its kernel acknowledges what it is sent. A server under load still leaves it, and
// reads and writes on the standby once that is promoted, without a restart; what it acknowledged before is there (H13). It
// takes about 8 seconds; the bound is that of a machine with other work.
func TestFrozenPrimary(t *testing.T) {
	pair := newServers(t)
	db, err := database.Open(t.Context(), pair.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := newClient(t, db, server.Config{SchoolsRate: -1})
	stop := c.readers(t)
	defer stop()
	if r := c.call(t, "POST", "/entities", entity("school", "antes", "north")); r.status != 201 {
		t.Fatalf("a school = %d %s, want 201", r.status, r.body)
	}

	pair.freeze()
	frozen := time.Now()
	pair.promote()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	answers := func(what string, ask func() int, want int) {
		t.Helper()
		for {
			got := ask()
			if got == want {
				t.Logf("%s after %v", what, time.Since(frozen).Round(100*time.Millisecond))
				return
			}
			if got != 503 || ctx.Err() != nil {
				t.Fatalf("%s: %d, %v after the primary froze, want 503 until it is %d", what, got, time.Since(frozen), want)
			}
		}
	}
	answers("reads", func() int { return c.get(c.north, prefix+"/users").Code }, 200)
	n := 0
	answers("writes", func() int {
		n++ // an answer that was lost may have been a 201
		return c.call(t, "POST", "/entities", entity("school", fmt.Sprint("depois-", n), "north")).status
	}, 201)
	if r := c.call(t, "GET", "/entities/antes", ""); r.status != 200 {
		t.Errorf("what was acknowledged before = %d %s, want 200", r.status, r.body)
	}
}

// A standby that is promoted has lost the last writes, which the server has answered from. It goes on running: no answer comes
// from what it had of them in memory, also when as many writes have followed them as were lost.
func TestLostWrites(t *testing.T) {
	pair := newServers(t)
	db, err := database.Open(t.Context(), pair.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := newClient(t, db, server.Config{SchoolsRate: -1})
	users := func() string { return c.get(c.north, prefix+"/users").Body.String() }
	before := users()
	pair.part()
	const lost = 3
	for i := range lost {
		if r := c.call(t, "POST", "/teachers", teacher(fmt.Sprint("lost-", i), "north")); r.status != 201 {
			t.Fatalf("a teacher = %d %s, want 201", r.status, r.body)
		}
		if users() == before {
			t.Fatal("the answers do not show the teacher")
		}
	}
	pair.freeze()
	pair.promote()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	after := users()
	for after != before && strings.Contains(after, "503") && ctx.Err() == nil {
		after = users()
	}
	if after != before {
		t.Fatalf("after the failover\n%s\nwant what the standby has:\n%s", after, before)
	}
	for i := range lost {
		if r := c.call(t, "POST", "/entities", entity("school", fmt.Sprint("nova-", i), "north")); r.status != 201 {
			t.Fatalf("a school = %d %s, want 201", r.status, r.body)
		}
		if after := users(); after != before {
			t.Errorf("after %d writes that show no user\n%s\nwant\n%s", i+1, after, before)
		}
	}
}

// readers keeps twenty readers asking, who are never told of a fault, until the function that it returns is called.
func (c *client) readers(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if w := c.get(c.north, prefix+"/readings"); w.Code != 200 && w.Code != 503 {
					t.Errorf("a reader was answered %d %s, want 200 or 503", w.Code, w.Body)
					return
				}
			}
		})
	}
	return func() { cancel(); wg.Wait() }
}
