package snapshotdb_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// canceller cancels a load when a number of its statements have begun or ended.
type canceller struct {
	left   atomic.Int64
	cancel func()
}

func (c *canceller) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	c.AfterQuery(ctx, nil)
	return ctx
}

func (c *canceller) AfterQuery(context.Context, *bun.QueryEvent) {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

// TestCalledOff cancels loads at each of their statements, including those that undo a dead load. It tests that the
// next load need not wait, and that no lease and no row remains.
func TestCalledOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, now := newStore(t, db)
		hook := &canceller{}
		hooked := *store
		hooked.DB = db.WithQueryHook(hook)
		write := func(ctx context.Context, l *snapshotdb.Load, err error) error {
			if err != nil {
				return err
			}
			return l.Write(ctx, oneBlock(l))
		}
		for n := int64(1); hook.left.Load() <= 0; n++ {
			dead, err := store.Begin(t.Context(), tenant, nil)
			if err := write(t.Context(), dead, err); err != nil {
				t.Fatal(err)
			}
			dead.Kill()
			*now = now.Add(time.Hour)
			ctx, cancel := context.WithCancel(t.Context())
			hook.cancel = cancel
			hook.left.Store(n)
			l, err := hooked.Begin(ctx, tenant, nil)
			if err = write(ctx, l, err); l != nil {
				err = errors.Join(err, l.Close(context.WithoutCancel(ctx)))
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("load that was not cancelled = %v, want nil", err)
			}
			cancel()
			waits := func() {
				t.Errorf("the load after one that was cancelled at statement %d waits", n)
				*now = now.Add(time.Hour)
			}
			next, err := store.Begin(t.Context(), tenant, waits)
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			nothingLeft(t, db)
		}
	})
}

// TestSleepInCopy tests a load that stops in the middle of a COPY and does not end its transaction. After its lease has
// expired, neither the next load nor the removal of the tenant waits for it.
func TestSleepInCopy(t *testing.T) {
	for name, takeOver := range map[string]func(context.Context, *snapshotdb.Store, auth.Tenant) error{
		"the next load": func(ctx context.Context, s *snapshotdb.Store, tenant auth.Tenant) error {
			next, err := s.Begin(ctx, tenant, nil)
			if err != nil {
				return err
			}
			return next.Close(ctx)
		},
		"a removal": func(ctx context.Context, s *snapshotdb.Store, tenant auth.Tenant) error {
			return s.EndLoads(ctx, tenant)
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := dbtest.Postgres(t)
			store, tenant, now := newStore(t, db)
			dead, err := store.Begin(t.Context(), tenant, nil)
			if err != nil {
				t.Fatal(err)
			}
			dead.Kill()
			wake, woken := make(chan bool), make(chan error, 1)
			go func() { woken <- sleepInCopy(t.Context(), db, tenant, wake) }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			const copies = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'copy%' AND wait_event = 'ClientRead'`
			for n := 0; n == 0; {
				if err := db.QueryRowContext(ctx, copies).Scan(&n); err != nil {
					t.Fatal(err)
				}
			}
			*now = now.Add(time.Hour)
			err = takeOver(ctx, store, tenant)
			close(wake)
			if err != nil {
				t.Fatalf("taking over from a load that sleeps in a COPY = %v, want nil", err)
			}
			if err := <-woken; err == nil {
				t.Error("the COPY of the load that slept succeeds, want an error")
			}
			nothingLeft(t, db)
		})
	}
}

// sleepInCopy locks a tenant's lease and begins a COPY, which continues after wake is closed.
func sleepInCopy(ctx context.Context, db *database.DB, tenant auth.Tenant, wake <-chan bool) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE leases SET transactions = transactions + 1 WHERE tenant_id = ?`, tenant); err != nil {
			return err
		}
		_, err := db.Copy(ctx, conn, "leases", []string{"tenant_id"}, func(func([]any) bool) { <-wake })
		return err
	})
}

// nothingLeft checks that no lease and no block remains.
func nothingLeft(t *testing.T, db *database.DB) {
	t.Helper()
	if l, b := count(t, db, "leases"), count(t, db, "blocks"); l+b != 0 {
		t.Errorf("%d leases and %d blocks are left, want none", l, b)
	}
}

