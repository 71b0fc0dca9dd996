package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/lectern-dev/lectern/auth"
)

// Spend takes a request from a budget of so many a minute, and shows what is left of it. The error is a *Problem where
// nothing is left.
func Spend(ctx context.Context, w http.ResponseWriter, limiter auth.Limiter, budget auth.Budget, rate int) error {
	quota, err := limiter.Take(ctx, budget, rate)
	if err != nil {
		return err
	}
	ShowQuota(w, quota)
	if !quota.OK {
		return TooMany(quota.Reset)
	}
	return nil
}

// ShowQuota sets the three headers of H6, which every answer past the key check carries. A limit of 0 shows none.
func ShowQuota(w http.ResponseWriter, q auth.Quota) {
	if q.Limit == 0 {
		return
	}
	h := w.Header()
	h.Set("X-Ratelimit-Limit-Public-Default", strconv.Itoa(q.Limit))
	h.Set("X-Ratelimit-Remaining-Public-Default", strconv.Itoa(q.Remaining))
	h.Set("X-Ratelimit-Reset-Public-Default", strconv.Itoa(q.Reset))
}
