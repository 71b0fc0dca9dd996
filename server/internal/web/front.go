package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Keys checks the keys of a reporting API.
type Keys interface {
	// Check returns who asks with the key of a text. The error is one of RefuseKey, or ErrKey, for every key that is not good.
	Check(ctx context.Context, text string) (Caller, error)
}

// Front stands before the routes of a reporting API. All of it but a limit must be set.
type Front struct {
	Keys    Keys
	Limit   Limit
	Pulls   Pulls
	Answers *Answers
	// Day returns the day of a snapshot.
	Day func(state.Snapshot) calendar.Date
}

// Checked makes the checks that stand between the method and the parameters of a route, given by its pattern, and then answers
// or fails with the error of the answer.
func (f *Front) Checked(route string, answer func(http.ResponseWriter, *http.Request, Caller) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, trace, key := r.Context(), TraceOf(r.Context()), KeyText(r.Header)
		trace.Route = route
		trace.Claim(auth.ParseKey(key))
		c, err := f.Keys.Check(ctx, key)
		if err == nil {
			trace.Tenant = int64(c.Tenant)
			err = f.Limit.Spend(ctx, w, c.Spends)
		}
		if err == nil {
			err = answer(w, r, c)
		}
		if err != nil {
			Fail(w, r, err)
		}
	})
}

// Limit is how many requests a minute a budget has, counted by a limiter; 0 sets no limit (H6).
type Limit struct {
	auth.Limiter
	Rate int
}

// Spend takes a request from a budget, and shows in its headers, and in those of the IETF draft, what is left of it, which every answer past the key check
// carries. The error is a *Problem where nothing is left.
func (l Limit) Spend(ctx context.Context, w http.ResponseWriter, b auth.Budget) error {
	q, err := l.Take(ctx, b, l.Rate)
	if err != nil {
		return err
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
		return TooMany(q.Reset)
	}
	return nil
}

// KeyText returns the API key that a request was sent with. X-Api-Key decides where both headers are sent, even empty
// (H5). A header that is sent twice is none.
func KeyText(h http.Header) string {
	if keys := h.Values("X-Api-Key"); len(keys) > 0 {
		return single(keys)
	}
	scheme, key, _ := strings.Cut(single(h.Values("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

func single(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
