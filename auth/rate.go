package auth

import (
	"context"
	"sync"
	"time"
)

// Budget names a rate limit that several keys of a tenant may share. See [Key.RateBudget].
type Budget struct {
	Tenant Tenant
	Name   string // such as "schools/3" or "libraries"
}

// Quota is the answer to a request for a place in the current minute. If Limit is 0 there is no limit, and a response
// shows none of the fields (H6).
type Quota struct {
	Limit     int  // requests a minute; 0 = no limit
	Remaining int  // requests left in this minute, never below 0
	Reset     int  // seconds to the end of the minute, rounded up, at least 1
	OK        bool // whether the request is allowed
}

// Limiter counts requests in full minutes of the clock (H6).
//
// Take counts one request on b and reports whether it is within limit. With a limit of 0 or less it counts nothing, and
// returns a Quota that is zero except for OK. A refused request counts too. An error means that the count is not known.
//
// Implementations are safe for concurrent use, and never allow more than limit requests of one budget in one minute.
type Limiter interface {
	Take(ctx context.Context, b Budget, limit int) (Quota, error)
}

// NewQuota returns the quota of the count-th request in the minute of now. It is for implementations of [Limiter].
func NewQuota(now time.Time, count int64, limit int) Quota {
	const minute = int64(time.Minute / time.Millisecond)
	left := minute - now.UnixMilli()%minute
	return Quota{
		Limit:     limit,
		Remaining: int(max(0, int64(limit)-count)),
		Reset:     int((left + 999) / 1000),
		OK:        count <= int64(limit),
	}
}

// MemoryLimiter is a [Limiter] that counts in this process. The zero value is ready to use. It keeps the budgets of one
// minute only, and drops them when the next begins.
type MemoryLimiter struct {
	Now func() time.Time // nil = time.Now

	mu     sync.Mutex
	minute int64 // since 1970, of counts
	counts map[Budget]int64
}

var _ Limiter = (*MemoryLimiter)(nil)

// Take implements [Limiter]. It never fails and ignores its context. If the clock is set back, the count begins again.
func (l *MemoryLimiter) Take(_ context.Context, b Budget, limit int) (Quota, error) {
	if limit <= 0 {
		return Quota{OK: true}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()

	now := time.Now // called under the lock, so that minutes come in order
	if l.Now != nil {
		now = l.Now
	}
	at := now()
	if m := at.Unix() / 60; m != l.minute || l.counts == nil {
		l.minute, l.counts = m, make(map[Budget]int64)
	}
	l.counts[b]++
	return NewQuota(at, l.counts[b], limit), nil
}
