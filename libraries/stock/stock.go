package stock

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Line is a line of a title's stock: copies that were bought, or inherited from before. It is kept as the feed has it; its
// methods say what a report makes of it. Numbers are not negative.
type Line struct {
	ID         int64
	Collection Collection
	Kind       Kind
	Number     int64 // of the purchase or the legacy line: the n of "Compra n"
	Modality   *string
	Copies     *int64 // nil: none are given
	MaxUses    *int64 // of the title: readings per copy; nil: it defines none

	UnitPrice, TotalPrice Money

	PurchasedAt calendar.Date
	ExpiresAt   *calendar.Date // nil: it does not expire
}

// usesPerCopy is how many readings a copy gives where the title does not say (L8).
const usesPerCopy = 26

// Model returns the readings per copy that a title shows: its maxUses, or 26 when it defines none. A defined 0 is 0.
func Model(maxUses *int64) int64 {
	if maxUses == nil {
		return usesPerCopy
	}
	return *maxUses
}

// Exists reports whether the line is one at all: a legacy line of an own collection without copies, none given or 0, is not
// (L8). One of the platform's collection is, of whatever kind: nothing is used up of it.
func (l Line) Exists() bool {
	return l.Kind != LegacyLine || !l.Collection.Owned() || l.Copies != nil && *l.Copies > 0
}

// Own reports whether the line is stock of the library's own, with copies that are used up: it exists, and is in a
// collection other than the unlimited platform's (L8).
func (l Line) Own() bool {
	return l.Exists() && l.Collection.Owned()
}

// Possible returns the readings that the line can serve (L8): its copies by [Model], but each copy of collection external
// once. It is 0 for a line that is not [Line.Own], or has no copies, and stops at the largest int64.
func (l Line) Possible() int64 {
	if !l.Own() || l.Copies == nil {
		return 0
	}
	if l.Collection == External {
		return *l.Copies
	}
	return product(*l.Copies, Model(l.MaxUses))
}

// Label returns the line's purchaseId: "Compra 3", or "Legado 3" for a legacy line.
func (l Line) Label() string {
	if l.Kind == LegacyLine {
		return "Legado " + strconv.FormatInt(l.Number, 10)
	}
	return "Compra " + strconv.FormatInt(l.Number, 10)
}

// ShownCopies returns the copies that the line shows: nil on a legacy line.
func (l Line) ShownCopies() *int64 {
	if l.Kind == LegacyLine {
		return nil
	}
	return l.Copies
}

// ShownPrices returns the prices that the line shows: zero on a legacy line.
func (l Line) ShownPrices() (unit, total Money) {
	if l.Kind == LegacyLine {
		return 0, 0
	}
	return l.UnitPrice, l.TotalPrice
}

// ShownPurchasedAt returns the day of purchase that the line shows, and is ordered by: that of a legacy line is not before
// the history's first day (L9).
func (l Line) ShownPurchasedAt(history calendar.Date) calendar.Date {
	if l.Kind == LegacyLine {
		return max(l.PurchasedAt, history)
	}
	return l.PurchasedAt
}

// legacyExpiry is 2026-01-01: the first day on which a legacy line can expire.
const legacyExpiry calendar.Date = 20_454

// ShownExpiresAt returns the day of expiry that the line shows: nil where it has none, and where a legacy line expired
// before 2026 (L9).
func (l Line) ShownExpiresAt() *calendar.Date {
	if l.Kind == LegacyLine && l.ExpiresAt != nil && *l.ExpiresAt < legacyExpiry {
		return nil
	}
	return l.ExpiresAt
}

// OwnLines returns a title's own lines in the order in which they are consumed (L9): by the day of purchase shown, then by
// number, a purchase before a legacy line, then by ID. The lines given stay as they are.
func OwnLines(lines []Line, history calendar.Date) Own {
	var own []Line
	for _, l := range lines {
		if l.Own() {
			own = append(own, l)
		}
	}
	slices.SortFunc(own, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(a.ShownPurchasedAt(history), b.ShownPurchasedAt(history)),
			cmp.Compare(a.Number, b.Number),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return Own{own}
}

// Own are the own lines of a title in the order in which they are consumed: [OwnLines] alone makes them, so that nothing is
// allocated out of order. The zero Own has no lines.
type Own struct{ lines []Line }

// Lines returns the lines in their order. They are shared, and must not be changed.
func (o Own) Lines() []Line { return o.lines }

// Capacity returns the readings that the lines can serve together: the sum of their [Line.Possible], which is what a
// title's row shows as possibleReadings or copies. It stops at the largest int64.
func Capacity(lines []Line) int64 {
	sum := int64(0)
	for _, l := range lines {
		sum += min(l.Possible(), math.MaxInt64-sum)
	}
	return sum
}

// Allocate shares a title's readings out among its lines: each takes what is left, up to what it can serve (L9). The answer
// has what each line consumed. What exceeds all lines stays unallocated: the sum is the readings, or the [Capacity] of the
// lines if that is less.
func (o Own) Allocate(readings int64) []int64 {
	consumed := make([]int64, len(o.lines))
	left := max(readings, 0)
	for i, l := range o.lines {
		consumed[i] = min(left, l.Possible())
		left -= consumed[i]
	}
	return consumed
}

// AvailableCopies returns what is left of a title's capacity when so many loans were confirmed: never below 0 (L8).
func AvailableCopies(copies, consumed int64) int64 { return max(copies-consumed, 0) }

// product returns a * b for numbers that are not negative, or the largest int64 where that is larger.
func product(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// BookLine is a line of stock with the title that it belongs to. Its MaxUses is not set: it is the title's.
type BookLine struct {
	Book int64
	Line Line
}
