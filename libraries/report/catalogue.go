package report

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
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
		t.of[i] = titleText{libraries.Fold(b.Title), libraries.Fold(b.Author), libraries.Digits(b.ISBN)}
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
