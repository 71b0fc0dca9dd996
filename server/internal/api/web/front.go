package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Keys checks the keys of a reporting API.
type Keys interface {
	// Check returns the caller with the key of a text. If count is true, it may count the request in the same round trip. The
	// error is one of RefuseKey, or ErrKey, for every key that is not valid. A Caller beside another error may have a Counted
	// quota.
	Check(ctx context.Context, text string, count bool) (Caller, error)
}

// Caller is the owner of a key, as the key check saw it.
type Caller struct {
	Tenant  auth.Tenant
	Network int64             // of the partner's networks the one that the key is for, 0 for a key of another API
	Spends  auth.Budget       // what the caller's requests count on
	Budget  int64             // the number of the first key of the chain of rotations, whose keys share pulls
	Secret  []byte            // what the tenant's snapshots are sealed by
	Time    time.Time         // of the clock that judged the key
	Now     snapshot.Snapshot // the current snapshot, and its day or hour
	From    time.Time         // since when its facts are current; zero before the first load
	// Counted is the quota of the request if it was counted with the key check, else nil.
	Counted *auth.Quota
	// Erasures grows whenever people are erased from the tenant's snapshots.
	Erasures int64
}

// Front makes the checks in front of the routes of a reporting API. All fields but the rate of Limit must be set.
type Front struct {
	Keys    Keys
	Limit   Limit
	Pulls   Pulls
	Answers *Answers
	// Day returns the day of a snapshot.
	Day func(snapshot.Snapshot) calendar.Date
}

// Checked makes the checks between method and parameters of a route, which its pattern names. It then calls answer, or fails with
// the error of answer.
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

// Retry calls answer, and calls it once more if trouble with the database kept a read from its answer (H13): a connection may be
// broken since before a restart, and the next one whole. A write is never repeated, since a COMMIT whose answer was lost may have
// been carried out. Nor is a request with a body, which has been read. answer must send nothing if it returns an error.
func Retry(r *http.Request, answer func() error) error {
	err := answer()
	reads := (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength == 0
	if _, told := errors.AsType[*Problem](err); err == nil || told || !reads || !TraceOf(r.Context()).unavailable(r.Context(), err) {
		return err
	}
	return answer()
}

// KeyText returns the API key that a request was sent with. If both headers are sent, X-Api-Key decides, even if it is empty
// (H5). A header that is sent twice counts as none.
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

// Route is a GET route of a reporting API: what the document says of it, and how it reads a request.
type Route struct {
	Path            string // under the API's prefix
	ID, Tag, Schema string // the names of the operation, of the group that it is in, and of the schema of its answer
	Summary, About  string // what it is, in a few words and in sentences
	// Read reads all parameters but those that name a snapshot, as of a day, and returns their reply. The query then has the
	// messages of invalid ones.
	Read func(q *Query, today calendar.Date) Reply
	// Vocabulary are parameters that are valid although the route does not read them (H3).
	Vocabulary []string
}

// Params returns the parameters that the route reads; snapshot and changedSince are the last.
func (rt Route) Params() []Param {
	q := NewQuery("", nil)
	new(Front).read(q, request{Route: rt}, snapshot.Snapshot{}, 0)
	return q.params()
}

// Sample returns a function that writes the members of a made-up answer, and whether the answer is a list of rows.
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

// Get returns the handler of a route under a prefix. A request is answered from the snapshot that it names, from that of its
// pull's first page, or from the current one (H12).
func (f *Front) Get(prefix string, route Route) http.Handler {
	return f.Checked(prefix+route.Path, func(w http.ResponseWriter, r *http.Request, c Caller) error {
		p, err := f.reply(r.Context(), request{route, c, r.URL.RawQuery})
		if err != nil {
			return err
		}
		found, err := f.Find(r, p)
		begins := !p.Given && p.Page != nil && p.Page.Number == 1
		if err == nil && begins && found.body.total > int64(p.Page.Size) { // a pull by page, noted before anything is sent
			err = f.Pulls.BeginPull(r.Context(), p.pullKey(p.pull), p.At, p.Time)
		}
		if err != nil {
			return err
		}
		found.Send(w, r)
		return nil
	})
}

// reply returns the reply to a request. A later page is read as of the day of its pull, which may have begun yesterday, when the
// default period was another: two queries are the same if they read the same on the day of the first page.
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
		at, from, ok, err := f.Pulls.Pull(ctx, r.pullKey(p.pull), r.Now, r.Time)
		if err != nil {
			return p, err
		}
		if then, err := f.ask(r, at, f.Day(at)); ok && err == nil && then.pull == p.pull {
			then.from = from
			return then, nil
		}
	}
	return now, invalid
}

// ask reads a request as of a snapshot and a day; the error is about its parameters.
func (f *Front) ask(r request, at snapshot.Snapshot, today calendar.Date) (Reply, error) {
	q := NewQuery(r.query, r.Vocabulary)
	return f.read(q, r, at, today), q.Err()
}

// read reads the parameters of a request as of a day, or of the day of the snapshot that it names.
func (f *Front) read(q *Query, r request, at snapshot.Snapshot, today calendar.Date) Reply {
	s := Snapshots{Caller: r.Caller, At: at}
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
	p.Snapshots = s
	p.Of = fmt.Sprintf("%s %s %v%s", route, p.Of, p.Period, q.asked(SnapshotParam))
	p.pull = fmt.Sprintf("%s %v%s", route, p.Period, q.asked("page", SnapshotParam, "startDate", "endDate"))
	return p
}
