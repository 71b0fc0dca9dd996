package facts

import (
	"cmp"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Sums has totals over all days of each book that one user read. They repeat what the records say, so that
// most answers read one row for each user instead of one for each book. A user without records has none.
type Sums struct{ books []bookSum }

// bookSum is the total of one book over all days.
type bookSum struct {
	book         int64
	first        calendar.Date
	days         int32 // from the first to the last
	starts, ends int32 // seconds of the first and of the last day
	minutes      reading.Minutes
	covered      int64
	end          int64      // of the last interval; covered is right for a book of this length or longer
	months       []monthSum // of a book that was read in several months, ascending
}

// monthSum is the coverage of one book by the days of one month.
type monthSum struct {
	after   int32 // months after that of the first day
	covered int64
}

// monthOf returns the number of the month that a day is in.
func monthOf(d calendar.Date) int32 {
	year, month, _ := d.Date()
	return int32(12*year + int(month) - 1)
}

// Columns declares the stored form. It implements [packed.Form].
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

// search returns the place of a book, and whether it is there.
func (s *Sums) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.books, book, func(b bookSum, book int64) int { return cmp.Compare(b.book, book) })
}

// Put replaces the sum of a book by that of its record, which must have a day.
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
		sum.months = nil // the month is the whole sum
	}
	i, had := s.search(book)
	if !had {
		s.books = slices.Insert(s.books, i, sum)
	}
	s.books[i] = sum
}

// Finished reports whether a user finished a book of the given length in a period (S4), and whether the sums
// can tell. They have the coverage of each month. So they can tell for whole months, and mostly for other
// periods: the true coverage is between two bounds, and 50 % is rarely between them.
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

// within returns the least and the most that the days of a period can cover.
func (b *bookSum) within(p calendar.Period) (least, most int64) {
	last := b.first + calendar.Date(b.days)
	if p.Start <= b.first && last <= p.End {
		return b.covered, b.covered
	}
	from, to := monthOf(max(p.Start, b.first)), monthOf(min(p.End, last))
	wholeFrom, wholeTo := from, to // months whose days with reading are all in the period
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

// Total returns the total of a book of the given length over a period. It returns false if the sums cannot
// tell: the book has none, a day is outside of the period, or coverage goes beyond the length.
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
