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

// hungUp returns a request of a client that has hung up.
func hungUp(t *testing.T, target, key string) *http.Request {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	return r
}

// TestHangUp tests that a request completes after its client has hung up, with a valid key or not.
func TestHangUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		wrong := f.north[:len(f.north)-4] + strings.Repeat("x", 4)
		for _, tt := range []struct {
			target, key string
			want        int
		}{{prefix + "/users", f.north, 200}, {prefix + "/users", wrong, 401}, {librariesPrefix + "/users", f.north, 401}} {
			w := httptest.NewRecorder()
			if f.handler.ServeHTTP(w, hungUp(t, tt.target, tt.key)); w.Code != tt.want {
				t.Errorf("%s of a client that hung up = %d %s, want %d", tt.target, w.Code, w.Body, tt.want)
			}
		}
	})
}

// TestHangUpKeepsConnections tests that a client that hangs up during a statement does not close the connection.
// Otherwise each hang-up costs the database a new process, and can take the connections of other clients.
func TestHangUpKeepsConnections(t *testing.T) {
	const clients = 8 // equal to the server's connections, so all are open when the clients hang up
	admin := dbtest.Postgres(t)
	db, err := database.Open(t.Context(), fmt.Sprint(admin.URL, "&pool_max_conns=", clients))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f := newFixture(t, db, server.Config{})
	count := func(where string, args ...any) (n int) {
		t.Helper()
		err := admin.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND `+where, args...).Scan(t.Context(), &n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var under sync.WaitGroup
	var allWait time.Time
	err = admin.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `LOCK TABLE rates`); err != nil {
			return err
		}
		ctx, hangUp := context.WithCancel(ctx)
		defer hangUp()
		for range clients {
			under.Go(func() {
				r := httptest.NewRequestWithContext(ctx, "GET", prefix+"/users", nil)
				r.Header.Set("X-Api-Key", f.north)
				w := httptest.NewRecorder()
				if f.handler.ServeHTTP(w, r); w.Code != 200 {
					t.Errorf("a client that hung up = %d %s, want 200", w.Code, w.Body)
				}
			})
		}
		for count(`wait_event_type = 'Lock'`) < clients {
		}
		return admin.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &allWait)
	})
	if err != nil {
		t.Fatal(err)
	}
	under.Wait()
	for range 2 * clients {
		if w := f.get(f.north, prefix+"/users"); w.Code != 200 {
			t.Fatalf("another client = %d %s, want 200", w.Code, w.Body)
		}
	}
	if n := count(`backend_start > ?`, allWait); n > 0 {
		t.Errorf("%d connections were opened after clients hung up, want none", n)
	}
}
