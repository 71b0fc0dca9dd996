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
	end          int64      // of the last interval: covered is right for every length from there on
	months       []monthSum // of a book that was read in several months, ascending
}

// monthSum is what the days of one month cover of a book.
type monthSum struct {
	after   int32 // months after that of the first day
	covered int64
}

// monthOf returns the number of the month that a day is in.
func monthOf(d calendar.Date) int32 {
	year, month, _ := d.Date()
	return int32(12*year + int(month) - 1)
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
	months := packed.Lists(books, func(b *bookSum) *[]monthSum { return &b.months })
	packed.Ascending(months, 0, func(m *monthSum) *int32 { return &m.after })
	packed.Naturals(months, math.MaxInt64, func(m *monthSum) *int64 { return &m.covered })
}

// search returns the place of a book.
func (s *Sums) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.books, book, func(b bookSum, book int64) int { return cmp.Compare(b.book, book) })
}

// Put puts in what a record comes to, which has a day, in the place of what the book had.
func (s *Sums) Put(book int64, r *reading.Record) {
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	sum := bookSum{book: book, first: first.Date, days: int32(last.Date - first.Date), starts: first.First, ends: last.Last}
	var all, ofMonth reading.Coverage
	for i, d := range r.Days {
		if n := len(d.Coverage); n > 0 {
			sum.end = max(sum.end, d.Coverage[n-1].To)
		}
		sum.minutes += d.Minutes
		ofMonth = ofMonth.Union(d.Coverage)
		if month := monthOf(d.Date); i+1 == len(r.Days) || monthOf(r.Days[i+1].Date) != month {
			all = all.Union(ofMonth)
			sum.months = append(sum.months, monthSum{month - monthOf(first.Date), ofMonth.Within(math.MaxInt64)})
			ofMonth = nil
		}
	}
	sum.covered = all.Within(sum.end)
	if len(sum.months) == 1 {
		sum.months = nil // it is the whole sum
	}
	i, had := s.search(book)
	if !had {
		s.books = slices.Insert(s.books, i, sum)
	}
	s.books[i] = sum
}

// Finished reports whether what was read of a book in a period finishes it (S4), for the given length, where the sums tell: they
// know what each month covers, so that they tell it of a whole month, and mostly of other periods.
func (s *Sums) Finished(book int64, p calendar.Period, length int64) (finished, known bool) {
	i, ok := s.search(book)
	if !ok {
		return false, false
	}
	least, most := s.books[i].within(p)
	if !reading.PercentOf(most, length).Finished() {
		return false, true
	}
	finished = s.books[i].end <= length && reading.PercentOf(least, length).Finished()
	return finished, finished
}

// within returns bounds of what the days of a period cover.
func (b *bookSum) within(p calendar.Period) (least, most int64) {
	last := b.first + calendar.Date(b.days)
	if p.Start <= b.first && last <= p.End {
		return b.covered, b.covered
	}
	from, to := monthOf(max(p.Start, b.first)), monthOf(min(p.End, last))
	wholeFrom, wholeTo := from, to // the months of which all days on which the book was read are in the period
	if p.Start > b.first && monthOf(p.Start-1) == from {
		wholeFrom++
	}
	if p.End < last && monthOf(p.End+1) == to {
		wholeTo--
	}
	first := monthOf(b.first)
	months := b.months
	if len(months) == 0 {
		months = []monthSum{{0, b.covered}}
	}
	for _, m := range months {
		n := first + m.after
		if from <= n && n <= to {
			most += min(m.covered, b.covered-most)
		}
		if wholeFrom <= n && n <= wholeTo {
			least = max(least, m.covered)
		}
	}
	return least, most
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
