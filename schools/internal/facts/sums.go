package facts

import (
	"maps"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Sums has totals over all days of each book that one user read. They repeat what the records say, so that
// most answers read one row for each user instead of one for each book. A user without records has none.
//
// Most columns stay packed, since an answer needs few of them.
type Sums struct {
	books          []int64 // ascending
	columns        [sumColumns]packed.Fixed
	months         packed.Fixed // of each book: where its months end in the columns below; a book that was read in one month has none
	after, inMonth packed.Fixed // of each month: the months since that of the book's first day, and the coverage
}

// The numbers of a book in [Sums].
const (
	sumFirst   = iota // the first day
	sumDays           // from there to the last one
	sumStarts         // second of the first day
	sumEnds           // second of the last day
	sumMinutes        // tenths of a minute
	sumCovered        // right for a book that is as long as sumEnd, or longer
	sumEnd            // of the last interval
	sumColumns
)

// maxMonths bounds the months of a user's books, so that a corrupt block cannot ask for endless work.
const maxMonths = 1 << 20

// Columns declares the stored form. It implements [packed.Form].
func (s *Sums) Columns(c *packed.Columns) {
	c.Version(formVersion)
	packed.Ascending(packed.Rows(c, &s.books), 0, packed.Itself)
	for i := range s.columns {
		switch i {
		case sumFirst:
			c.Fixed(&s.columns[i], len(s.books), math.MinInt32, math.MaxInt32)
		case sumDays, sumStarts, sumEnds:
			c.Fixed(&s.columns[i], len(s.books), 0, math.MaxInt32)
		default:
			c.Fixed(&s.columns[i], len(s.books), 0, math.MaxInt64)
		}
	}
	months := c.Ends(&s.months, len(s.books), maxMonths)
	c.Fixed(&s.after, months, 0, math.MaxInt32)
	c.Fixed(&s.inMonth, months, 0, math.MaxInt64)
}

// bookSum is the sum of one book.
type bookSum struct {
	numbers        [sumColumns]int64
	after, inMonth []int64 // of the months, if there are several
}

// sumOf returns the sum of a record, which must have a day.
func sumOf(r *reading.Record) (sum bookSum) {
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	var minutes reading.Minutes
	var end int64
	var all, ofMonth reading.Coverage
	for i, d := range r.Days {
		if n := len(d.Coverage); n > 0 {
			end = max(end, d.Coverage[n-1].To)
		}
		minutes += d.Minutes
		ofMonth = ofMonth.Union(d.Coverage)
		if month := monthOf(d.Date); i+1 == len(r.Days) || monthOf(r.Days[i+1].Date) != month {
			all = all.Union(ofMonth)
			sum.after = append(sum.after, int64(month-monthOf(first.Date)))
			sum.inMonth = append(sum.inMonth, ofMonth.Within(math.MaxInt64))
			ofMonth = nil
		}
	}
	if len(sum.after) == 1 {
		sum.after, sum.inMonth = nil, nil // the month is the whole sum
	}
	sum.numbers = [sumColumns]int64{
		sumFirst: int64(first.Date), sumDays: int64(last.Date - first.Date), sumStarts: int64(first.First), sumEnds: int64(last.Last),
		sumMinutes: int64(minutes), sumCovered: all.Within(end), sumEnd: end,
	}
	return sum
}

// With returns sums in which those of some books are replaced by those of their records, which must have a
// day each. It keeps nothing of s.
func (s *Sums) With(records map[int64]*reading.Record) *Sums {
	with := &Sums{books: slices.Concat(s.books, slices.Collect(maps.Keys(records)))}
	slices.Sort(with.books)
	with.books = slices.Compact(with.books)
	var columns [sumColumns][]int64
	var months, after, inMonth []int64
	for _, book := range with.books {
		sum := bookSum{}
		if r := records[book]; r != nil {
			sum = sumOf(r)
		} else {
			had, _ := slices.BinarySearch(s.books, book)
			for i := range s.columns {
				sum.numbers[i] = s.columns[i].At(had)
			}
			for at, end := s.months.Part(had); at < end; at++ {
				sum.after, sum.inMonth = append(sum.after, s.after.At(at)), append(sum.inMonth, s.inMonth.At(at))
			}
		}
		for i, number := range sum.numbers {
			columns[i] = append(columns[i], number)
		}
		after, inMonth = append(after, sum.after...), append(inMonth, sum.inMonth...)
		months = append(months, int64(len(after)))
	}
	for i, numbers := range columns {
		with.columns[i] = packed.FixedOf(numbers)
	}
	with.months, with.after, with.inMonth = packed.FixedOf(months), packed.FixedOf(after), packed.FixedOf(inMonth)
	return with
}

// days returns the first and the last day of the book at a place.
func (s *Sums) days(i int) (first, last calendar.Date) {
	first = calendar.Date(s.columns[sumFirst].At(i))
	return first, first + calendar.Date(s.columns[sumDays].At(i))
}

// monthOf returns the number of the month that a day is in.
func monthOf(d calendar.Date) int32 {
	year, month, _ := d.Date()
	return int32(12*year + int(month) - 1)
}

// Window is a period with the numbers of its months.
type Window struct {
	calendar.Period
	from, to           int32 // the months of its first and last day
	wholeFrom, wholeTo int32 // the first and the last month that it has whole
}

// WindowOf returns the window of a period.
func WindowOf(p calendar.Period) Window {
	return Window{p, monthOf(p.Start), monthOf(p.End), monthOf(p.Start-1) + 1, monthOf(p.End+1) - 1}
}

// Finished reports whether a user finished a book of the given length in a period (S4), and whether the sums
// can tell. They have the coverage of each month. So they can tell for whole months, and mostly for other
// periods: the true coverage is between two bounds, and 50 % is rarely between them.
func (s *Sums) Finished(book int64, w *Window, length int64) (finished, known bool) {
	i, ok := slices.BinarySearch(s.books, book)
	if !ok {
		return false, false
	}
	least, most := s.within(i, w)
	if !reading.PercentOf(most, length).Finished() {
		return false, true
	}
	finished = s.columns[sumEnd].At(i) <= length && reading.PercentOf(least, length).Finished()
	return finished, finished
}

// within returns the least and the most of a book that the days of a window can cover.
func (s *Sums) within(i int, w *Window) (least, most int64) {
	first, last := s.days(i)
	covered := s.columns[sumCovered].At(i)
	if w.Contains(first) && w.Contains(last) {
		return covered, covered
	}
	wholeFrom, wholeTo := w.wholeFrom, w.wholeTo // months whose days with reading are all in the window
	if w.Start <= first {
		wholeFrom = w.from
	}
	if last <= w.End {
		wholeTo = w.to
	}
	add := func(month int32, inMonth int64) {
		if w.from <= month && month <= w.to {
			most += min(inMonth, covered-most)
		}
		if wholeFrom <= month && month <= wholeTo {
			least = max(least, inMonth)
		}
	}
	month := monthOf(first)
	from, to := s.months.Part(i)
	if from == to {
		add(month, covered)
	}
	for ; from < to; from++ {
		add(month+int32(s.after.At(from)), s.inMonth.At(from))
	}
	return least, most
}

// longPeriod is the number of days from which on a scan of all records of a period takes longer than one of the
// records at each end of it.
const longPeriod = 90

// Across returns days that overlap those of a book's record, if the book was read in a period: the last or the first
// day of a long period if the book was read on both sides of it, otherwise the period.
func (s *Sums) Across(book int64, p calendar.Period) snapshot.Span {
	if i, ok := slices.BinarySearch(s.books, book); ok && p.End-p.Start >= longPeriod {
		first, last := s.days(i)
		if first <= p.End && p.End < last {
			return snapshot.Between(p.End, p.End)
		}
		if first < p.Start {
			return snapshot.Between(p.Start, p.Start)
		}
	}
	return snapshot.Between(p.Start, p.End)
}

// Total returns the total of a book of the given length over a period. It returns false if the sums cannot
// tell: the book has none, a day is outside of the period, or coverage goes beyond the length.
func (s *Sums) Total(book int64, p calendar.Period, length int64) (reading.Total, bool) {
	i, ok := slices.BinarySearch(s.books, book)
	if !ok {
		return reading.Total{}, false
	}
	first, last := s.days(i)
	percent := reading.PercentOf(s.columns[sumCovered].At(i), length)
	return reading.Total{
		Minutes: reading.Minutes(s.columns[sumMinutes].At(i)), Percent: percent, Finished: percent.Finished(),
		First: first.At(int32(s.columns[sumStarts].At(i))), Last: last.At(int32(s.columns[sumEnds].At(i))),
	}, p.Contains(first) && p.Contains(last) && s.columns[sumEnd].At(i) <= length
}
