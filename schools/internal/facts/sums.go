package facts

import (
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Sums are what the records of one user come to over all their days: the summaries that these begin with, together, since a page of a
// thousand readings would read a row for each. A user without records has none.
type Sums struct {
	books []int64 // ascending
	of    []summary
}

// Put puts in what a stored record comes to, in the place of what the book had.
func (s *Sums) Put(book int64, record []byte) error {
	sum, _, err := parseSummary(record)
	i, had := slices.BinarySearch(s.books, book)
	if !had {
		s.books, s.of = slices.Insert(s.books, i, book), slices.Insert(s.of, i, summary{})
	}
	s.of[i] = sum
	return err
}

// Total is [Totaller.Total] of a book's record; false where the book has none, or where its days are needed.
func (s *Sums) Total(book int64, p calendar.Period, length int64) (reading.Total, bool) {
	i, ok := slices.BinarySearch(s.books, book)
	if !ok || !s.of[i].holds(p, length) {
		return reading.Total{}, false
	}
	return s.of[i].total(length), true
}

// AppendBinary appends the stored form: version, and for each book the difference of books (the first from -1) and the summary.
func (s *Sums) AppendBinary(b []byte) []byte {
	b = append(b, formVersion)
	last := int64(-1)
	for i, book := range s.books {
		b = binary.AppendUvarint(b, uint64(book-last))
		b = s.of[i].append(b)
		last = book
	}
	return b
}

// ParseSums reads a stored form, of which it keeps nothing.
func ParseSums(data []byte) (*Sums, error) {
	d := packed.NewDecoder(data, formVersion)
	s := &Sums{}
	for book := int64(-1); d.Len() > 0 && !d.Bad(); {
		step := int64(d.Uvarint())
		d.Check(step > 0 && book+step > book)
		book += step
		s.books, s.of = append(s.books, book), append(s.of, takeSummary(d))
	}
	d.Check(len(s.books) > 0)
	return s, d.End()
}
