package facts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Stored is what is stored of one reader, as far as a load needs it.
type Stored struct {
	Titles *ReaderTitles // nil: none
	// Events has the stored sets of the keys that EventSetKeys returns. Aggregate adds missing ones, so it must not be nil if
	// there are events or requests.
	Events map[snapshot.BlockKey]*EventSet
	// Buffers, if not nil, are used by one call after the other: a Change is valid until the next call.
	Buffers *Buffers
}

// Buffers are memory for a Change. The zero Buffers are ready.
type Buffers struct {
	days    []DayDelta
	counts  []TitleCounts
	titles  ReaderTitles
	earlier []earlierTitle
}

// Change is what aggregating a feed changes of one reader.
type Change struct {
	// Titles are all titles of the reader, nil if none changed.
	Titles *ReaderTitles
	// Days are to be added to the days, Counts to the titles; both ascend.
	Days   []DayDelta
	Counts []TitleCounts
	// Read are the changed readings of loans.
	Read []DayReading
	// Requests are those that are new.
	Requests []libraries.Request
	// Loans and ActiveReservations are to be added to the reader's Attributes.
	Loans, ActiveReservations int64
	// New and Repeated count events and requests: a repeated one had the identifier, reader and day of an earlier one (F1).
	New, Repeated int
}

// Aggregate adds a feed of the reader to what is stored. Feeds may come in any order and in any number of loads: the
// result is the same. Aggregate changes what Stored points to, which must not be used after an error. The error says that
// an event is not one of a feed, or that a changed loan was never lent. Package intake has validated all else.
func (p Stored) Aggregate(d libraries.ReaderFeed) (Change, error) {
	buffers := p.Buffers
	if buffers == nil {
		buffers = &Buffers{}
	}
	f := aggregation{reader: d.Reader, events: p.Events, titles: p.Titles, earlier: buffers.earlier[:0]}
	f.deltas.days, f.deltas.counts = buffers.days[:0], buffers.counts[:0]
	if f.titles == nil {
		f.titles = &buffers.titles
		f.titles.Books = f.titles.Books[:0]
	}
	for i := range d.Events {
		if err := f.event(&d.Events[i]); err != nil {
			return Change{}, err
		}
	}
	for i := range d.Loans {
		if err := f.loan(&d.Loans[i].Now, d.Loans[i].Was); err != nil {
			return Change{}, err
		}
	}
	for i := range d.Reservations {
		f.reservation(&d.Reservations[i].Now, d.Reservations[i].Was)
	}
	for _, r := range d.Requests {
		if f.fresh(r.Day(), requestID(r)) {
			f.change.Requests = append(f.change.Requests, r)
		}
	}
	f.compareTitles()
	buffers.days, buffers.counts, buffers.earlier = f.deltas.days, f.deltas.counts, f.earlier
	return f.change, nil
}

// aggregation is the state of one call of Aggregate.
type aggregation struct {
	reader  int64
	events  map[snapshot.BlockKey]*EventSet
	titles  *ReaderTitles
	earlier []earlierTitle // of the reader's titles that were touched, by book
	deltas  deltaSet
	change  Change
	key     snapshot.BlockKey // of set
	set     *EventSet         // that of the last event
}

// earlierTitle is what one of the reader's titles was before.
type earlierTitle struct {
	book             int64
	pair             libraries.Pair // but for its Days, which Aggregate changes
	loans, confirmed int64
}

// fresh adds an event to the ids of its day, and reports whether it is new.
func (f *aggregation) fresh(day calendar.Date, id libraries.EventID) bool {
	if key := EventSetKey(f.reader, day); f.set == nil || key != f.key {
		if f.set = f.events[key]; f.set == nil {
			f.set = &EventSet{}
			f.events[key] = f.set
		}
		f.key = key
	}
	if !f.set.add(id) {
		f.change.Repeated++
		return false
	}
	f.change.New++
	return true
}

// event aggregates an event of the feed.
func (f *aggregation) event(e *libraries.Event) error {
	if !f.fresh(e.Day, e.ID) {
		return nil
	}
	switch e.Kind {
	case libraries.SessionEvent:
		f.session(e)
	case libraries.PreviewEvent:
		f.deltas.day(e.Day).Previews++
	case libraries.RenewalEvent:
		f.deltas.book(e.Day, e.Book).Measures[metric.Renewals]++
	case libraries.ActivityEvent:
	default:
		return fmt.Errorf("an event of kind %s is not one of a feed", e.Kind)
	}
	f.deltas.day(e.Day).Presence.Add(e.Kind, e.Second)
	return nil
}

// session aggregates a session. The shares that it may be the first to reach are counted by compareTitles.
func (f *aggregation) session(e *libraries.Event) {
	f.touch(e.Book).Pair.Merge(libraries.NewPair(e.Day, e.Seconds, e.Progress))
	b := f.deltas.book(e.Day, e.Book)
	b.Read = true
	b.Measures[metric.ReadingSeconds] += e.Seconds
	if e.Format == libraries.Audiobook {
		b.Measures[metric.ListeningSeconds] += e.Seconds
		b.Measures[metric.ListeningSessions]++
	}
	totals := &f.deltas.day(e.Day).Totals
	switch e.Mode {
	case libraries.Online:
		totals.OnlineSessions++
		totals.OnlineSeconds += e.Seconds
	case libraries.Offline:
		totals.OfflineSessions++
		totals.OfflineSeconds += e.Seconds
	}
}

