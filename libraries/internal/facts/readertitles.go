package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ReaderTitles are the titles of one reader, with what the sessions of each reached, and with its loans.
type ReaderTitles struct {
	Books []ReaderTitle // by Book, ascending
}

// ReaderTitle is one title of a ReaderTitles.
type ReaderTitle struct {
	Book  int64
	Pair  libraries.Pair
	Loans []LoanDays // of the title, by Start, then Days, some perhaps twice
}

// LoanDays are the days of a loan: the day on which it was made, and the number of days, or 0 while it is active.
type LoanDays struct {
	Start calendar.Date
	Days  int32
}

// loanDaysOf returns the days of a loan.
func loanDaysOf(days calendar.Period) LoanDays {
	if days.End == libraries.Unended {
		return LoanDays{Start: days.Start}
	}
	return LoanDays{days.Start, int32(days.Days())}
}

// period returns the days of the loan.
func (l LoanDays) period() calendar.Period {
	if l.Days == 0 {
		return calendar.Period{Start: l.Start, End: libraries.Unended}
	}
	return calendar.Period{Start: l.Start, End: l.Start + calendar.Date(l.Days) - 1}
}

func (l LoanDays) compare(o LoanDays) int {
	return cmp.Or(cmp.Compare(l.Start, o.Start), cmp.Compare(l.Days, o.Days))
}

// Columns implements [packed.Form].
func (s *ReaderTitles) Columns(c *packed.Columns) {
	c.Version(1)
	titles := packed.Rows(c, &s.Books)
	packed.Ascending(titles, 0, func(t *ReaderTitle) *int64 { return &t.Book })
	packed.Naturals(titles, most, func(t *ReaderTitle) *int64 { return &t.Pair.Seconds })
	packed.Naturals(titles, libraries.MaxProgress, func(t *ReaderTitle) *libraries.Progress { return &t.Pair.Highest })
	days := packed.Lists(titles, func(t *ReaderTitle) *[]calendar.Date { return &t.Pair.Days })
	packed.Ascending(days, libraries.HistoryStart, packed.Itself)
	loans := packed.Lists(titles, func(t *ReaderTitle) *[]LoanDays { return &t.Loans })
	packed.Rising(loans, libraries.HistoryStart, func(l *LoanDays) *calendar.Date { return &l.Start })
	packed.Naturals(loans, lastDay, func(l *LoanDays) *int32 { return &l.Days })
	s.reached(c, libraries.Reading10, func(p *libraries.Pair) *calendar.Date { return &p.Day10 })
	s.reached(c, libraries.Reading50, func(p *libraries.Pair) *calendar.Date { return &p.Day50 })
}

// reached declares the days on which a share was reached, each as its place among the title's days. Mostly it is the first.
func (s *ReaderTitles) reached(c *packed.Columns, share libraries.Progress, of func(*libraries.Pair) *calendar.Date) {
	var places packed.Sparse
	for i := range s.Books {
		p := &s.Books[i].Pair
		if !c.Reading() {
			places.Put(i, placeOf(p.Days, *of(p)))
		} else if p.Highest >= share && len(p.Days) > 0 {
			*of(p) = p.Days[0]
		}
	}
	if c.Sparse(&places, len(s.Books)); !c.Reading() {
		return
	}
	err := places.Visit(func(book int, place int64) {
		p := &s.Books[book].Pair
		if c.Check(p.Highest >= share && place < int64(len(p.Days))); !c.Bad() {
			*of(p) = p.Days[place]
		}
	})
	c.Check(err == nil)
}

// placeOf returns the place of a day, or 0 if it is not there.
func placeOf(days []calendar.Date, day calendar.Date) int64 {
	if i, found := slices.BinarySearch(days, day); found {
		return int64(i)
	}
	return 0
}

// Confirmed returns the number of confirmed loans of the title (L7).
func (b *ReaderTitle) Confirmed() int64 {
	n := int64(0)
	for _, loan := range b.Loans {
		if b.Pair.Confirms(loan.period()) {
			n++
		}
	}
	return n
}

// Find returns the title, or nil. The caller may change it.
func (s *ReaderTitles) Find(book int64) *ReaderTitle {
	if i, found := s.search(book); found {
		return &s.Books[i]
	}
	return nil
}

// search returns the place of the title, or where it would be.
func (s *ReaderTitles) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(s.Books, book, func(b ReaderTitle, book int64) int { return cmp.Compare(b.Book, book) })
}

// place returns the title, which it inserts if the reader lacks it.
func (s *ReaderTitles) place(book int64) *ReaderTitle {
	i, found := s.search(book)
	if !found {
		s.Books = slices.Insert(s.Books, i, ReaderTitle{Book: book})
	}
	return &s.Books[i]
}

// lend adds a loan of the title.
func (b *ReaderTitle) lend(loan LoanDays) {
	i, _ := slices.BinarySearchFunc(b.Loans, loan, LoanDays.compare)
	b.Loans = slices.Insert(b.Loans, i, loan)
}

// relend changes the days of a loan of the title, and reports whether the title has it.
func (b *ReaderTitle) relend(before, now LoanDays) bool {
	i, found := slices.BinarySearchFunc(b.Loans, before, LoanDays.compare)
	if found {
		b.Loans = slices.Delete(b.Loans, i, i+1)
		b.lend(now)
	}
	return found
}
