package facts_test

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// foldFacts are what feeds have said so far: each event and request once, loans and reservations as they are now. All that
// is folded follows from them, by the slow and obvious way of view.
type foldFacts struct {
	events       map[facts.EventID]facts.Event
	loans        map[int64]libraries.Loan
	reservations map[int64]libraries.Reservation
	requests     map[int64]libraries.Request
}

// readerOn and titleOn are a reader and a title on a day.
type readerOn struct {
	day    calendar.Date
	reader int64
}

type titleOn struct {
	day  calendar.Date
	book int64
}

// foldView is what the folded forms say.
type foldView struct {
	rows     map[readerOn]metric.Measures
	books    map[readerOn][]int64
	logins   map[readerOn]libraries.Presence
	titles   map[titleOn]metric.Measures
	totals   map[calendar.Date]facts.DayTotals
	shelves  map[int64]facts.ReaderTitles
	holdings facts.CountsByTitle
	loans    map[int64]int64 // historical, by reader
	active   map[int64]int64 // reservations, by reader
	requests map[int64]libraries.Request
}

func newFoldView() foldView {
	return foldView{
		rows: map[readerOn]metric.Measures{}, books: map[readerOn][]int64{}, logins: map[readerOn]libraries.Presence{},
		titles: map[titleOn]metric.Measures{}, totals: map[calendar.Date]facts.DayTotals{}, shelves: map[int64]facts.ReaderTitles{},
		loans: map[int64]int64{}, active: map[int64]int64{}, requests: map[int64]libraries.Request{},
	}
}

// view computes everything anew.
func (f *foldFacts) view() foldView {
	v := newFoldView()
	for _, e := range f.events {
		f.viewEvent(v, e)
	}
	for _, l := range f.loans {
		f.viewLoan(v, l)
	}
	for _, r := range f.reservations {
		f.viewReservation(v, r)
	}
	f.viewPairs(&v)
	maps.Copy(v.requests, f.requests)
	for _, m := range []map[int64]int64{v.loans, v.active} {
		maps.DeleteFunc(m, func(_, n int64) bool { return n == 0 })
	}
	v.close()
	return v
}

// count adds to a metric of the reader, of the title where there is one, and of the day.
func (v foldView) count(day calendar.Date, reader, book int64, m metric.Metric, n int64) {
	row := v.rows[readerOn{day, reader}]
	row[m] += n
	v.rows[readerOn{day, reader}] = row
	if book != 0 {
		v.countTitle(day, book, m, n)
	}
	total := v.totals[day]
	total.Sums[m] += n
	v.totals[day] = total
}

func (v foldView) countTitle(day calendar.Date, book int64, m metric.Metric, n int64) {
	sums := v.titles[titleOn{day, book}]
	sums[m] += n
	v.titles[titleOn{day, book}] = sums
}

// active notes one event of activity.
func (v foldView) present(day calendar.Date, reader int64, second int32) {
	p, found := v.logins[readerOn{day, reader}]
	if !found {
		p.First, p.Last = second, second
		v.count(day, reader, 0, metric.Logins, 1)
	}
	v.logins[readerOn{day, reader}] = libraries.Presence{Events: p.Events + 1, First: min(p.First, second), Last: max(p.Last, second)}
}

// whole changes the counts of a day as a whole.
func (v foldView) whole(day calendar.Date, change func(*metric.DayCounts)) {
	total := v.totals[day]
	change(&total.Counts)
	v.totals[day] = total
}

func (f *foldFacts) viewEvent(v foldView, e facts.Event) {
	v.present(e.Day, e.Reader, e.Second)
	switch e.Kind {
	case libraries.PreviewEvent:
		v.count(e.Day, e.Reader, 0, metric.Previews, 1)
	case libraries.RenewalEvent:
		v.count(e.Day, e.Reader, e.Book, metric.Renewals, 1)
	case libraries.SessionEvent:
		v.count(e.Day, e.Reader, e.Book, metric.ReadingSeconds, e.Seconds)
		if e.Format == libraries.Audiobook {
			v.count(e.Day, e.Reader, e.Book, metric.ListeningSeconds, e.Seconds)
			v.count(e.Day, e.Reader, 0, metric.ListeningSessions, 1) // titles have none
		}
		if key := (readerOn{e.Day, e.Reader}); !slices.Contains(v.books[key], e.Book) {
			v.books[key] = slices.Sorted(slices.Values(append(v.books[key], e.Book)))
			v.count(e.Day, e.Reader, 0, metric.DistinctBooks, 1)
		}
		v.whole(e.Day, func(c *metric.DayCounts) {
			if e.Mode == libraries.Online {
				c.OnlineSessions, c.OnlineSeconds = c.OnlineSessions+1, c.OnlineSeconds+e.Seconds
			} else {
				c.OfflineSessions, c.OfflineSeconds = c.OfflineSessions+1, c.OfflineSeconds+e.Seconds
			}
		})
	}
}

func (f *foldFacts) viewLoan(v foldView, l libraries.Loan) {
	v.loans[l.Reader]++
	v.present(l.Day(), l.Reader, libraries.Second(l.Borrowed))
	v.count(l.Day(), l.Reader, l.Book, metric.Loans, 1)
	v.whole(l.Day(), func(c *metric.DayCounts) { c.LoansByStatus[l.Status]++ })
	end := calendar.Day(l.Returned)
	switch l.Status {
	case libraries.LoanReturned:
		v.present(end, l.Reader, libraries.Second(l.Returned))
		v.count(end, l.Reader, l.Book, metric.Returns, 1)
	case libraries.LoanExpired:
		v.count(end, l.Reader, l.Book, metric.Returns, 1)
	}
}

