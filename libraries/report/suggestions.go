package report

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Suggestions answers one page of the suggested titles (L14). The rows are shared and must not be changed.
func (r *Reports) Suggestions(ctx context.Context, a Access, q SuggestionQuery, p paging.Page) (List[SuggestionRow], error) {
	q.Period = r.since(q.Period)
	return listed(a, func() (page[SuggestionRow], error) {
		all, err := r.suggested(ctx, a, q.Period)
		if err != nil {
			return page[SuggestionRow]{}, err
		}
		if q.Search == nil {
			return pageOf(all.rows, p)
		}
		search := libraries.ParseSearch(*q.Search)
		k := key(a, "suggestions with", q.Period, search.String())
		found, err := state.Load(ctx, r.Cache, k, func(context.Context) (places, error) { return all.find(search), nil })
		if err != nil {
			return page[SuggestionRow]{}, err
		}
		return pick(all.rows, found, p)
	})
}

// suggested returns the suggested titles of a period.
func (r *Reports) suggested(ctx context.Context, a Access, p calendar.Period) (*suggested, error) {
	return state.Load(ctx, r.Cache, key(a, "suggestions", p), func(ctx context.Context) (*suggested, error) {
		all, err := r.requested(ctx, a, p)
		if err != nil {
			return nil, err
		}
		return suggest(all), nil
	})
}

// suggested are the rows of suggestions of a period, in their order, and what they are grouped, ordered and searched by.
type suggested struct {
	rows   []SuggestionRow
	folded []suggestionKey
}

// suggestionKey has the folded texts that all requests of one suggestion share. What folds to nothing counts as null.
type suggestionKey struct{ title, author, publisher, term string }

// Bytes returns about the memory that the suggestions hold, but the texts that they share with the requests.
func (s *suggested) Bytes() int {
	n := 48 + int(unsafe.Sizeof(SuggestionRow{}))*cap(s.rows) + int(unsafe.Sizeof(suggestionKey{}))*cap(s.folded)
	for _, k := range s.folded {
		n += len(k.title) + len(k.author) + len(k.publisher) + len(k.term)
	}
	return n
}

// suggest groups requests, which are by instant, then identifier.
func suggest(all []libraries.Request) *suggested {
	type seen struct {
		group  int
		reader int64
	}
	s := &suggested{}
	groups, readers := map[suggestionKey]int{}, map[seen]bool{}
	written := map[suggestionKey]int{} // the group of texts as they are written: most are written alike, and folded once
	for i := range all {
		q := &all[i]
		raw := suggestionKey{q.Title, q.Author, q.Publisher, q.SearchTerm}
		g, ok := written[raw]
		if !ok {
			g = s.group(groups, suggestionKey{libraries.Fold(q.Title), libraries.Fold(q.Author), libraries.Fold(q.Publisher), libraries.Fold(q.SearchTerm)})
			written[raw] = g
		}
		row := &s.rows[g]
		if !readers[seen{g, q.Reader}] {
			readers[seen{g, q.Reader}] = true
			row.Readers++
		}
		// The request is the latest so far: the group shows as it has it.
		row.Title, row.Author, row.Publisher, row.SearchTerm = q.Title, q.Author, q.Publisher, q.SearchTerm
		row.Availability, row.Last = q.Availability, q.Requested
		row.Requests++
	}
	return s.sorted()
}

// group returns the place of the group with the folded texts, which is new where there is none.
func (s *suggested) group(groups map[suggestionKey]int, k suggestionKey) int {
	g, ok := groups[k]
	if !ok {
		g = len(s.rows)
		groups[k] = g
		s.rows, s.folded = append(s.rows, SuggestionRow{}), append(s.folded, k)
	}
	return g
}

// sorted returns the suggestions in the order of L14.
func (s *suggested) sorted() *suggested {
	order := make([]int, len(s.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, s.compare)
	t := &suggested{make([]SuggestionRow, len(order)), make([]suggestionKey, len(order))}
	for i, at := range order {
		t.rows[i], t.folded[i] = s.rows[at], s.folded[at]
	}
	return t
}

// compare orders two suggestions: most requests first, then the latest day first, then by the folded texts, null last. No
// two have all texts alike, so that the order is total.
func (s *suggested) compare(i, j int) int {
	x, y, k, l := &s.rows[i], &s.rows[j], &s.folded[i], &s.folded[j]
	return cmp.Or(
		cmp.Compare(y.Requests, x.Requests),
		cmp.Compare(calendar.Day(y.Last), calendar.Day(x.Last)),
		compareNullLast(k.title, l.title),
		compareNullLast(k.author, l.author),
		compareNullLast(k.publisher, l.publisher),
		compareNullLast(k.term, l.term),
	)
}

// compareNullLast orders folded texts bytewise, an empty one after all others.
func compareNullLast(x, y string) int {
	if (x == "") != (y == "") {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

// find returns the places of the rows whose title or search term the search finds (L15).
func (s *suggested) find(search libraries.Search) places {
	var found places
	for i, k := range s.folded {
		if search.Text(k.title) || search.Text(k.term) {
			found = append(found, int32(i))
		}
	}
	return found
}

// places are indexes of rows, ascending: what passed a filter.
type places []int32

// Bytes returns the memory that the places hold.
func (p places) Bytes() int { return 24 + 4*cap(p) }

// pick returns the rows at a page of the places found.
func pick[T any](all []T, found places, p paging.Page) (page[T], error) {
	at, err := pageOf(found, p)
	l := page[T]{make([]T, len(at.rows)), at.total}
	for i, place := range at.rows {
		l.rows[i] = all[place]
	}
	return l, err
}

// Requests answers one page of the suggestion requests, by their instant, then identifier. The rows are shared and must not
// be changed.
func (r *Reports) Requests(ctx context.Context, a Access, q RequestQuery, p paging.Page) (List[libraries.Request], error) {
	q.Period = r.since(q.Period)
	return listed(a, func() (page[libraries.Request], error) {
		all, err := r.requested(ctx, a, q.Period)
		if err != nil {
			return page[libraries.Request]{}, err
		}
		if q.Title == nil && q.Author == nil && q.Reader == nil {
			return pageOf(all, p)
		}
		found, err := state.Load(ctx, r.Cache, key(a, "requests with", q), func(context.Context) (places, error) { return q.find(all), nil })
		if err != nil {
			return page[libraries.Request]{}, err
		}
		return pick(all, found, p)
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
