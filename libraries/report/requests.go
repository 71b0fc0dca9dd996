package report

import (
	"context"
	"unsafe"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Requests answers one page of the suggestion requests, by their instant, then identifier. The rows are shared and must not
// be changed.
func (r *Reports) Requests(ctx context.Context, a Access, q RequestQuery, p paging.Page) (List[libraries.Request], error) {
	q.Period = r.since(q.Period)
	return listed(a, func() (page[libraries.Request], error) {
		all, err := r.requested(ctx, a, q.Period)
		if err != nil || q.Title == nil && q.Author == nil && q.Reader == nil {
			return pageOf(all, p), err
		}
		found, err := state.Load(ctx, r.Cache, key(a, "requests with", q), func(context.Context) (places, error) { return q.find(all), nil })
		if err != nil {
			return page[libraries.Request]{}, err
		}
		return pick(all, pageOf(found, p)), nil
	})
}

// requested returns all requests of a period.
func (r *Reports) requested(ctx context.Context, a Access, p calendar.Period) (requests, error) {
	if p.Start > p.End {
		return nil, nil
	}
	return state.Load(ctx, r.Cache, key(a, "requests", p), func(ctx context.Context) (requests, error) {
		return r.Store.Requests(ctx, a, p)
	})
}

// requests are requests by instant, then identifier.
type requests []libraries.Request

// Bytes returns about the memory that the requests hold.
func (r requests) Bytes() int {
	n := 24 + int(unsafe.Sizeof(libraries.Request{}))*cap(r)
	for i := range r {
		q := &r[i]
		n += len(q.Title) + len(q.Author) + len(q.Publisher) + len(q.SearchTerm)
	}
	return n
}

// find returns the places of the requests that pass the query's filters.
func (q RequestQuery) find(all requests) places {
	title, author := exactly(q.Title), exactly(q.Author)
	var found places
	for i := range all {
		v := &all[i]
		if title(v.Title) && author(v.Author) && (q.Reader == nil || *q.Reader == v.Reader) {
			found = append(found, int32(i))
		}
	}
	return found
}

// exactly returns whether a text is the one asked for, as [libraries.Exact] compares them. A null text is none that can be asked for
// (G7).
func exactly(asked *string) func(text string) bool {
	if asked == nil {
		return func(string) bool { return true }
	}
	want := libraries.Exact(*asked)
	return func(text string) bool { return text != "" && libraries.Exact(text) == want }
}
