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

// SuggestionQuery is what the dataset suggestions is asked.
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

// RequestQuery is what the dataset suggestion-requests is asked. Title and Author compare by Exact.
type RequestQuery struct {
	Period        calendar.Period
	Title, Author *string
	Reader        *int64
}

// Suggestions answers one page of the suggested titles (L14). The rows are shared and must not be changed.
func (r *Reports) Suggestions(ctx context.Context, a Access, q SuggestionQuery, p paging.Page) (paging.List[SuggestionRow], error) {
	q.Period = r.since(q.Period)
	all, err := r.suggested(ctx, a, q.Period)
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
	return pick(found, p, func(place int32) SuggestionRow { return all[place].SuggestionRow })
}

// suggested returns the suggested titles of a period.
func (r *Reports) suggested(ctx context.Context, a Access, p calendar.Period) (suggestions, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "suggestions", p), func(ctx context.Context) (suggestions, error) {
		all, err := r.requested(ctx, a, p)
		if err != nil {
			return nil, err
		}
		return suggest(all), nil
	})
}

// suggestions are those of a period, in the order of L14.
type suggestions []suggestion

// suggestion is a row and what it is grouped, ordered and searched by.
type suggestion struct {
	SuggestionRow
	folded suggestionKey
}

// suggestionKey has the folded texts that all requests of one suggestion share. What folds to nothing counts as null.
type suggestionKey struct{ title, author, publisher, term string }

// Bytes returns about the memory that the suggestions hold, but the texts that they share with the requests.
func (s suggestions) Bytes() int {
	n := 24 + int(unsafe.Sizeof(suggestion{}))*cap(s)
	for i := range s {
		k := &s[i].folded
		n += len(k.title) + len(k.author) + len(k.publisher) + len(k.term)
	}
	return n
}

// suggest groups requests, which are by instant, then identifier.
func suggest(all []libraries.Request) (s suggestions) {
	type seen struct {
		group  int
		reader int64
	}
	groups, readers := map[suggestionKey]int{}, map[seen]bool{}
	written := map[suggestionKey]int{} // the group of texts as they are written: most are written alike, and folded once
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
		if !readers[seen{g, q.Reader}] {
			readers[seen{g, q.Reader}] = true
			row.Readers++
		}
		// The request is the latest so far: the group shows as it has it.
		row.Title, row.Author, row.Publisher, row.SearchTerm = q.Title, q.Author, q.Publisher, q.SearchTerm
		row.Availability, row.Last = q.Availability, q.Requested
		row.Requests++
	}
	slices.SortFunc(s, suggestion.compare)
	return slices.Clip(s)
}

// compare orders two suggestions: most requests first, then the latest day first, then by the folded texts, null last. No
// two have all texts alike, so that the order is total.
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

// places are indexes of rows, ascending: what passed a filter.
type indexes []int32

// Bytes returns the memory that the places hold.
func (p indexes) Bytes() int { return 24 + 4*cap(p) }

// pick returns the rows at a page of the places found.
func pick[T any](found indexes, p paging.Page, row func(place int32) T) (paging.List[T], error) {
	at, err := paging.ListOf(found, p)
	l := paging.List[T]{Rows: make([]T, len(at.Rows)), Total: at.Total}
	for i, place := range at.Rows {
		l.Rows[i] = row(place)
	}
	return l, err
}

// Requests answers one page of the suggestion requests, by their instant, then identifier. The rows are shared and must not
// be changed.
func (r *Reports) Requests(ctx context.Context, a Access, q RequestQuery, p paging.Page) (paging.List[libraries.Request], error) {
	q.Period = r.since(q.Period)
	all, err := r.requested(ctx, a, q.Period)
	if err != nil {
		return paging.List[libraries.Request]{}, err
	}
	if q.Title == nil && q.Author == nil && q.Reader == nil {
		return paging.ListOf(all, p)
	}
	return pick(q.find(all), p, func(place int32) libraries.Request { return all[place] })
}

// requested returns all requests of a period.
func (r *Reports) requested(ctx context.Context, a Access, p calendar.Period) (requests, error) {
	if p.Start > p.End {
		return nil, nil
	}
	return snapshot.Load(ctx, r.Cache, key(a, "requests", p), func(ctx context.Context) (requests, error) {
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
func (q RequestQuery) find(all requests) indexes {
	title, author := exactly(q.Title), exactly(q.Author)
	var found indexes
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