func count(t *testing.T, db *database.DB, table string) int64 {
	t.Helper()
	n, err := db.NewSelect().Table(table).Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCalledOffInCommit tests a load that is cancelled during a commit and so does not know the outcome. No lease
// remains, and its blocks only if it was published. (SQLite does not interrupt a commit.)
func TestCalledOffInCommit(t *testing.T) {
	for i, committed := range []string{"commit of the lease", "commit of the blocks", "commit of the last step"} {
		db := dbtest.Postgres(t)
		store, tenant, _ := newStore(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		over, err := database.Open(t.Context(), muteCommit(t, db.URL, i+1, cancel))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { over.Close() }) // runs after muteCommit has closed its connections
		away := *store
		away.DB, away.Copy = over.DB, over.Copy
		l, err := away.Begin(ctx, tenant, nil)
		if err == nil {
			err = l.Write(ctx, oneBlock(l))
		}
		if err == nil {
			err = publish(ctx, l)
		}
		if err == nil {
			t.Errorf("%s: the cancelled load continues", committed)
		}
		if l != nil {
			err = l.Close(t.Context())
		}
		if i == 2 {
			if n := count(t, db, "leases"); n != 0 || !errors.Is(err, snapshot.ErrLost) {
				t.Errorf("%s: %d leases are left, Close = %v, want none and ErrLost", committed, n, err)
			}
			if text, err := scan(t.Context(), store, tenant, l.Number(), shelf, snapshot.Range{}); err != nil || text == "" {
				t.Errorf("%s: Scan = %q, %v, want the published block", committed, text, err)
			}
			continue
		}
		if l != nil && err != nil {
			t.Errorf("%s: Close = %v, want nil", committed, err)
		}
		nothingLeft(t, db)
	}
}

// oneBlock returns a change that puts one block.
func oneBlock(l *snapshotdb.Load) snapshot.Change {
	return snapshot.BlockChange(l.Tenant(), shelf, nil, slices.Values([]snapshot.Block{{BlockKey: snapshot.BlockKey{A: 1}}}))
}

// muteCommit returns a PostgreSQL URL of a proxy. The proxy forwards the n-th commit, calls done, and drops the answer.
func muteCommit(t *testing.T, to string, n int, done func()) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	var commits atomic.Int64
	pass := func(client, server net.Conn) {
		defer client.Close()
		defer server.Close()
		var mute atomic.Bool
		go func() {
			b := make([]byte, 1<<16)
			for {
				got, err := server.Read(b)
				if err != nil {
					client.Close()
					return
				}
				if mute.Load() { // this is the answer to the commit
					done()
					<-t.Context().Done() // a pool that closes would wait 15 s for a silent connection
					client.Close()
					return
				}
				if _, err := client.Write(b[:got]); err != nil {
					return
				}
			}
		}()
		b := make([]byte, 1<<16)
		for {
			got, err := client.Read(b)
			if err != nil {
				return
			}
			if bytes.Contains(b[:got], []byte("commit\x00")) {
				mute.Store(commits.Add(1) == int64(n))
			}
			if _, err := server.Write(b[:got]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			conn, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			go pass(client, conn)
		}
	}()
	u.Host = ln.Addr().String()
	return u.String()
}

// TestClockPutBack tests that a dead load's lease blocks nobody if the clock was put back by more than that lease.
func TestClockPutBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, now := newStore(t, db)
		start := *now
		dead, err := store.Begin(t.Context(), tenant, nil)
		if err != nil {
			t.Fatal(err)
		}
		dead.Kill()
		for _, test := range []struct {
			back  time.Duration
			waits bool
		}{{time.Minute, true}, {time.Minute + time.Microsecond, false}} {
			*now = start.Add(-test.back)
			ctx, cancel := context.WithCancel(t.Context())
			waited := false
			next, err := store.Begin(ctx, tenant, func() { waited = true; cancel() })
			if cancel(); waited != test.waits || (err == nil) == test.waits {
				t.Errorf("clock put back by %v: Begin waits %t, %v, want %t", test.back, waited, err, test.waits)
			}
			if next != nil {
				if err := next.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
