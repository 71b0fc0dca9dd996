package facts

import (
	"cmp"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Sums are what the records of one user come to over all their days. A user without records has none.
type Sums struct{ books []bookSum }

// bookSum is what all days of a book come to.
type bookSum struct {
	book         int64
	first        calendar.Date
	days         int32 // from the first to the last
	starts, ends int32 // seconds of the first and of the last day
	minutes      reading.Minutes
	covered      int64
	end          int64 // of the last interval: covered is right for every length from there on
}

// Columns declares the stored form.
func (s *Sums) Columns(c *packed.Columns) {
	c.Version(formVersion)
	books := packed.Rows(c, &s.books)
	packed.Ascending(books, 0, func(b *bookSum) *int64 { return &b.book })
	packed.FixedWidth(books, math.MinInt32, math.MaxInt32, func(b *bookSum) *calendar.Date { return &b.first })
	packed.Naturals(books, math.MaxInt32, func(b *bookSum) *int32 { return &b.days })
	packed.Naturals(books, math.MaxInt32, func(b *bookSum) *int32 { return &b.starts })
	packed.Naturals(books, math.MaxInt32, func(b *bookSum) *int32 { return &b.ends })
	packed.Naturals(books, math.MaxInt64, func(b *bookSum) *reading.Minutes { return &b.minutes })
	packed.Naturals(books, math.MaxInt64, func(b *bookSum) *int64 { return &b.covered })
	packed.Naturals(books, math.MaxInt64, func(b *bookSum) *int64 { return &b.end })
}

// search returns the place of a book.
func (s *Sums) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.books, book, func(b bookSum, book int64) int { return cmp.Compare(b.book, book) })
}

// Put puts in what a record comes to, which has a day, in the place of what the book had.
func (s *Sums) Put(book int64, r *reading.Record) {
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	sum := bookSum{book: book, first: first.Date, days: int32(last.Date - first.Date), starts: first.First, ends: last.Last}
	var all reading.Coverage
	for _, d := range r.Days {
		if n := len(d.Coverage); n > 0 {
			sum.end = max(sum.end, d.Coverage[n-1].To)
		}
		all = all.Union(d.Coverage)
		sum.minutes += d.Minutes
	}
	sum.covered = all.Within(sum.end)
	i, had := s.search(book)
	if !had {
		s.books = slices.Insert(s.books, i, sum)
	}
	s.books[i] = sum
}

// MayFinish reports whether some days of a book may finish it (S4), for the given length: false where all of them together do not.
func (s *Sums) MayFinish(book int64, length int64) bool {
	i, ok := s.search(book)
	return !ok || reading.PercentOf(s.books[i].covered, length).Finished()
}

// Total returns what a book comes to in a period, for the given length; false where the book has no sum, or where the sum does not
// say it: since not all days are of the period, or what was read goes on behind the length.
func (s *Sums) Total(book int64, p calendar.Period, length int64) (reading.Total, bool) {
	i, ok := s.search(book)
	if !ok {
		return reading.Total{}, false
	}
	b := &s.books[i]
	last := b.first + calendar.Date(b.days)
	percent := reading.PercentOf(b.covered, length)
	return reading.Total{
		Minutes: b.minutes, Percent: percent, Finished: percent.Finished(), First: b.first.At(b.starts), Last: last.At(b.ends),
	}, p.Contains(b.first) && p.Contains(last) && b.end <= length
}
