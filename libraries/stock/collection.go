package stock

import (
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Collection says where a line of stock comes from. The zero Collection is none.
type Collection uint8

// The collections. Titles of the platform can be lent without limit; the others are stock of the library's own.
const (
	Platform Collection = iota + 1
	Additional
	External // inherited from outside: each copy serves one reading (L8)
	Manual
)

var collections = [...]string{Platform: "platform", Additional: "additional", External: "external", Manual: "manual"}

// String returns the collection's name in feeds and answers.
func (c Collection) String() string { return row.NameOf(collections[:], "collection", c) }

// Owned reports whether lines of the collection are stock of the library's own: additional, external and manual are.
func (c Collection) Owned() bool { return c >= Additional && c <= Manual }

// CollectionOf returns the collection that a title shows (L8): that of the own line that is consumed first, else
// Platform if the title has such a line, else 0.
func CollectionOf(lines []Line, history calendar.Date) Collection {
	if own := OwnLines(lines, history); len(own) > 0 {
		return own[0].Collection
	}
	if InCollection(lines, Platform) {
		return Platform
	}
	return 0
}

// InCollection reports whether any line of a title that [Line.Exists] is in the collection: the filter of books (L8).
func InCollection(lines []Line, c Collection) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return l.Exists() && l.Collection == c })
}

// Kind says how a line of stock came to the library. The zero Kind is none.
type Kind uint8

// The kinds of lines, in the order in which they are consumed on one day.
const (
	PurchaseLine Kind = iota + 1 // bought on the marketplace
	LegacyLine                   // inherited from an earlier system
)

var kinds = [...]string{PurchaseLine: "purchase", LegacyLine: "legacy"}

// String returns the kind's name in feeds.
func (k Kind) String() string { return row.NameOf(kinds[:], "kind", k) }
