package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
)

// matches returns whether a title passes the filter, all but its Collection. A title without a publisher or a year passes
// no filter for one (G7).
func (f TitleFilter) matches() func(t *Title, text *titleText) bool {
	var search libraries.Search
	if f.Search != nil {
		search = libraries.ParseSearch(*f.Search)
	}
	return func(t *Title, text *titleText) bool {
		b := &t.Book
		return (f.Book == nil || b.ID == *f.Book) &&
			is(f.Publisher, b.Publisher) && is(f.Year, b.Year) &&
			(f.Category == nil || slices.Contains(b.Categories, *f.Category)) &&
			(f.Subject == nil || slices.Contains(b.Subjects, *f.Subject)) &&
			search.Book(text.title, text.isbn)
	}
}

// is reports whether a value that may be None is the wanted one, if one is.
func is(want *int64, v int64) bool { return want == nil || v == *want && v != libraries.None }

// matches returns whether a title passes the query's filters.
func (q BookQuery) matches() func(t *Title, text *titleText) bool {
	passes := q.Filter.matches()
	author := ""
	if q.Author != nil {
		author = libraries.Fold(*q.Author)
	}
	return func(t *Title, text *titleText) bool {
		return passes(t, text) &&
			(q.Author == nil || text.author != "" && strings.Contains(text.author, author)) &&
			(q.Format != libraries.Ebook || t.Book.HasEbook) && (q.Format != libraries.Audiobook || t.Book.HasAudiobook) &&
			(q.Filter.Collection == 0 || stock.InCollection(t.Lines, q.Filter.Collection))
	}
}

// ordered is a title of a list that is to be sorted.
type ordered struct {
	rank  int32
	place int32 // by folded title
	value int64 // of the column
}

// sorted returns ranks in order: by a column, up or down, then by folded title, then by identifier, both up (L15). A nil
// column is the title. Ranks ascend with identifiers.
func (c *Catalogue) sorted(ranks []int32, column func(rank int32) int64, asc bool) []int32 {
	rows := make([]ordered, len(ranks))
	places := c.texts().places
	for i, rank := range ranks {
		place := places[rank]
		rows[i] = ordered{rank, place, int64(place)}
		if column != nil {
			rows[i].value = column(rank)
		}
	}
	slices.SortFunc(rows, func(a, b ordered) int {
		by := cmp.Compare(a.value, b.value)
		if !asc {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.place, b.place), cmp.Compare(a.rank, b.rank))
	})
	for i, row := range rows {
		ranks[i] = row.rank
	}
	return ranks
}

// placesByTitle returns the place of each title, by rank, among the folded titles: those with one folded title share it.
func placesByTitle(titles []titleText) []int32 {
	ranks := make([]int32, len(titles))
	for i := range ranks {
		ranks[i] = int32(i)
	}
	slices.SortFunc(ranks, func(a, b int32) int { return cmp.Compare(titles[a].title, titles[b].title) })
	places := make([]int32, len(titles))
	for i, rank := range ranks {
		if i > 0 {
			before := ranks[i-1]
			places[rank] = places[before]
			if titles[before].title != titles[rank].title {
				places[rank]++
			}
		}
	}
	return places
}
