package auth_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

func ExampleMemoryLimiter() {
	now := time.Date(2026, 11, 21, 10, 0, 58, 0, time.UTC)
	limiter := &auth.MemoryLimiter{Now: func() time.Time { return now }}
	key := auth.Key{Tenant: 7, API: auth.Schools, Budget: 3}
	for range 4 {
		quota, _ := limiter.Take(context.Background(), key.RateBudget(), 2)
		fmt.Println(now.Format("05"), quota.OK, quota.Remaining, quota.Reset)
		now = now.Add(700 * time.Millisecond)
	}
	// Output:
	// 58 true 1 2
	// 58 true 0 2
	// 59 false 0 1
	// 00 true 1 60
}

func TestNewQuota(t *testing.T) {
	for _, test := range []struct {
		name  string
		at    string // seconds into the minute
		count int64
		limit int
		want  auth.Quota
	}{
		{"First", "00.000", 1, 30, auth.Quota{Limit: 30, Remaining: 29, Reset: 60, OK: true}},
		{"Last", "00.001", 30, 30, auth.Quota{Limit: 30, Remaining: 0, Reset: 60, OK: true}},
		{"OneTooMany", "01.000", 31, 30, auth.Quota{Limit: 30, Remaining: 0, Reset: 59}},
		{"FarTooMany", "58.999", 1 << 40, 30, auth.Quota{Limit: 30, Remaining: 0, Reset: 2}},
		{"LastSecond", "59.000", 1, 1, auth.Quota{Limit: 1, Remaining: 0, Reset: 1, OK: true}},
		{"LastMillisecond", "59.999", 1, 60, auth.Quota{Limit: 60, Remaining: 59, Reset: 1, OK: true}},
		{"BelowAMillisecond", "59.9999", 1, 60, auth.Quota{Limit: 60, Remaining: 59, Reset: 1, OK: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			now, err := time.Parse("15:04:05", "10:07:"+test.at)
			if err != nil {
				t.Fatal(err)
			}
			now = now.AddDate(2026, 0, 0)
			if got := auth.NewQuota(now, test.count, test.limit); got != test.want {
				t.Errorf("NewQuota(%s, %d, %d) = %+v, want %+v", test.at, test.count, test.limit, got, test.want)
			}
		})
	}
}

func TestTakeWithoutLimit(t *testing.T) {
	limiter := &auth.MemoryLimiter{}
	b := auth.Budget{Tenant: 1, Name: "directory/1"}
	for _, limit := range []int{0, -1} {
		if q, err := limiter.Take(t.Context(), b, limit); err != nil || q != (auth.Quota{OK: true}) {
			t.Errorf("Take with limit %d = %+v, %v, want only OK set", limit, q, err)
		}
	}
	if q, _ := limiter.Take(t.Context(), b, 1); !q.OK {
		t.Error("Take counted requests without a limit")
	}
}

func TestBudgetsAreApart(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	limiter := &auth.MemoryLimiter{Now: func() time.Time { return now }}
	for _, b := range []auth.Budget{{1, "schools/3"}, {1, "schools/4"}, {2, "schools/3"}, {1, "libraries"}} {
		if q, _ := limiter.Take(t.Context(), b, 1); !q.OK {
			t.Errorf("first request of %v was refused", b)
		}
		if q, _ := limiter.Take(t.Context(), b, 1); q.OK {
			t.Errorf("second request of %v was admitted", b)
		}
	}
}

func TestMemoryLimiterClockSetBack(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	limiter := &auth.MemoryLimiter{Now: func() time.Time { return now }}
	b := auth.Budget{Tenant: 1, Name: "libraries"}
	limiter.Take(t.Context(), b, 1)
	now = now.Add(-time.Hour)
	if q, _ := limiter.Take(t.Context(), b, 1); !q.OK {
		t.Error("a clock set back by an hour blocks the budget")
	}
}

func TestMemoryLimiterConcurrently(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	limiter := &auth.MemoryLimiter{Now: func() time.Time { return now }}
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			for range 40 {
				if q, _ := limiter.Take(t.Context(), auth.Budget{Tenant: 1, Name: "libraries"}, 100); q.OK {
					admitted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 100 {
		t.Errorf("%d of 480 requests were admitted, want 100", n)
	}
}
