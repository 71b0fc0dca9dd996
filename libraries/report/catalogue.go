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

// Catalogue has the vocabularies and the titles of a network. It is never changed.
type Catalogue struct {
	Terms  map[libraries.Vocabulary][]libraries.Term // by ID
	Titles []Title                                   // by Book.ID; the rank of a title is its index

	ids   []int64            // of the titles
	texts func() []titleText // by rank
}

// Title is one title with its lines of stock.
type Title struct {
	Book  libraries.Book
	Lines []stock.Line // as the feed has them, with the title's MaxUses; by ID
}

// titleText has what searches and orders compare: the folded title and author, the digits of the ISBN, and the place
// of the title among all folded titles. Equal titles share a place.
type titleText struct {
	title, author, isbn string
	place               int32
}

func newTitleTexts(titles []Title) []titleText {
	texts, ranks := make([]titleText, len(titles)), make([]int32, len(titles))
	for i := range titles {
		b := &titles[i].Book
		texts[i] = titleText{title: fold.Text(b.Title), author: fold.Text(b.Author), isbn: libraries.Digits(b.ISBN)}
		ranks[i] = int32(i)
	}
	slices.SortFunc(ranks, func(a, b int32) int { return cmp.Compare(texts[a].title, texts[b].title) })
	for i, rank := range ranks {
		texts[rank].place = int32(i)
		if i > 0 && texts[ranks[i-1]].title == texts[rank].title {
			texts[rank].place = texts[ranks[i-1]].place
		}
	}
	return texts
}

// NewCatalogue joins titles and lines, which may be in any order, and leaves out the lines of unknown titles. It
// sorts terms and lines in place and keeps all arguments.
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
	// The first answers after a restart mostly need no texts.
	c.texts = sync.OnceValue(func() []titleText { return newTitleTexts(c.Titles) })
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

// Term returns the name of a term, or an empty text if there is no such term.
func (c *Catalogue) Term(v libraries.Vocabulary, id int64) string {
	terms := c.Terms[v]
	i, found := slices.BinarySearchFunc(terms, id, func(t libraries.Term, id int64) int { return cmp.Compare(t.ID, id) })
	if !found {
		return ""
	}
	return terms[i].Name
}

// Bytes returns about the memory that the catalogue takes, its texts included.
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

// TitleFilter narrows books and stock. Its zero value selects all.
type TitleFilter struct {
	Search                       *string
	Publisher, Category, Subject *int64
	Collection                   stock.Collection
	Book                         *int64
	Year                         *int64
}

// matches returns a function that reports whether a title passes the filter, except its Collection, which books and
// stock compare differently. A title without a publisher or a year passes no filter for one (G7).
func (f TitleFilter) matches() func(t *Title, text *titleText) bool {
	var search libraries.Search
	if f.Search != nil {
		search = libraries.ParseSearch(*f.Search)
	}
	return func(t *Title, text *titleText) bool {
		b := &t.Book
		return (f.Book == nil || b.ID == *f.Book) &&
			(f.Publisher == nil || sameTerm(b.Publisher, *f.Publisher)) &&
			(f.Year == nil || sameTerm(b.Year, *f.Year)) &&
			(f.Category == nil || slices.Contains(b.Categories, *f.Category)) &&
			(f.Subject == nil || slices.Contains(b.Subjects, *f.Subject)) &&
			search.Book(text.title, text.isbn)
	}
}

// matches returns a function that reports whether a title passes the query's filters.
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

// sortByColumn sorts rows, given by their indexes, which ascend with the identifiers of their titles. It sorts by a
// column, up if asc is set and else down, then by folded title and by identifier, both up (L15). A nil column is the
// title.
func sortByColumn(rows indexes, place func(i int32) int32, column func(i int32) int64, asc bool) {
	type sorted struct {
		row, place int32
		value      int64 // of the column
	}
	list := make([]sorted, len(rows))
	for i, row := range rows {
		list[i] = sorted{row, place(row), int64(place(row))}
		if column != nil {
			list[i].value = column(row)
		}
	}
	slices.SortFunc(list, func(a, b sorted) int {
		by := cmp.Compare(a.value, b.value)
		if !asc {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.place, b.place), cmp.Compare(a.row, b.row))
	})
	for i, s := range list {
		rows[i] = s.row
	}
}

// Dimensions has the values of the filters. Terms and texts are in the order of their folded names.
type Dimensions struct {
	Terms            map[libraries.Vocabulary][]libraries.Term
	RAs              []string
	States, Cities   []string
	PublicationYears []int64
}

// Dimensions answers the route dimensions: the terms, the texts that readers have, and the years that titles have (L16).
func (r *Reports) Dimensions(ctx context.Context, a Access) (*Dimensions, error) {
	t, err := r.tables(ctx, a)
	if err != nil {
		return nil, err
	}
	d := &Dimensions{
		Terms: map[libraries.Vocabulary][]libraries.Term{}, RAs: presentTexts(t.readers.ras),
		States: presentTexts(t.readers.states.Values), Cities: presentTexts(t.readers.cities.Values),
	}
	for v, terms := range t.titles.Terms {
		d.Terms[v] = slices.Clone(terms)
		sortByName(d.Terms[v], func(t libraries.Term) (string, int64) { return t.Name, t.ID })
	}
	for i := range t.titles.Titles {
		if year := t.titles.Titles[i].Book.Year; year != libraries.None {
			d.PublicationYears = append(d.PublicationYears, year)
		}
	}
	slices.Sort(d.PublicationYears)
	d.PublicationYears = slices.Compact(d.PublicationYears)
	return d, nil
}

// presentTexts returns texts in the order of their folds, then bytewise, without the empty one.
func presentTexts(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	sortByName(texts, func(s string) (string, string) { return s, s })
	return texts
}

// sortByName sorts a list by folded name, then by key.
func sortByName[T any, K cmp.Ordered](list []T, nameAndKey func(T) (name string, key K)) {
	folded := make(map[string]string, len(list))
	for _, v := range list {
		name, _ := nameAndKey(v)
		folded[name] = fold.Text(name)
	}
	slices.SortFunc(list, func(a, b T) int {
		nameA, keyA := nameAndKey(a)
		nameB, keyB := nameAndKey(b)
		return cmp.Or(cmp.Compare(folded[nameA], folded[nameB]), cmp.Compare(keyA, keyB))
	})
}
