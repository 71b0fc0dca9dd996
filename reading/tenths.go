package reading

import (
	"cmp"
	"slices"
)

// tenth is a tenth of a minute in milliseconds.
const tenth = 6_000

// Tenths shares one reader's day out among its books (S3). ms has the effective milliseconds of each book, in the order
// of the books' ids, none below 0; the answer has the tenths of a minute of each.
//
// The day is their sum, rounded half away from zero: that sum is shared out whole. Each book gets the full tenths that it
// has; those left go one by one to the largest remainders, of equal ones to the lower id. So every book is less than a
// tenth away from its own time.
func Tenths(ms []int64) []int64 { return AppendTenths(nil, ms) }

// AppendTenths appends what [Tenths] returns to dst, which must not overlap ms.
func AppendTenths(dst, ms []int64) []int64 {
	first, rest := len(dst), int64(0)
	for _, m := range ms {
		dst = append(dst, m/tenth)
		rest += m % tenth
	}
	left := (rest + tenth/2) / tenth
	if left == 0 {
		return dst
	}
	if len(ms) == 1 { // most days have one book
		dst[first] += left
		return dst
	}
	var room [16]int
	books := room[:0]
	for i := range ms {
		books = append(books, i)
	}
	slices.SortStableFunc(books, func(a, b int) int { return cmp.Compare(ms[b]%tenth, ms[a]%tenth) })
	for _, i := range books[:left] {
		dst[first+i]++
	}
	return dst
}
