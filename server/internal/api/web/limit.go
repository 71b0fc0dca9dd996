package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/lectern-dev/lectern/auth"
)

// Limit counts the requests of a budget, and allows Rate of them a minute; 0 sets no limit (H6).
type Limit struct {
	auth.Limiter
	Rate int
	// Refused, if not nil, is called for each request that is refused.
	Refused func()
}

// Spend takes a request from a budget, unless it was counted already, and returns the quota. It sets the API's own headers and
// those of the IETF draft, which every answer past the key check has. The error is a *Problem if nothing is left.
func (l Limit) Spend(ctx context.Context, w http.ResponseWriter, b auth.Budget, counted *auth.Quota) (*auth.Quota, error) {
	q := counted
	if q == nil {
		taken, err := l.Take(ctx, b, l.Rate)
		if err != nil {
			return nil, err
		}
		q = &taken
	}
	if q.Limit > 0 {
		h := w.Header()
		h.Set("X-Ratelimit-Limit-Public-Default", strconv.Itoa(q.Limit))
		h.Set("X-Ratelimit-Remaining-Public-Default", strconv.Itoa(q.Remaining))
		h.Set("X-Ratelimit-Reset-Public-Default", strconv.Itoa(q.Reset))
		h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=60`, q.Limit))
		h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, q.Remaining, q.Reset))
	}
	if !q.OK {
		if l.Refused != nil {
			l.Refused()
		}
		return q, TooMany(q.Reset)
	}
	return q, nil
}
