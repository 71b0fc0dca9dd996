package authdb_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// limiters returns n limiters that each have a connection pool, as replicas do.
func limiters(tb testing.TB, n int, now func() time.Time) []*authdb.Limiter {
	tb.Helper()
	db := dbtest.Postgres(tb)
	migrate(tb, db)
	list := make([]*authdb.Limiter, n)
	for i := range list {
		replica, err := database.Open(tb.Context(), db.URL)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { replica.Close() })
		list[i] = &authdb.Limiter{DB: replica.DB, Now: now}
	}
	return list
}

// TestLimiterAdmitsExactlyTheLimit tests that three replicas with twelve concurrent requests admit exactly the limit in
// each minute.
func TestLimiterAdmitsExactlyTheLimit(t *testing.T) {
	c := &clock{now: start}
	replicas := limiters(t, 3, c.Now)
	for minute := range 3 {
		c.set(start.Add(time.Duration(minute) * time.Minute))
		var admitted, remaining atomic.Int64
		var wg sync.WaitGroup
		for _, l := range replicas {
			for range 12 {
				wg.Go(func() {
					for range 5 {
						q, err := l.Take(t.Context(), auth.Budget{Tenant: 1, Name: "libraries"}, 60)
						if err != nil {
							t.Error(err)
							return
						}
						if q.OK {
							admitted.Add(1)
							remaining.Add(int64(q.Remaining))
						}
					}
				})
			}
		}
		wg.Wait()
		if n := admitted.Load(); n != 60 {
			t.Errorf("minute %d: %d of 180 requests were admitted, want 60", minute, n)
		}
		// Each of 59 … 0 is reported once.
		if n := remaining.Load(); n != 59*60/2 {
			t.Errorf("minute %d: sum of the returned remainders = %d, want %d", minute, n, 59*60/2)
		}
	}
}

// TestLimiterAgreesWithMemory tests that the shared limiter returns what the limiter in memory returns.
func TestLimiterAgreesWithMemory(t *testing.T) {
	c := &clock{now: start}
	shared := limiters(t, 1, c.Now)[0]
	memory := &auth.MemoryLimiter{Now: c.Now}
	for i, ms := range []int{0, 1, 1000, 29_000, 29_999, 0, 1, 900, 59_000, 120_000, 60_000, 59_999, 1} {
		c.set(c.Now().Add(time.Duration(ms) * time.Millisecond))
		for _, b := range []auth.Budget{{Tenant: 1, Name: "schools/3"}, {Tenant: 1, Name: "it's?"}, {Tenant: auth.Tenant(1 + i%2), Name: "libraries"}} {
			for _, limit := range []int{0, 2, 3} {
				want, _ := memory.Take(t.Context(), b, limit)
				if got, err := shared.Take(t.Context(), b, limit); err != nil || got != want {
					t.Errorf("%v: Take(%v, %d) = %+v, %v, want %+v", c.Now(), b, limit, got, err, want)
				}
			}
		}
	}
}

// TestLimiterTurnOfTheMinute tests requests that reach the row in another order than they read the clock, and clocks
// that are set back.
func TestLimiterTurnOfTheMinute(t *testing.T) {
	c := &clock{}
	l := limiters(t, 1, c.Now)[0]
	next := start.Add(time.Minute)
	for i, step := range []struct {
		at   time.Time
		want auth.Quota // of a limit of 2
	}{
		{next.Add(-time.Millisecond), auth.Quota{Limit: 2, Remaining: 1, Reset: 1, OK: true}},
		{next, auth.Quota{Limit: 2, Remaining: 1, Reset: 60, OK: true}},
		{next.Add(-time.Millisecond), auth.Quota{Limit: 2, Remaining: 0, Reset: 60, OK: true}}, // late: counts in the later minute
		{next.Add(time.Second), auth.Quota{Limit: 2, Remaining: 0, Reset: 59}},
		{next.Add(-time.Minute), auth.Quota{Limit: 2, Remaining: 0, Reset: 59}},                                   // a minute late: still counts in the later minute
		{next.Add(-time.Minute - time.Millisecond), auth.Quota{Limit: 2, Remaining: 1, Reset: 1, OK: true}},       // the clock was set back: the count starts again
		{next.Add(59*time.Second + 999*time.Millisecond), auth.Quota{Limit: 2, Remaining: 1, Reset: 1, OK: true}}, // two minutes later
		{next.Add(24*time.Hour + 30*time.Second), auth.Quota{Limit: 2, Remaining: 1, Reset: 30, OK: true}},        // a day later
		{next.Add(24*time.Hour + 30*time.Second), auth.Quota{Limit: 2, Remaining: 0, Reset: 30, OK: true}},
	} {
		c.set(step.at)
		if got, err := l.Take(t.Context(), auth.Budget{Tenant: 1, Name: "b"}, 2); err != nil || got != step.want {
			t.Errorf("step %d: Take at %v = %+v, %v, want %+v", i, step.at, got, err, step.want)
		}
	}
}

// TestLimiterClockOfTheDatabase tests that the database's own clock gives a quota for the current minute.
func TestLimiterClockOfTheDatabase(t *testing.T) {
	l := limiters(t, 1, nil)[0]
	q, err := l.Take(t.Context(), auth.Budget{Tenant: 1, Name: "b"}, 2)
	if err != nil || q.Remaining != 1 || !q.OK || q.Reset < 1 || q.Reset > 60 {
		t.Errorf("Take = %+v, %v, want the first of 2 requests of the minute", q, err)
	}
	var off int64
	err = l.DB.NewRaw(`SELECT abs(extract(epoch FROM clock_timestamp()) * 1000 - taken)::bigint FROM rates WHERE tenant_id = 1`).Scan(t.Context(), &off)
	if err != nil || off > 60_000 {
		t.Errorf("the stored time is %d ms off the database's clock, %v", off, err)
	}
}

// TestLimiterKeepsTheCommitSetting tests that only the transaction of a request's count does not wait for the disk.
func TestLimiterKeepsTheCommitSetting(t *testing.T) {
	l := limiters(t, 1, nil)[0]
	l.DB.SetMaxOpenConns(1)
	if _, err := l.DB.ExecContext(t.Context(), `SET synchronous_commit = on`); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Take(t.Context(), auth.Budget{Tenant: 1, Name: "b"}, 2); err != nil {
		t.Fatal(err)
	}
	var after string
	if err := l.DB.NewRaw(`SHOW synchronous_commit`).Scan(t.Context(), &after); err != nil || after != "on" {
		t.Errorf("synchronous_commit after a request = %q, %v, want on", after, err)
	}
}
