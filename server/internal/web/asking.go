package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

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
