package web

import (
	"context"
	"crypto/sha256"
	"errors"
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
	// Check returns who asks with the key of a text. Where count is true, it may count the request at once. The error is one of
	// RefuseKey, or ErrKey, for every key that is not good; with another error a Caller may say that the request was counted.
	Check(ctx context.Context, text string, count bool) (Caller, error)
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
		var counted *auth.Quota // once, however often the request is answered
		err := Retry(r, func() error {
			c, err := f.Keys.Check(ctx, key, counted == nil)
			if counted == nil {
				counted = c.Counted
			}
			if err != nil {
				return err
			}
			trace.Tenant = int64(c.Tenant)
			if counted, err = f.Limit.Spend(ctx, w, c.Spends, counted); err != nil {
				return err
			}
			return answer(w, r, c)
		})
		if err != nil {
			Fail(w, r, err)
		}
	})
}

// Retry answers a request, and does so once more where trouble with the database kept one that reads from its answer (H13): a
// connection may be a broken one of before a restart, and the next one whole. Others are never repeated, since a COMMIT whose
// answer was lost may have been carried out; nor is a request with a body, which has been read. Nothing is sent with an error.
func Retry(r *http.Request, answer func() error) error {
	err := answer()
	reads := (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength == 0
	if _, told := errors.AsType[*Problem](err); err == nil || told || !reads || !TraceOf(r.Context()).trouble(r.Context(), err) {
		return err
	}
	return answer()
}

// Limit is how many requests a minute a budget has, counted by a limiter; 0 sets no limit (H6).
type Limit struct {
	auth.Limiter
	Rate int
	// Refused is told of each request that is refused; nil is told of none.
	Refused func()
}

// Spend takes a request from a budget, unless it was counted before, and returns its quota. What is left is shown in the API's own
// headers and in those of the IETF draft, which every answer past the key check carries. The error is a *Problem where nothing is
// left.
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

// Asking is how a route reads its parameters.
type Asking struct {
	// Read reads all parameters but those that name a state, as of a day, and returns what answers them. Invalid ones have
	// their messages in the query then.
	Read func(q *Query, today calendar.Date) Reply
	// Vocabulary are the names that are valid though they are not read (H3).
	Vocabulary []string
}

// request is a request of a caller, which may be read as of several days.
type request struct {
	Asking
	Caller
	query string // as it was sent
}

// Get returns the handler of a route under its whole path. A request is answered from the state that it names, from that of the
// first page of its pull, or from that of now (H12).
func (f *Front) Get(path string, route Asking) http.Handler {
	return f.Checked(path, func(w http.ResponseWriter, r *http.Request, c Caller) error {
		p, err := f.reply(r.Context(), request{route, c, r.URL.RawQuery})
		if err != nil {
			return err
		}
		found, err := f.Find(r, p)
		if err == nil && p.begins(found.Total) { // before anything is sent
			err = f.Pulls.BeginPull(r.Context(), p.pullKey(p.pull), p.At, p.Time)
		}
		if err != nil {
			return err
		}
		found.Send(w, r)
		return nil
	})
}

// reply returns what answers a request. A later page is asked as of the day of its pull, which may have begun yesterday, when
// the defaults of the period were others: a query is the same as long as it reads the same on the day of its first page.
func (f *Front) reply(ctx context.Context, r request) (Reply, error) {
	today := f.Day(r.Now)
	now, invalid := f.ask(r, r.Now, today)
	if now.Given || now.Page == nil || now.Page.Number == 1 {
		return now, invalid
	}
	for _, day := range []calendar.Date{today, today - 1} {
		p, err := f.ask(r, r.Now, day)
		if err != nil || day != today && invalid == nil && p.pull == now.pull {
			continue
		}
		at, ok, err := f.Pulls.Pull(ctx, r.pullKey(p.pull), r.Now, r.Time)
		if err != nil {
			return p, err
		}
		if then, err := f.ask(r, at, f.Day(at)); ok && err == nil && then.pull == p.pull {
			return then, nil
		}
	}
	return now, invalid
}

// ask reads a request as one of a state and a day; the error is of its parameters.
func (f *Front) ask(r request, at state.Snapshot, today calendar.Date) (Reply, error) {
	q := NewQuery(r.query, r.Vocabulary)
	return f.read(q, r, at, today), q.Err()
}

// read reads the parameters of a request as of a day, or of that of its snapshot.
func (f *Front) read(q *Query, r request, at state.Snapshot, today calendar.Date) Reply {
	s := States{Caller: r.Caller, At: at}
	if given, _ := s.snapshot(q, SnapshotParam, aboutSnapshot); given != nil {
		s.At, s.Given, today = *given, true, f.Day(*given)
	}
	p := r.Read(q, today)
	route := fmt.Sprintf("%s %d", p.Route, s.Network)
	sum := sha256.Sum256([]byte(route + q.asked("page", "pageSize", SnapshotParam)))
	s.query = state.Query(sum[:8])
	if p.Changes {
		s.readSince(q, p.Period != nil)
	}
	p.States = s
	p.Of = fmt.Sprintf("%s %s %v%s", route, p.Of, p.Period, q.asked(SnapshotParam))
	p.pull = fmt.Sprintf("%s %v%s", route, p.Period, q.asked("page", SnapshotParam, "startDate", "endDate"))
	return p
}

// begins reports whether an answer of so many rows in all is the first page of a pull by page.
func (p Reply) begins(total int64) bool {
	return !p.Given && p.Page != nil && p.Page.Number == 1 && total > int64(p.Page.Size)
}
