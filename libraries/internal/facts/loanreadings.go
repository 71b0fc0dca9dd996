package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// LoanReadings have what the readers of the loans of one day read of the titles, by reader, then title. [ReaderTitles] say
// the same, but here a list of loans reads one block for a day. Pairs that read nothing are left out. A day has such a block
// from its first loan on.
type LoanReadings []LoanReading

// LoanReading is what a reader read of a title, over all its loans.
type LoanReading struct {
	Reader, Book, Seconds int64
	Highest               libraries.Progress
}

// Compare orders readings by reader, then title.
func (r LoanReading) Compare(o LoanReading) int {
	return cmp.Or(cmp.Compare(r.Reader, o.Reader), cmp.Compare(r.Book, o.Book))
}

// With returns the readings, with later ones in place of those of the same pairs. The later ones may be in any order, each of
// another pair; With sorts them.
func (l LoanReadings) With(later []LoanReading) LoanReadings {
	slices.SortFunc(later, LoanReading.Compare)
	all := make(LoanReadings, 0, len(l)+len(later))
	for _, r := range later {
		for len(l) > 0 && l[0].Compare(r) < 0 {
			all, l = append(all, l[0]), l[1:]
		}
		if len(l) > 0 && l[0].Compare(r) == 0 {
			l = l[1:]
		}
		all = append(all, r)
	}
	return append(all, l...)
}

// Columns implements [packed.Form].
func (l *LoanReadings) Columns(c *packed.Columns) {
	c.Version(1)
	rows := packed.Rows(c, (*[]LoanReading)(l))
	packed.Rising(rows, 0, func(r *LoanReading) *int64 { return &r.Reader })
	packed.Naturals(rows, most, func(r *LoanReading) *int64 { return &r.Book })
	packed.Naturals(rows, most, func(r *LoanReading) *int64 { return &r.Seconds })
	packed.Naturals(rows, libraries.MaxProgress, func(r *LoanReading) *libraries.Progress { return &r.Highest })
}

// DayReading is a LoanReading of the loans of a day.
type DayReading struct {
	Day calendar.Date
	LoanReading
}

// loanReadings adds the reader's reading of a title to the days of its loans, if it has changed or a loan is new. Reading never
// becomes less.
func (f *aggregation) loanReadings(was earlierTitle, now *ReaderTitle) {
	if now.Pair.Seconds == 0 && now.Pair.Highest == 0 ||
		now.Pair.Seconds == was.pair.Seconds && now.Pair.Highest == was.pair.Highest && int64(len(now.Loans)) == was.loans {
		return
	}
	for i, loan := range now.Loans {
		if i == 0 || now.Loans[i-1].Start != loan.Start {
			f.change.Read = append(f.change.Read, DayReading{loan.Start, LoanReading{f.reader, now.Book, now.Pair.Seconds, now.Pair.Highest}})
		}
	}
}
