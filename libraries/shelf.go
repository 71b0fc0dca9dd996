package libraries

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Shelf is what one reader did with each title: its sessions, and the loans of it.
type Shelf struct {
	Books []ShelfBook // by Book, ascending
}

// ShelfBook is one title of a Shelf.
type ShelfBook struct {
	Book  int64
	Pair  Pair
	Loans []calendar.Date // the day of each loan of the title, ascending, some perhaps twice
}

// Confirmed returns the number of confirmed loans of the title (L7).
func (b *ShelfBook) Confirmed() int64 {
	n := int64(0)
	for _, day := range b.Loans {
		if !b.Pair.Confirms(day) {
			break // nor does it confirm a later one
		}
		n++
	}
	return n
}

// Find returns the title on the shelf, or nil. What it points to is the shelf's own.
func (s *Shelf) Find(book int64) *ShelfBook {
	if i, found := s.search(book); found {
		return &s.Books[i]
	}
	return nil
}

// search returns where the title stands, or would stand.
func (s *Shelf) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.Books, book, func(b ShelfBook, book int64) int { return cmp.Compare(b.Book, book) })
}

// place returns the title, which it puts on the shelf where it is not there.
func (s *Shelf) place(book int64) *ShelfBook {
	i, found := s.search(book)
	if !found {
		s.Books = slices.Insert(s.Books, i, ShelfBook{Book: book})
	}
	return &s.Books[i]
}

// lend notes a loan of the title.
func (b *ShelfBook) lend(day calendar.Date) {
	i, _ := slices.BinarySearch(b.Loans, day)
	b.Loans = slices.Insert(b.Loans, i, day)
}

const (
	shelfVersion = 1

	// minShelfBook is the number of bytes that a title takes at least: identifier, sessions, loans, and one of those.
	minShelfBook = 4
)

// AppendBinary appends the stored form: a byte for the version, the number of titles, then each. A title is the distance
// of its identifier from the one before, its sessions, and where it has any their seconds, the highest share, the last
// day, and for each of the two shares that was reached the days from it to the last one; then its number of loans, the
// day of the first, and the days from each to the next. Days are distances from HistoryStart, numbers varints.
func (s *Shelf) AppendBinary(b []byte) []byte {
	b = append(b, shelfVersion)
	b = binary.AppendUvarint(b, uint64(len(s.Books)))
	former := int64(0)
	for i := range s.Books {
		book := &s.Books[i]
		b = appendStep(b, book.Book, former, i == 0)
		former = book.Book
		b = book.Pair.append(b)
		b = binary.AppendUvarint(b, uint64(len(book.Loans)))
		for i, day := range book.Loans {
			if i == 0 {
				b = appendDate(b, day)
			} else {
				b = binary.AppendUvarint(b, uint64(day-book.Loans[i-1]))
			}
		}
	}
	return b
}

// append appends the pair as readPair reads it.
func (p Pair) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(p.Sessions))
	if p.Sessions == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(p.Seconds))
	b = binary.AppendUvarint(b, uint64(p.Highest))
	b = appendDate(b, p.Last)
	for _, share := range [...]Progress{Reading10, Reading50} {
		if day, ok := p.Reached(share); ok {
			b = binary.AppendUvarint(b, uint64(int64(p.Last)-int64(day)))
		}
	}
	return b
}

// ParseShelf unpacks a stored shelf. Of data it keeps nothing. The error is [packed.ErrCorrupt].
func ParseShelf(data []byte) (*Shelf, error) {
	d := packed.NewDecoder(data, shelfVersion)
	s := &Shelf{Books: make([]ShelfBook, d.Count(minShelfBook))}
	former := int64(0)
	for i := range s.Books {
		book := &s.Books[i]
		book.Book = step(d, former, i == 0)
		former = book.Book
		book.Pair = readPair(d)
		book.Loans = readLoanDays(d)
		if d.Check(book.Pair.Sessions > 0 || len(book.Loans) > 0); d.Bad() {
			break
		}
	}
	if err := d.End(); err != nil {
		return nil, err
	}
	return s, nil
}

func readPair(d *packed.Decoder) Pair {
	p := Pair{Sessions: natural(d)}
	if p.Sessions == 0 {
		return p
	}
	p.Seconds = natural(d)
	highest := d.Uvarint()
	d.Check(highest <= uint64(whole))
	p.Highest = Progress(highest)
	p.Last = readDate(d)
	if p.Highest >= Reading10 {
		p.Day10 = readDayBefore(d, p.Last)
	}
	if p.Highest >= Reading50 {
		p.Day50 = readDayBefore(d, p.Last)
		d.Check(p.Day10 <= p.Day50)
	}
	return p
}

// readDayBefore reads a day as the number of days to a later one.
func readDayBefore(d *packed.Decoder, later calendar.Date) calendar.Date {
	v := d.Uvarint()
	d.Check(v <= uint64(int64(later)-math.MinInt32))
	return calendar.Date(int64(later) - int64(v))
}

func readLoanDays(d *packed.Decoder) []calendar.Date {
	n := d.Count(1)
	if n == 0 {
		return nil
	}
	days := make([]calendar.Date, n)
	days[0] = readDate(d)
	for i := 1; i < n; i++ {
		v := d.Uvarint()
		d.Check(v <= uint64(math.MaxInt32-int64(days[i-1])))
		days[i] = calendar.Date(int64(days[i-1]) + int64(v))
	}
	return days
}
