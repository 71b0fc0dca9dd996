package reading

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// Minutes is effective reading time in tenths of a minute, as it is reported (S3): Minutes(184) is 18.4.
type Minutes int64

// String returns the minutes with one decimal, as an answer shows them: 18.4.
func (m Minutes) String() string { return decimal.Fixed(int64(m), 1) }

// MarshalJSON returns the number of String. It implements [json.Marshaler].
func (m Minutes) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// tenth is a tenth of a minute in milliseconds.
const tenth = 6_000

// DayMinutes distributes a reader's day to its books (S3). ms are the effective milliseconds of each book, in the order
// of the books' ids and not negative. It returns the minutes of each.
//
// The minutes of the day are the sum, rounded half away from zero. Each book gets its full tenths. The remaining tenths
// go one by one to the books with the largest remainders, and among equal ones to the lower id. So every book is less
// than a tenth away from its own time.
func DayMinutes(ms []int64) []Minutes { return AppendDayMinutes(nil, ms) }

// AppendDayMinutes appends the result of [DayMinutes] to dst.
func AppendDayMinutes(dst []Minutes, ms []int64) []Minutes {
	first, rest := len(dst), int64(0)
	for _, m := range ms {
		dst = append(dst, Minutes(m/tenth))
		rest += m % tenth
	}
	left := (rest + tenth/2) / tenth
	if left == 0 {
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
