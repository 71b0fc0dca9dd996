package stock

import (
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Collection is where a line of stock comes from. The zero Collection is none.
type Collection uint8

// The collections. A title of the platform's can be lent without limit; the others are stock of the library's own.
const (
	Platform Collection = iota + 1
	Additional
	External // inherited from outside: each copy is one reading (L8)
	Manual
)

var collections = [...]string{Platform: "platform", Additional: "additional", External: "external", Manual: "manual"}

// String returns the collection's name in feeds and answers.
func (c Collection) String() string { return row.NameOf(collections[:], "collection", c) }

// Owned reports whether lines of the collection are stock of the library's own: additional, external and manual are.
func (c Collection) Owned() bool { return c >= Additional && c <= Manual }

// CollectionOf returns the collection that a title shows (L8): that of its first own line in the order in which they are
// consumed, else Platform if it has a line of that, else none, which is 0.
func CollectionOf(lines []Line, history calendar.Date) Collection {
	if own := OwnLines(lines, history).lines; len(own) > 0 {
		return own[0].Collection
	}
	if InCollection(lines, Platform) {
		return Platform
	}
	return 0
}

// InCollection reports whether any line of a title is in the collection: the filter of books (L8). What does not
// [Line.Exists] is no line.
func InCollection(lines []Line, c Collection) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return l.Exists() && l.Collection == c })
}

// Kind says how a line of stock came to the library. The zero Kind is none.
type Kind uint8

// The kinds of lines, in the order in which they are consumed on a day.
const (
	PurchaseLine Kind = iota + 1 // bought on the marketplace
	LegacyLine                   // inherited from the system before
)

var kinds = [...]string{PurchaseLine: "purchase", LegacyLine: "legacy"}

// String returns the kind's name in feeds.
func (k Kind) String() string { return row.NameOf(kinds[:], "kind", k) }

// Fields declares the fields of a line of stock.
func (b *BookLine) Fields(w *row.Walk) {
	l := &b.Line
	row.Int(w, "lineId", &l.ID, row.Required)
	row.Int(w, "bookId", &b.Book, row.Required)
	row.Enum(w, "collection", &l.Collection, collections[:])
	row.Enum(w, "kind", &l.Kind, kinds[:])
	row.Int(w, "number", &l.Number, row.Required)
	row.OptionalText(w, "modality", &l.Modality)
	row.OptionalInt(w, "copies", &l.Copies)
	row.Decimal(w, "unitPrice", &l.UnitPrice, price)
	row.Decimal(w, "totalPrice", &l.TotalPrice, price)
	row.Day(w, "purchasedAt", &l.PurchasedAt, row.Required)
	row.OptionalDay(w, "expiresAt", &l.ExpiresAt)
}

// price is ParseMoney with the error that a feed shows beside the value.
func price(text []byte) (Money, error) {
	m, err := ParseMoney(text)
	if err != nil {
		return 0, ErrMoney
	}
	return m, nil
}
