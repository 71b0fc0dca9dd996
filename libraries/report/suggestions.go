package report

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unsafe"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// SuggestionQuery has the parameters of the dataset suggestions.
type SuggestionQuery struct {
	Period calendar.Period
	Search *string
}

// SuggestionRow is one row of the dataset suggestions. Empty texts are null.
type SuggestionRow struct {
	Title, Author, Publisher, SearchTerm string
	Requests, Readers                    int64
	Availability                         libraries.Availability
	Last                                 time.Time
}

// suggestion is a row and the texts that it is grouped, ordered and searched by.
type suggestion struct {
	SuggestionRow
	folded suggestionKey
}

// suggestionKey has the folded texts that all requests of one suggestion share. A text that folds to nothing counts as
// null.
type suggestionKey struct{ title, author, publisher, term string }

// RequestQuery has the parameters of the dataset suggestion-requests. Title and Author are compared by
// [libraries.Exact].
type RequestQuery struct {
	Period        calendar.Period
	Title, Author *string
	Reader        *int64
}

// Suggestions answers one page of the suggested titles (L14). The rows are shared and must not be changed.
func (r *Reports) Suggestions(ctx context.Context, a Access, q SuggestionQuery, p paging.Page) (paging.List[SuggestionRow], error) {
	q.Period = r.since(q.Period)
	all, err := snapshot.Load(ctx, r.Cache, key(a, "suggestions", q.Period), func(ctx context.Context) (suggestions, error) {
		requests, err := r.requests(ctx, a, q.Period)
		return groupRequests(requests), err
	})
	if err != nil {
		return paging.List[SuggestionRow]{}, err
	}
	var search libraries.Search
	if q.Search != nil {
		search = libraries.ParseSearch(*q.Search)
	}
	var found indexes
	for i := range all {
		if q.Search == nil || search.Text(all[i].folded.title) || search.Text(all[i].folded.term) { // L15
			found = append(found, int32(i))
		}
	}
	return pick(found, p, func(i int32) SuggestionRow { return all[i].SuggestionRow })
}

// suggestions are the suggested titles of a period, in the order of L14.
type suggestions []suggestion

// Bytes returns about the memory that the rows take, without the texts that they share with the requests.
func (s suggestions) Bytes() int {
	n := 24 + int(unsafe.Sizeof(suggestion{}))*cap(s)
	for i := range s {
		k := &s[i].folded
		n += len(k.title) + len(k.author) + len(k.publisher) + len(k.term)
	}
	return n
}

// groupRequests makes a row of all requests with the same folded texts. The requests are by instant, then identifier,
// and a row shows the texts of the last one.
func groupRequests(all []libraries.Request) (s suggestions) {
	type asked struct {
		group  int
		reader int64
	}
	groups, readers := map[suggestionKey]int{}, map[asked]bool{}
	written := map[suggestionKey]int{} // groups by texts that are not folded: most requests are written alike
	for i := range all {
		q := &all[i]
		raw := suggestionKey{q.Title, q.Author, q.Publisher, q.SearchTerm}
		g, ok := written[raw]
		if !ok {
			folded := suggestionKey{fold.Text(q.Title), fold.Text(q.Author), fold.Text(q.Publisher), fold.Text(q.SearchTerm)}
			if g, ok = groups[folded]; !ok {
				g = len(s)
				groups[folded] = g
				s = append(s, suggestion{folded: folded})
			}
			written[raw] = g
		}
		row := &s[g]
		if !readers[asked{g, q.Reader}] {
			readers[asked{g, q.Reader}] = true
			row.Readers++
		}
		row.Title, row.Author, row.Publisher, row.SearchTerm = q.Title, q.Author, q.Publisher, q.SearchTerm
		row.Availability, row.Last = q.Availability, q.Requested
		row.Requests++
	}
	slices.SortFunc(s, suggestion.compare)
	return slices.Clip(s)
}

// compare orders rows: most requests first, then the latest day first, then by the folded texts, null last. No two rows
// have the same texts, so the order is total.
func (s suggestion) compare(t suggestion) int {
	return cmp.Or(
		cmp.Compare(t.Requests, s.Requests),
		cmp.Compare(calendar.Day(t.Last), calendar.Day(s.Last)),
		compareNullLast(s.folded.title, t.folded.title),
		compareNullLast(s.folded.author, t.folded.author),
		compareNullLast(s.folded.publisher, t.folded.publisher),
		compareNullLast(s.folded.term, t.folded.term),
	)
}

// compareNullLast orders folded texts bytewise, an empty one after all others.
func compareNullLast(x, y string) int {
	if (x == "") != (y == "") {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

// indexes are indexes of the rows that pass a filter, in the order of the answer.
type indexes []int32

// Bytes returns the memory that the indexes take.
func (f indexes) Bytes() int { return 24 + 4*cap(f) }

// pick returns one page of the rows that were found.
func pick[T any](found indexes, p paging.Page, row func(i int32) T) (paging.List[T], error) {
	page, err := paging.ListOf(found, p)
	l := paging.List[T]{Rows: make([]T, len(page.Rows)), Total: page.Total}
	for i, index := range page.Rows {
		l.Rows[i] = row(index)
	}
	return l, err
}

// Requests answers one page of the suggestion requests, by instant, then identifier. The rows are shared and must not
// be changed.
func (r *Reports) Requests(ctx context.Context, a Access, q RequestQuery, p paging.Page) (paging.List[libraries.Request], error) {
	all, err := r.requests(ctx, a, r.since(q.Period))
	if err != nil {
		return paging.List[libraries.Request]{}, err
	}
	if q.Title == nil && q.Author == nil && q.Reader == nil {
		return paging.ListOf(all, p)
	}
	title, author := exact(q.Title), exact(q.Author)
	var found indexes
	for i := range all {
		v := &all[i]
		if isExactly(v.Title, title) && isExactly(v.Author, author) && (q.Reader == nil || *q.Reader == v.Reader) {
			found = append(found, int32(i))
		}
	}
	return pick(found, p, func(i int32) libraries.Request { return all[i] })
}

// requests returns all requests of a period, none if it ends before it starts.
func (r *Reports) requests(ctx context.Context, a Access, p calendar.Period) (requests, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "requests", p), func(ctx context.Context) (requests, error) {
		return r.Store.Requests(ctx, a, p)
	})
}

// requests are suggestion requests by instant, then identifier.
type requests []libraries.Request

// Bytes returns about the memory that the requests take.
func (r requests) Bytes() int {
	n := 24 + int(unsafe.Sizeof(libraries.Request{}))*cap(r)
	for i := range r {
		q := &r[i]
		n += len(q.Title) + len(q.Author) + len(q.Publisher) + len(q.SearchTerm)
	}
	return n
}

// exact returns a wanted text as [libraries.Exact] compares it.
func exact(want *string) *string {
	if want == nil {
		return nil
	}
	return new(libraries.Exact(*want))
}

// isExactly reports whether a text is the wanted one, or nil is wanted. Nothing matches a null text (G7).
func isExactly(text string, want *string) bool {
	return want == nil || text != "" && libraries.Exact(text) == *want
}
