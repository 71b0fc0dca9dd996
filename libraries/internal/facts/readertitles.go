package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ReaderTitles is what one reader did with each title: its sessions, and the loans of it.
type ReaderTitles struct {
	Books []ReaderTitle // by Book, ascending
}

// ReaderTitle is one title of a ReaderTitles.
type ReaderTitle struct {
	Book  int64
	Pair  libraries.Pair
	Loans []Lent // of the title, by Start, then Days, some perhaps twice
}

// Lent is a loan of a title: the day on which it was made, and how many days it took, or 0 while it is active.
type Lent struct {
	Start calendar.Date
	Days  int32
}

// lentOf returns the loan of some days.
func lentOf(days calendar.Period) Lent {
	if days.End == libraries.Unended {
		return Lent{Start: days.Start}
	}
	return Lent{days.Start, int32(days.Days())}
}

// period returns the days of the loan.
func (l Lent) period() calendar.Period {
	if l.Days == 0 {
		return calendar.Period{Start: l.Start, End: libraries.Unended}
	}
	return calendar.Period{Start: l.Start, End: l.Start + calendar.Date(l.Days) - 1}
}

func (l Lent) compare(o Lent) int {
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
	packed.Ascending(days, libraries.HistoryStart, itself)
	loans := packed.Lists(titles, func(t *ReaderTitle) *[]Lent { return &t.Loans })
	packed.Rising(loans, libraries.HistoryStart, func(l *Lent) *calendar.Date { return &l.Start })
	packed.Naturals(loans, lastDay, func(l *Lent) *int32 { return &l.Days })
	s.shares(c)
}

// shares declares the days on which shares were reached, each as its place among the title's days: mostly the first.
func (s *ReaderTitles) shares(c *packed.Columns) {
	type places struct{ ten, fifty int32 }
	all := make([]places, len(s.Books))
	if !c.Reading() {
		for i := range all {
			p := &s.Books[i].Pair
			all[i] = places{placeOf(p.Days, p.Day10), placeOf(p.Days, p.Day50)}
		}
	}
	t := packed.Array(c, all)
	packed.Sparsely(t, func(p *places) *int32 { return &p.ten })
	packed.Sparsely(t, func(p *places) *int32 { return &p.fifty })
	if !c.Reading() {
		return
	}
	for i := range all {
		p := &s.Books[i].Pair
		if c.Check(max(all[i].ten, all[i].fifty) < max(int32(len(p.Days)), 1)); c.Bad() {
			return
		}
		if p.Highest >= libraries.Reading10 && len(p.Days) > 0 {
			p.Day10 = p.Days[all[i].ten]
		}
		if p.Highest >= libraries.Reading50 && len(p.Days) > 0 {
			p.Day50 = p.Days[all[i].fifty]
		}
	}
}

// placeOf returns the place of a day, or 0 where it is not there.
func placeOf(days []calendar.Date, day calendar.Date) int32 {
	if i, found := slices.BinarySearch(days, day); found {
		return int32(i)
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
func (b *ReaderTitle) lend(loan Lent) {
	i, _ := slices.BinarySearchFunc(b.Loans, loan, Lent.compare)
	b.Loans = slices.Insert(b.Loans, i, loan)
}

// relend notes that a loan of the title has other days than before, and reports whether the reader has it.
func (b *ReaderTitle) relend(before, now Lent) bool {
	i, found := slices.BinarySearchFunc(b.Loans, before, Lent.compare)
	if found {
		b.Loans = slices.Delete(b.Loans, i, i+1)
		b.lend(now)
	}
	return found
}
