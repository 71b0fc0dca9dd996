package auth

import (
	"context"
	"sync"
	"time"
)

// Budget names what shares one rate: the requests of a tenant that count
// together. See [Key.RateBudget].
type Budget struct {
	Tenant Tenant
	Name   string // such as "schools/3" or "libraries"
}

// Quota is the answer to one request for a place in the current minute. The zero
// Quota but for OK means that there is no limit; nothing is to be shown then (H6).
type Quota struct {
	Limit     int  // requests a minute; 0 = no limit
	Remaining int  // requests left in this minute, never below 0
	Reset     int  // seconds to the end of the minute, rounded up, at least 1
	OK        bool // whether this request may go on
}

// Limiter counts requests in full minutes (H6).
//
// Take counts one request on b and reports whether it is within limit. A limit
// of 0 or less lifts it: the Quota then is zero but for OK, nothing is counted
// and the error is nil. An error means that the count is unknown. A refused
// request is counted too, which changes nothing: the minute is spent already.
//
// Implementations are safe for concurrent use and never admit more than limit
// requests of one budget in one minute.
type Limiter interface {
	Take(ctx context.Context, b Budget, limit int) (Quota, error)
}

// NewQuota is the quota of the count-th request of the minute that holds now.
// It is for implementations of [Limiter].
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

// MemoryLimiter is a [Limiter] that counts in this process. The zero value is
// ready to use. It holds the budgets of one minute alone and drops them together
// when the next begins, so that its memory is bounded by the distinct budgets
// used in a minute.
type MemoryLimiter struct {
	Now func() time.Time // nil = time.Now

	mu     sync.Mutex
	minute int64 // since 1970, of counts
	counts map[Budget]int64
}

var _ Limiter = (*MemoryLimiter)(nil)

// Take implements [Limiter]. It never fails and does not look at ctx. When the
// clock is set back to an earlier minute, that minute starts afresh.
func (l *MemoryLimiter) Take(_ context.Context, b Budget, limit int) (Quota, error) {
	if limit <= 0 {
		return Quota{OK: true}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()

	now := l.now() // under the lock, so that minutes come in order
	if m := now.Unix() / 60; m != l.minute || l.counts == nil {
		l.minute, l.counts = m, make(map[Budget]int64)
	}
	l.counts[b]++
	return NewQuota(now, l.counts[b], limit), nil
}

func (l *MemoryLimiter) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}