func (f *foldFacts) viewReservation(v foldView, r libraries.Reservation) {
	v.present(r.Day(), r.Reader, libraries.Second(r.Reserved))
	v.count(r.Day(), r.Reader, r.Book, metric.Reservations, 1)
	v.whole(r.Day(), func(c *metric.DayCounts) { c.ReservationsByStatus[r.Status]++ })
	resolved := calendar.Day(r.Resolved)
	switch r.Status {
	case libraries.Waiting, libraries.Available:
		v.active[r.Reader]++
	case libraries.Converted:
		v.count(r.Day(), r.Reader, r.Book, metric.ReservationsConverted, 1)
		v.countTitle(resolved, r.Book, metric.ConvertedThatDay, 1)
		total := v.totals[resolved]
		total.Sums[metric.ConvertedThatDay]++
		v.totals[resolved] = total
	case libraries.Cancelled:
		v.whole(resolved, func(c *metric.DayCounts) { c.Cancelled++ })
	case libraries.Lost:
		v.whole(resolved, func(c *metric.DayCounts) { c.Lost++ })
	}
}

// viewPairs finds what follows from all sessions and loans of a reader and a title.
func (f *foldFacts) viewPairs(v *foldView) {
	pairs := map[readerOn]bool{} // of a title instead of a day
	for _, e := range f.events {
		pairs[readerOn{calendar.Date(e.Book), e.Reader}] = pairs[readerOn{calendar.Date(e.Book), e.Reader}] || e.Kind == libraries.SessionEvent
	}
	for _, l := range f.loans {
		pairs[readerOn{calendar.Date(l.Book), l.Reader}] = true
	}
	held := map[int64]facts.TitleCounts{}
	for pair, any := range pairs {
		if any {
			f.viewPair(v, pair.reader, int64(pair.day), held)
		}
	}
	for _, l := range f.loans {
		if l.Status == libraries.LoanActive {
			h := held[l.Book]
			h.ActiveLoans++
			held[l.Book] = h
		}
	}
	for _, r := range f.reservations {
		if r.Status == libraries.Waiting || r.Status == libraries.Available {
			h := held[r.Book]
			h.ActiveReservations++
			held[r.Book] = h
		}
	}
	for _, book := range slices.Sorted(maps.Keys(held)) {
		if h := held[book]; h != (facts.TitleCounts{}) {
			h.Book = book
			v.holdings = append(v.holdings, h)
		}
	}
	for _, shelf := range v.shelves {
		slices.SortFunc(shelf.Books, func(a, b facts.ReaderTitle) int { return cmp.Compare(a.Book, b.Book) })
	}
}

func (f *foldFacts) viewPair(v *foldView, reader, book int64, held map[int64]facts.TitleCounts) {
	on := facts.ReaderTitle{Book: book}
	reached := map[libraries.Progress][]calendar.Date{}
	for _, e := range f.events {
		if e.Kind != libraries.SessionEvent || e.Reader != reader || e.Book != book {
			continue
		}
		if !slices.Contains(on.Pair.Days, e.Day) {
			on.Pair.Days = append(on.Pair.Days, e.Day)
		}
		on.Pair.Seconds += e.Seconds
		on.Pair.Highest = max(on.Pair.Highest, e.Progress)
		for _, share := range []libraries.Progress{10_000, 50_000} {
			if e.Progress >= share {
				reached[share] = append(reached[share], e.Day)
			}
		}
	}
	if days := reached[10_000]; len(days) > 0 {
		on.Pair.Day10 = slices.Min(days)
		v.count(on.Pair.Day10, reader, book, metric.Readings10, 1)
	}
	if days := reached[50_000]; len(days) > 0 {
		on.Pair.Day50 = slices.Min(days)
		v.count(on.Pair.Day50, reader, book, metric.Readings50, 1)
	}
	h := held[book]
	for _, l := range f.loans {
		if l.Reader == reader && l.Book == book {
			days := calendar.Period{Start: l.Day(), End: libraries.Unended}
			if l.Status != libraries.LoanActive {
				days.End = calendar.Day(l.Returned)
			}
			lent := facts.LoanDays{Start: days.Start}
			if l.Status != libraries.LoanActive {
				lent.Days = int32(days.Days())
			}
			on.Loans = append(on.Loans, lent)
			if slices.ContainsFunc(on.Pair.Days, days.Contains) {
				h.Confirmed++
			}
		}
	}
	slices.Sort(on.Pair.Days)
	slices.SortFunc(on.Loans, func(a, b facts.LoanDays) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Days, b.Days))
	})
	if len(on.Loans) > 0 && len(reached[10_000]) > 0 {
		h.Readings++
	}
	held[book] = h
	shelf := v.shelves[reader]
	shelf.Books = append(shelf.Books, on)
	v.shelves[reader] = shelf
}

// close leaves out what is 0, as the forms do, and counts the rows.
func (v foldView) close() {
	maps.DeleteFunc(v.rows, func(_ readerOn, m metric.Measures) bool { return m == metric.Measures{} })
	maps.DeleteFunc(v.titles, func(_ titleOn, m metric.Measures) bool { return m == metric.Measures{} })
	for key := range v.rows {
		total := v.totals[key.day]
		total.Readers++
		v.totals[key.day] = total
	}
	for day, total := range v.totals {
		total.Sums[metric.DistinctBooks] = 0
		v.totals[day] = total
	}
	maps.DeleteFunc(v.totals, func(_ calendar.Date, t facts.DayTotals) bool { return t == facts.DayTotals{} })
}
