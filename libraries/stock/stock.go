package stock

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Line is a line of a title's stock: copies that were bought, or inherited from an earlier system. Its fields are
// those of the feed; [Line.Shown] returns what a report shows. Numbers are not negative.
type Line struct {
	ID         int64
	Collection Collection
	Kind       Kind
	Number     int64 // of the purchase or the legacy line: the n of "Compra n"
	Modality   *string
	Copies     *int64 // nil if the feed gives none
	MaxUses    *int64 // readings per copy, of the title; nil if it defines none

	UnitPrice, TotalPrice Money

	PurchasedAt calendar.Date
	ExpiresAt   *calendar.Date // nil if it does not expire
}

// BookLine is a line of stock and the title that it belongs to, as a feed has it. MaxUses is not set.
type BookLine struct {
	Book int64
	Line Line
}

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

// Model returns the readings per copy that a title shows: its maxUses, or 26 if it defines none (L8). A defined 0
// is 0.
func Model(maxUses *int64) int64 {
	if maxUses == nil {
		return 26
	}
	return *maxUses
}

// Exists reports whether the line counts at all: a legacy line of an own collection without copies, or with 0, does
// not (L8). A line of the platform's collection does, of whatever kind.
func (l Line) Exists() bool {
	return l.Kind != LegacyLine || !l.Collection.Owned() || l.Copies != nil && *l.Copies > 0
}

// Own reports whether the line exists and is stock of the library's own, with copies that are used up (L8).
func (l Line) Own() bool { return l.Exists() && l.Collection.Owned() }

// Possible returns the readings that the line can serve (L8): each copy by [Model], but each copy of collection
// external once. It is 0 for a line that is not [Line.Own] or has no copies. It stops at the largest int64.
func (l Line) Possible() int64 {
	if !l.Own() || l.Copies == nil {
		return 0
	}
	copies, uses := *l.Copies, Model(l.MaxUses)
	switch {
	case l.Collection == External:
		return copies
	case uses > 0 && copies > math.MaxInt64/uses:
		return math.MaxInt64
	}
	return copies * uses
}

// Label returns the line's purchaseId: "Compra 3", or "Legado 3" for a legacy line.
func (l Line) Label() string {
	if l.Kind == LegacyLine {
		return "Legado " + strconv.FormatInt(l.Number, 10)
	}
	return "Compra " + strconv.FormatInt(l.Number, 10)
}

// legacyExpiry is 2026-01-01: the first day on which a legacy line can expire.
const legacyExpiry calendar.Date = 20_454

// Shown returns the line with the values that a report shows (L9). They differ from the feed on legacy lines only:
// no copies and no prices, a day of purchase not before the first day of the history, and no expiry before 2026.
func (l Line) Shown(history calendar.Date) Line {
	if l.Kind != LegacyLine {
		return l
	}
	l.Copies, l.UnitPrice, l.TotalPrice = nil, 0, 0
	l.PurchasedAt = max(l.PurchasedAt, history)
	if l.ExpiresAt != nil && *l.ExpiresAt < legacyExpiry {
		l.ExpiresAt = nil
	}
	return l
}

// OwnLines returns the own lines of a title in the order in which they are consumed (L9): by the day of purchase that
// is shown, then by number, a purchase before a legacy line, then by ID. It does not change lines.
func OwnLines(lines []Line, history calendar.Date) []Line {
	own := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !l.Own() })
	slices.SortFunc(own, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(a.Shown(history).PurchasedAt, b.Shown(history).PurchasedAt),
			cmp.Compare(a.Number, b.Number),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return own
}

// Capacity returns the readings that lines can serve together, which a title's row shows as possibleReadings or
// copies: the sum of their [Line.Possible]. It stops at the largest int64.
func Capacity(lines []Line) int64 {
	sum := int64(0)
	for _, l := range lines {
		sum += min(l.Possible(), math.MaxInt64-sum)
	}
	return sum
}

// Allocate returns how many of a title's readings each of its own lines has consumed (L9). The lines must be in the
// order of [OwnLines]. Each takes what is left, up to what it can serve, and what exceeds all lines stays
// unallocated. So the sum is the readings, or the [Capacity] if that is less.
func Allocate(own []Line, readings int64) []int64 {
	consumed := make([]int64, len(own))
	left := max(readings, 0)
	for i, l := range own {
		consumed[i] = min(left, l.Possible())
		left -= consumed[i]
	}
	return consumed
}

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
