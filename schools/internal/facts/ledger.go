package facts

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// A Ledger is one user's list of books read and of the days on which each was read, effectively: by book, then leaf. It names the
// records that the user has.
type Ledger []Line

// Line is a book on the days of one leaf; it has a day.
type Line struct {
	Book int64
	Leaf int32
	Days Days
}

// leafDays is the number of days of a leaf: each is a bit. What is loaded hour by hour is of one leaf mostly, and the others stay
// as they are stored.
const leafDays = 32

// LeafOf returns the number of the leaf that a day is on.
func LeafOf(d calendar.Date) int32 { return int32(d >> 5) }

// firstOf returns the first day of a leaf.
func firstOf(leaf int32) calendar.Date { return calendar.Date(leaf) << 5 }

// Days are days of a leaf, a bit each.
type Days uint32

// dayOf returns a day among those of its leaf.
func dayOf(d calendar.Date) Days { return 1 << (d & (leafDays - 1)) }

// daysOf returns the days of a leaf that are in a period.
func daysOf(leaf int32, p calendar.Period) Days {
	first := firstOf(leaf)
	from, to := max(p.Start, first)-first, min(p.End, first+leafDays-1)-first
	if from > to {
		return 0
	}
	return ^Days(0) << from & (^Days(0) >> (leafDays - 1 - to))
}

// last returns the last of the days of a leaf.
func (d Days) last(leaf int32) calendar.Date {
	return firstOf(leaf) + calendar.Date(bits.Len32(uint32(d))) - 1
}

// With returns the ledger with more lines, in any order.
func (l Ledger) With(more Ledger) Ledger {
	with := slices.Concat(l, more)
	slices.SortFunc(with, func(x, y Line) int { return cmp.Or(cmp.Compare(x.Book, y.Book), cmp.Compare(x.Leaf, y.Leaf)) })
	n := 0
	for _, line := range with {
		if n > 0 && with[n-1].Book == line.Book && with[n-1].Leaf == line.Leaf {
			with[n-1].Days |= line.Days
			continue
		}
		with[n] = line
		n++
	}
	return slices.Clip(with[:n])
}

// On returns the books that were read on a day, ascending.
func (l Ledger) On(day calendar.Date) (books []int64) {
	for _, line := range l {
		if line.Leaf == LeafOf(day) && line.Days&dayOf(day) != 0 {
			books = append(books, line.Book)
		}
	}
	return books
}
