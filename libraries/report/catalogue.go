package report

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/fold"
)

// Catalogue has the vocabularies and the titles of a network. It is never changed once it is made.
type Catalogue struct {
	Terms  map[libraries.Vocabulary][]libraries.Term // by ID
	Titles []Title                                   // by Book.ID; a title's rank is its index

	ids   []int64 // of the titles
	texts func() *titleTexts
}

// Title is one title with its lines.
type Title struct {
	Book  libraries.Book
	Lines []stock.Line // as the feed has them, with the title's MaxUses; by ID
}

// titleTexts are what searches and orders compare, by rank. They are made when they are first wanted: the first answers
// after a restart mostly do without.
type titleTexts struct {
	of     []titleText
	places []int32 // by folded title
}

// titleText has the folded title and author of a title, and the digits of its ISBN.
type titleText struct{ title, author, isbn string }

func newTitleTexts(titles []Title) *titleTexts {
	t := &titleTexts{of: make([]titleText, len(titles))}
	for i := range titles {
		b := &titles[i].Book
		t.of[i] = titleText{fold.Text(b.Title), fold.Text(b.Author), libraries.Digits(b.ISBN)}
	}
	t.places = placesByTitle(t.of)
	return t
}

// NewCatalogue joins titles and lines, which may be in any order. A line of an unknown title is left out. It keeps what it
// is given, and puts terms and lines in order in place.
func NewCatalogue(terms map[libraries.Vocabulary][]libraries.Term, books []libraries.Book, lines []stock.BookLine) *Catalogue {
	c := &Catalogue{Terms: terms, Titles: make([]Title, len(books))}
	for _, list := range terms {
		slices.SortFunc(list, func(a, b libraries.Term) int { return cmp.Compare(a.ID, b.ID) })
	}
	for i, b := range books {
		c.Titles[i] = Title{Book: b}
	}
	slices.SortFunc(c.Titles, func(a, b Title) int { return cmp.Compare(a.Book.ID, b.Book.ID) })
	slices.SortFunc(lines, func(a, b stock.BookLine) int {
		return cmp.Or(cmp.Compare(a.Book, b.Book), cmp.Compare(a.Line.ID, b.Line.ID))
	})
	c.ids = make([]int64, len(c.Titles))
	for rank := range c.Titles {
		c.ids[rank] = c.Titles[rank].Book.ID
	}
	for _, l := range lines {
		if t := c.Title(l.Book); t != nil {
			l.Line.MaxUses = t.Book.MaxUses
			t.Lines = append(t.Lines, l.Line)
		}
	}
	c.texts = sync.OnceValue(func() *titleTexts { return newTitleTexts(c.Titles) })
	return c
}

// Title returns the title of an identifier, or nil.
func (c *Catalogue) Title(id int64) *Title {
	rank, found := slices.BinarySearch(c.ids, id)
	if !found {
		return nil
	}
	return &c.Titles[rank]
}

// Term returns the name of a term, empty where there is none of the identifier.
func (c *Catalogue) Term(v libraries.Vocabulary, id int64) string {
	terms := c.Terms[v]
	i, found := slices.BinarySearchFunc(terms, id, func(t libraries.Term, id int64) int { return cmp.Compare(t.ID, id) })
	if !found {
		return ""
	}
	return terms[i].Name
}

// Bytes returns about the memory that the catalogue holds.
func (c *Catalogue) Bytes() int {
	n := 12 * len(c.Titles)
	for _, terms := range c.Terms {
		for _, t := range terms {
			n += 24 + len(t.Name)
		}
	}
	for i := range c.Titles {
		t := &c.Titles[i]
		n += 320 + 2*len(t.Book.Title) + 2*len(t.Book.Author) + 2*len(t.Book.ISBN)
		n += 8*len(t.Book.Categories) + 8*len(t.Book.Subjects) + 160*cap(t.Lines)
	}
	return n
}

// TitleFilter narrows books and stock. Its zero value narrows nothing.
type TitleFilter struct {
	Search                       *string
	Publisher, Category, Subject *int64
	Collection                   stock.Collection
	Book                         *int64
	Year                         *int64
}

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
		author = fold.Text(*q.Author)
	}
	return func(t *Title, text *titleText) bool {
		return passes(t, text) &&
			(q.Author == nil || text.author != "" && strings.Contains(text.author, author)) &&
			(q.Format != libraries.Ebook || t.Book.HasEbook) && (q.Format != libraries.Audiobook || t.Book.HasAudiobook) &&
			(q.Filter.Collection == 0 || stock.InCollection(t.Lines, q.Filter.Collection))
	}
}

// sorted returns ranks in order: by a column, up or down, then by folded title, then by identifier, both up (L15). A nil
// column is the title. Ranks ascend with identifiers.
func (c *Catalogue) sorted(ranks []int32, column func(rank int32) int64, asc bool) []int32 {
	type ordered struct {
		rank, place int32 // the place is that by folded title
		value       int64 // of the column
	}
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

// Dimensions are the vocabulary of filters. Terms are by folded name.
type Dimensions struct {
	Terms            map[libraries.Vocabulary][]libraries.Term
	RAs              []string
	States, Cities   []string
	PublicationYears []int64
}

// Dimensions answers dimensions.
func (r *Reports) Dimensions(ctx context.Context, a Access) (*Dimensions, error) {
	t, err := r.tables(ctx, a)
	if err != nil {
		return nil, err
	}
	return newDimensions(t.titles, t.readers), nil
}

// newDimensions lists the terms, what is present on readers, and the years that titles have (L16).
func newDimensions(titles *Catalogue, readers *Readers) *Dimensions {
	d := &Dimensions{
		Terms: map[libraries.Vocabulary][]libraries.Term{}, RAs: byFold(readers.ras), States: byFold(readers.states.Values),
		Cities: byFold(readers.cities.Values),
	}
	for v, terms := range titles.Terms {
		d.Terms[v] = termsByName(terms)
	}
	for i := range titles.Titles {
		if year := titles.Titles[i].Book.Year; year != libraries.None {
			d.PublicationYears = append(d.PublicationYears, year)
		}
	}
	slices.Sort(d.PublicationYears)
	d.PublicationYears = slices.Compact(d.PublicationYears)
	return d
}

// termsByName returns terms by folded name, then identifier.
func termsByName(terms []libraries.Term) []libraries.Term {
	folded := make(map[int64]string, len(terms))
	for _, t := range terms {
		folded[t.ID] = fold.Text(t.Name)
	}
	terms = slices.Clone(terms)
	slices.SortFunc(terms, func(a, b libraries.Term) int {
		return cmp.Or(cmp.Compare(folded[a.ID], folded[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	return terms
}

// byFold returns texts by their folds, then bytewise, without the empty one.
func byFold(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	folded := make(map[string]string, len(texts))
	for _, s := range texts {
		folded[s] = fold.Text(s)
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(folded[a], folded[b]), cmp.Compare(a, b))
	})
	return texts
}
