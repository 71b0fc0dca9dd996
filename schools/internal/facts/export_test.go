package facts

import (
	"math/bits"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// BookDays is one book of a user's index with its days, which ascend.
type BookDays struct {
	Book int64
	Days []calendar.Date
}

// NewUserIndex returns the index of books and days.
func NewUserIndex(books []BookDays) (l UserIndex) {
	for _, b := range books {
		for _, day := range b.Days {
			l = append(l, IndexEntry{b.Book, PageOf(day), dayOf(day)})
		}
	}
	return l.With(nil)
}

// Unpack returns every book with its days.
func (l UserIndex) Unpack() []BookDays {
	var books []BookDays
	for _, line := range l {
		if n := len(books); n == 0 || books[n-1].Book != line.Book {
			books = append(books, BookDays{Book: line.Book})
		}
		b := &books[len(books)-1]
		for d := line.Days; d != 0; d &= d - 1 {
			b.Days = append(b.Days, firstDay(line.Page)+calendar.Date(bits.TrailingZeros32(uint32(d))))
		}
	}
	return books
}
