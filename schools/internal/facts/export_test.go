package facts

import (
	"math/bits"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// RewriteLeaf reads the stored form of a leaf and writes it again.
func RewriteLeaf(number int32, data []byte) ([]byte, error) {
	var l leaf
	if err := l.unmarshalBinary(number, data); err != nil {
		return nil, err
	}
	return l.appendBinary(nil), nil
}

// Unpack returns every book with its days.
func (l Ledger) Unpack() []BookDays {
	var books []BookDays
	for _, line := range l {
		if n := len(books); n == 0 || books[n-1].Book != line.Book {
			books = append(books, BookDays{Book: line.Book})
		}
		b := &books[len(books)-1]
		for d := line.Days; d != 0; d &= d - 1 {
			b.Days = append(b.Days, firstOf(line.Leaf)+calendar.Date(bits.TrailingZeros32(uint32(d))))
		}
	}
	return books
}
