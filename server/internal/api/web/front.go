package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
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
	Day func(snapshot.Snapshot) calendar.Date
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
	if _, told := errors.AsType[*Problem](err); err == nil || told || !reads || !TraceOf(r.Context()).unavailable(r.Context(), err) {
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

// Route is a route of a reporting API, which answers GET: what the document says of it, and how it reads a request.
type Route struct {
	Path            string // under the API's prefix
	ID, Tag, Schema string // the names of the operation, of the group that it is in, and of the schema of its answer
	Summary, About  string // what it is, in a few words and in sentences
	// Read reads all parameters but those that name a state, as of a day, and returns what answers them. Invalid ones have
	// their messages in the query then.
	Read func(q *Query, today calendar.Date) Reply
	// Vocabulary are the names that are valid though they are not read (H3).
	Vocabulary []string
}

// Params returns the parameters that the route reads, snapshot and changedSince as the last.
func (rt Route) Params() []Param {
	q := &Query{described: true}
	new(Front).read(q, request{Route: rt}, snapshot.Snapshot{}, 0)
	return q.params()
}

// Sample returns an answer with no values that count, whose members the function writes, and whether it is a list of rows.
func (rt Route) Sample() (members func(*wire.Writer), rows bool) {
	p := rt.Read(NewQuery("", nil), 0)
	return func(w *wire.Writer) { p.write(w, p.Sample, time.Time{}) }, p.Rows
}

// request is a request of a caller, which may be read as of several days.
type request struct {
	Route
	Caller
	query string // as it was sent
}

// Get returns the handler of a route under a prefix. A request is answered from the state that it names, from that of the first
// page of its pull, or from that of now (H12).
func (f *Front) Get(prefix string, route Route) http.Handler {
	return f.Checked(prefix+route.Path, func(w http.ResponseWriter, r *http.Request, c Caller) error {
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
func (f *Front) ask(r request, at snapshot.Snapshot, today calendar.Date) (Reply, error) {
	q := NewQuery(r.query, r.Vocabulary)
	return f.read(q, r, at, today), q.Err()
}

// read reads the parameters of a request as of a day, or of that of its snapshot.
func (f *Front) read(q *Query, r request, at snapshot.Snapshot, today calendar.Date) Reply {
	s := States{Caller: r.Caller, At: at}
	if given, _ := s.snapshot(q, SnapshotParam, aboutSnapshot); given != nil {
		s.At, s.Given, today = *given, true, f.Day(*given)
	}
	p := r.Read(q, today)
	route := fmt.Sprintf("%s %d", r.Path, s.Network)
	sum := sha256.Sum256([]byte(route + q.asked("page", "pageSize", SnapshotParam)))
	s.query = snapshot.Query(sum[:8])
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

// Pulls keeps which state the pages of a query are answered from, and says which states are kept (H12). The errors are of the
// database, but for snapshot.ErrGone.
type Pulls interface {
	// KeptFrom returns since when the facts of a state held, or snapshot.ErrGone where the state is no longer kept.
	KeptFrom(ctx context.Context, t auth.Tenant, at snapshot.Versions) (time.Time, error)
	// BeginPull notes that a query's first page was answered from a state.
	BeginPull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error
	// Pull returns the state from which the later pages of a query are answered, if its first page was asked within 24 hours. The
	// present state is that of now.
	Pull(ctx context.Context, k snapshot.PullKey, present snapshot.Snapshot, now time.Time) (at snapshot.Snapshot, ok bool, err error)
	// UsePull notes that a state is read by its snapshot, so that it is kept like that of a pull.
	UsePull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error
}

// Caller is who asks, as the check of the key saw it.
type Caller struct {
	Tenant  auth.Tenant
	Network int64             // of the partner's networks the one that the key is for, 0 for a key of another API
	Spends  auth.Budget       // what the caller's requests count on
	Budget  int64             // the number of the first key of the chain of rotations, whose keys share pulls
	Secret  []byte            // what the tenant's snapshots are sealed by
	Time    time.Time         // of the clock that judged the key
	Now     snapshot.Snapshot // the state of now, and the day or the hour that it is
	From    time.Time         // since when the facts of that state have held; zero before the first load
	// Counted is the quota of the request where it was counted with the check of the key, else nil.
	Counted *auth.Quota
	// Erasures is the number that grows whenever people are erased from the tenant's states.
	Erasures int64
}

// The headers and parameters of pulls.
const (
	// SnapshotHeader names the state that an answer was made of.
	SnapshotHeader = "X-Snapshot"
	// SnapshotParam asks for the answers of that state; it stands last in the table of every route, but for SinceParam.
	SnapshotParam = "snapshot"
	// SinceParam asks for what has changed since another state (H14).
	SinceParam = "changedSince"
)

// Snapshot is the schema of the text that names a state.
var Snapshot = wire.Object{"type", "string", "minLength", 1, "pattern", `^[A-Za-z0-9_.-]+$`}

const aboutSnapshot = "The X-Snapshot of an earlier answer: answers as then, from the same state of the data and with the same defaults of the period."

// ErrGone refuses a state that is no longer kept. It is never changed.
var ErrGone = &Problem{Status: http.StatusGone, Message: "that snapshot is no longer kept; begin the pull again"}

const aboutSince = "The X-Snapshot of an earlier pull of the same query, of which a copy is kept: lists the rows that may differ from it, and by their key alone those that have left it. A period must be given then. 410: pull anew."

// States are the states that a caller's request names, and the one that it is answered from.
type States struct {
	Caller
	At    snapshot.Snapshot  // of the answer
	Given bool               // At is that of snapshot
	Since *snapshot.Snapshot // of an earlier answer to the query; nil but with changedSince

	query snapshot.Query // as it was asked
}

// readSince reads the parameter changedSince. With it, what the route reads of a period must be given: its defaults are others on
// another day.
func (s *States) readSince(q *Query, period bool) {
	since, of := s.snapshot(q, SinceParam, aboutSince)
	switch {
	case since == nil:
	case period && (q.values["startDate"] == nil || q.values["endDate"] == nil):
		q.Fail(SinceParam, "startDate and endDate must be given with "+SinceParam)
	case q.Err() != nil: // then it is not known which query this is
	case of != s.query || s.Given && (since.Registers > s.At.Registers || since.Facts > s.At.Facts):
		q.Fail(SinceParam, notASnapshot(SinceParam))
	}
	s.Since = since
}

// notASnapshot is the message for a parameter that is not what an earlier answer had.
func notASnapshot(name string) string {
	message := name + " must be the " + SnapshotHeader + " of an earlier answer"
	if name == SinceParam {
		message += " to this query"
	}
	return message
}

// snapshot returns the snapshot that a parameter names and the query that its answer was to, nil where it is absent or none of
// the tenant's.
func (c Caller) snapshot(q *Query, name, about string) (*snapshot.Snapshot, snapshot.Query) {
	text, ok := q.take(Param{Name: name, About: about}, func() wire.Object { return Snapshot })
	if !ok {
		return nil, snapshot.Query{}
	}
	at, of, err := snapshot.ParseSnapshot(text, c.Tenant, c.Secret)
	if err != nil {
		q.Fail(name, notASnapshot(name))
		return nil, of
	}
	q.say(name, text)
	return &at, of
}

// pullKey names a pull of the caller's by its query, a text of any length.
func (c Caller) pullKey(query string) snapshot.PullKey {
	return snapshot.PullKey{Tenant: c.Tenant, Budget: c.Budget, Query: digest([]byte(query))}
}

// Report runs a report on the states, and tells it since when the facts of the answer's have held. Those that the request names are
// used as those of pulls then. The error is ErrGone where one of them is not kept.
func (s States) Report(ctx context.Context, p Pulls, report func(from time.Time) error) error {
	if s.Given {
		report = s.using(ctx, p, s.At, report)
	}
	if s.Since == nil {
		return s.kept(ctx, p, s.At, report)
	}
	report = s.using(ctx, p, *s.Since, report)
	return explainGone(s.kept(ctx, p, *s.Since, func(time.Time) error { return s.kept(ctx, p, s.At, report) }))
}

// using notes that a state is read by its snapshot, once it is known to be kept, before a report.
func (c Caller) using(ctx context.Context, p Pulls, at snapshot.Snapshot, report func(time.Time) error) func(time.Time) error {
	return func(from time.Time) error {
		if err := p.UsePull(ctx, c.pullKey(fmt.Sprintf("%s %+v", SnapshotParam, at)), at, c.Time); err != nil {
			return err
		}
		return report(from)
	}
}

// kept runs a report on a state. The error is ErrGone where the state is not one that is kept, from before the report's first
// statement to after its last: it may have read what was being removed.
func (c Caller) kept(ctx context.Context, p Pulls, at snapshot.Snapshot, report func(from time.Time) error) error {
	if at.Versions == c.Now.Versions {
		return report(c.From)
	}
	from, err := p.KeptFrom(ctx, c.Tenant, at.Versions)
	if err != nil {
		return explainGone(err)
	}
	failed := report(from)
	if _, err = p.KeptFrom(ctx, c.Tenant, at.Versions); errors.Is(err, snapshot.ErrGone) {
		return ErrGone
	}
	return cmp.Or(failed, err)
}

// explainGone returns ErrGone for a state that cannot be read, and for a round that is as long as a pull (H14).
func explainGone(err error) error {
	if errors.Is(err, snapshot.ErrGone) || errors.Is(err, incremental.ErrMany) {
		return ErrGone
	}
	return err
}

// ShowSnapshot sets the header that names the state of an answer that is 200 or 304.
func (s States) ShowSnapshot(w http.ResponseWriter) {
	w.Header().Set(SnapshotHeader, s.At.Text(s.query, s.Tenant, s.Secret))
}
