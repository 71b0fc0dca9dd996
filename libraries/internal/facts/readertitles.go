package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// ReaderTitles is what one reader did with each title: its sessions, and the loans of it.
type ReaderTitles struct {
	Books []ReaderTitle // by Book, ascending
}

// ReaderTitle is one title of a ReaderTitles.
type ReaderTitle struct {
	Book  int64
	Pair  libraries.Pair
	Loans []calendar.Period // the days of each loan of the title, by Start, then End, some perhaps twice
}

// Confirmed returns the number of confirmed loans of the title (L7).
func (b *ReaderTitle) Confirmed() int64 {
	n := int64(0)
	for _, loan := range b.Loans {
		if b.Pair.Confirms(loan) {
			n++
		}
	}
	return n
}

// Find returns the title, or nil. What it points to is its own.
func (s *ReaderTitles) Find(book int64) *ReaderTitle {
	if i, found := s.search(book); found {
		return &s.Books[i]
	}
	return nil
}

// search returns where the title stands, or would stand.
func (s *ReaderTitles) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.Books, book, func(b ReaderTitle, book int64) int { return cmp.Compare(b.Book, book) })
}

// place returns the title, which it puts among the reader's where it is not there.
func (s *ReaderTitles) place(book int64) *ReaderTitle {
	i, found := s.search(book)
	if !found {
		s.Books = slices.Insert(s.Books, i, ReaderTitle{Book: book})
	}
	return &s.Books[i]
}

// lend notes a loan of the title.
func (b *ReaderTitle) lend(loan calendar.Period) {
	i, _ := slices.BinarySearchFunc(b.Loans, loan, comparePeriods)
	b.Loans = slices.Insert(b.Loans, i, loan)
}

// relend notes that a loan of the title has other days than before, and reports whether the reader has it.
func (b *ReaderTitle) relend(before, now calendar.Period) bool {
	i, found := slices.BinarySearchFunc(b.Loans, before, comparePeriods)
	if found {
		b.Loans = slices.Delete(b.Loans, i, i+1)
		b.lend(now)
	}
	return found
}

func comparePeriods(a, b calendar.Period) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}