// touch returns one of the reader's titles, and saves what it was.
func (f *aggregation) touch(book int64) *ReaderTitle {
	b := f.titles.place(book)
	i, found := slices.BinarySearchFunc(f.earlier, book, func(b earlierTitle, book int64) int { return cmp.Compare(b.book, book) })
	if !found {
		f.earlier = slices.Insert(f.earlier, i, earlierTitle{book, b.Pair, int64(len(b.Loans)), b.Confirmed()})
	}
	return b
}

// compareTitles compares each title that was touched with what it was: a share is reached on another day if an earlier session
// comes late, and a session may confirm a loan of an earlier load.
func (f *aggregation) compareTitles() {
	for _, was := range f.earlier {
		now := f.titles.Find(was.book)
		f.cross(was, now, libraries.Reading10, metric.Readings10)
		f.cross(was, now, libraries.Reading50, metric.Readings50)
		f.countTitle(was, now)
		f.loanReadings(was, now)
	}
	if len(f.earlier) > 0 {
		f.change.Titles = f.titles
	}
	f.change.Days = f.deltas.ofReader(f.reader)
	f.change.Counts = f.deltas.titleCounts()
}

// cross moves the count of a share to the day on which it is now first reached.
func (f *aggregation) cross(was earlierTitle, now *ReaderTitle, share libraries.Progress, m metric.Metric) {
	before, had := was.pair.Reached(share)
	after, has := now.Pair.Reached(share)
	if had == has && before == after {
		return
	}
	if had {
		f.deltas.book(before, was.book).Measures[m]--
	}
	if has {
		f.deltas.book(after, was.book).Measures[m]++
	}
}

// countTitle counts the changes of the title's confirmed loans and of its reading.
func (f *aggregation) countTitle(was earlierTitle, now *ReaderTitle) {
	delta := TitleCounts{Confirmed: now.Confirmed() - was.confirmed}
	if now.Pair.StockReading(int64(len(now.Loans))) {
		delta.Readings++
	}
	if was.pair.StockReading(was.loans) {
		delta.Readings--
	}
	if !delta.empty() {
		f.deltas.title(was.book).Add(delta)
	}
}

// loan aggregates a loan that is new or changed.
func (f *aggregation) loan(l, was *libraries.Loan) error {
	day := l.Day()
	if was == nil {
		f.change.Loans++
		f.touch(l.Book).lend(loanDaysOf(l.Days()))
		f.deltas.book(day, l.Book).Measures[metric.Loans]++
		f.deltas.day(day).Presence.Add(libraries.LoanEvent, libraries.Second(l.Borrowed))
	} else {
		if before, now := was.Days(), l.Days(); before != now && !f.touch(l.Book).relend(loanDaysOf(before), loanDaysOf(now)) {
			return fmt.Errorf("loan %d from %s to %s: the reader's titles lack it", l.ID, before.Start, before.End)
		}
		f.loanStatus(was, -1)
	}
	f.loanStatus(l, 1)
	return nil
}

// loanStatus adds what a loan's status counts, or takes it back if n is -1.
func (f *aggregation) loanStatus(l *libraries.Loan, n int64) {
	f.deltas.day(l.Day()).Totals.LoansByStatus[l.Status] += n
	if l.Status == libraries.LoanActive {
		f.deltas.title(l.Book).ActiveLoans += n
	}
	end, ended := l.Status.End()
	if !ended {
		return
	}
	day := calendar.Day(l.Returned)
	f.deltas.book(day, l.Book).Measures[metric.Returns] += n
	if end.Activity() {
		f.deltas.day(day).addReturn(libraries.Second(l.Returned), n)
	}
}

// reservation aggregates a reservation that is new or changed.
func (f *aggregation) reservation(r, was *libraries.Reservation) {
	day := r.Day()
	if was == nil {
		f.deltas.book(day, r.Book).Measures[metric.Reservations]++
		f.deltas.day(day).Presence.Add(libraries.ReservationEvent, libraries.Second(r.Reserved))
	} else {
		f.reservationStatus(was, -1)
	}
	f.reservationStatus(r, 1)
}

// reservationStatus adds what a reservation's status counts, or takes it back if n is -1.
func (f *aggregation) reservationStatus(r *libraries.Reservation, n int64) {
	f.deltas.day(r.Day()).Totals.ReservationsByStatus[r.Status] += n
	if r.Status.Active() {
		f.deltas.title(r.Book).ActiveReservations += n
		f.change.ActiveReservations += n
	}
	if !r.Status.Resolved() {
		return
	}
	resolved := calendar.Day(r.Resolved)
	switch r.Status {
	case libraries.Converted:
		f.deltas.book(r.Day(), r.Book).Measures[metric.ReservationsConverted] += n
		f.deltas.book(resolved, r.Book).Measures[metric.ConvertedThatDay] += n
	case libraries.Cancelled:
		f.deltas.day(resolved).Totals.Cancelled += n
	case libraries.Lost:
		f.deltas.day(resolved).Totals.Lost += n
	}
}
