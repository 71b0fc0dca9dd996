package report

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// profile counts titles, and their loans in a period, by what they are (L20).
func (c *Catalogue) profile(sums titleSums, history calendar.Date) CatalogueProfile {
	categories, subjects, origins := profiled{}, profiled{}, profiled{}
	var p CatalogueProfile
	var video ProfileItem
	for rank := range c.Titles {
		t := &c.Titles[rank]
		loans := sums[rank][metric.Loans]
		categories.count(loans, t.Book.Categories...)
		subjects.count(loans, t.Book.Subjects...)
		if origin := stock.CollectionOf(t.Lines, history); origin != 0 {
			origins.count(loans, int64(origin))
		}
		p.Ebook.count(t.Book.HasEbook, loans)
		p.Audiobook.count(t.Book.HasAudiobook, loans)
		video.count(t.Book.HasVideo, loans)
	}
	if video.Titles > 0 {
		p.Video = &video
	}
	p.Categories = categories.items(func(id int64) string { return c.Term(libraries.CategoryTerms, id) })
	p.Subjects = subjects.items(func(id int64) string { return c.Term(libraries.SubjectTerms, id) })
	p.Origins = origins.items(func(id int64) string { return stock.Collection(id).String() })
	return p
}

// count counts a title with its loans, if it is one of the item's.
func (p *ProfileItem) count(is bool, loans int64) {
	if is {
		p.Titles++
		p.Loans += loans
	}
}

// profiled has the items of a list by identifier.
type profiled map[int64]ProfileItem

// count counts a title in each of the items.
func (p profiled) count(loans int64, ids ...int64) {
	for _, id := range ids {
		item := p[id]
		item.count(true, loans)
		p[id] = item
	}
}

// items returns the items in their order: most titles first, then by folded name, then by identifier.
func (p profiled) items(name func(id int64) string) []ProfileItem {
	type entry struct {
		id     int64
		folded string
		item   ProfileItem
	}
	entries := make([]entry, 0, len(p))
	for id, item := range p {
		item.Name = name(id)
		entries = append(entries, entry{id, libraries.Fold(item.Name), item})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.item.Titles, a.item.Titles), cmp.Compare(a.folded, b.folded), cmp.Compare(a.id, b.id))
	})
	items := make([]ProfileItem, len(entries))
	for i, e := range entries {
		items[i] = e.item
	}
	return items
}
