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

// Past is what was folded of one reader before, as far as a fold needs it.
type Past struct {
	Titles *ReaderTitles // nil: none
	// Events has the rows that the delivery's SeenKeys name, where the store has them. Fold puts rows into it that are
	// missing, so it must not be nil where there are events or requests.
	Events map[snapshot.BlockKey]*EventSet
	// Room, if not nil, is used by one fold after the other: what a Change has is valid until the next one.
	Buffers *Buffers
}

// Room is memory for a Change. The zero Room is ready.
type Buffers struct {
	days    []DayDelta
	counts  []TitleCounts
	titles  ReaderTitles
	earlier []earlierTitle
}

// Change is what folding a delivery changed of one reader.
type Change struct {
	Reader int64
	// Titles is the reader's titles afterwards, nil where it did not change.
	Titles *ReaderTitles
	// Events are the rows that changed. Those of Past are used and changed: neighbours share them.
	Events []snapshot.BlockKey
	// Days are what is to be added to the days, ascending; CountsByTitle to the titles, ascending.
	Days   []DayDelta
	Counts []TitleCounts
	// Read are what was read of titles, by the days of their loans, where that has changed.
	Read []DayReading
	// Requests are those that are new.
	Requests []libraries.Request
	// Loans and ActiveReservations are to be added to the reader's Attributes.
	Loans, ActiveReservations int64
	// New and Repeated count events and requests: a repeated one had the identifier, reader and day of an earlier one (F1).
	New, Repeated int
}

// Fold adds a delivery to what was folded of its reader. Deliveries may come in any order, in any number of pieces: the
// result is the same. Fold changes what Past points to, and keeps nothing of the delivery but texts. An error says that
// the delivery is not one that an Intake settles; what Past points to is of no use then.
func (p Past) Aggregate(d libraries.ReaderFeed) (Change, error) {
	room := p.Buffers
	if room == nil {
		room = &Buffers{}
	}
	f := aggregation{reader: d.Reader, events: p.Events, titles: p.Titles, earlier: room.earlier[:0], change: Change{Reader: d.Reader}}
	f.tally.days, f.tally.counts = room.days[:0], room.counts[:0]
	if f.titles == nil {
		f.titles = &room.titles
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
		if err := f.reservation(&d.Reservations[i].Now, d.Reservations[i].Was); err != nil {
			return Change{}, err
		}
	}
	for _, r := range d.Requests {
		if f.fresh(r.Day(), requestID(r)) {
			f.change.Requests = append(f.change.Requests, r)
		}
	}
	f.compareTitles()
	room.days, room.counts, room.earlier = f.tally.days, f.tally.counts, f.earlier
	return f.change, nil
}

// folding is the state of one Fold.
type aggregation struct {
	reader  int64
	events  map[snapshot.BlockKey]*EventSet
	titles  *ReaderTitles
	earlier []earlierTitle // of the reader's titles that were touched, by book
	tally   tally
	change  Change
	key     snapshot.BlockKey // of row
	row     *EventSet   // the row of the last event
	changed bool        // it is among change.Events
}

// formerBook is what one of the reader's titles was before the fold.
type earlierTitle struct {
	book             int64
	pair             libraries.Pair // but for its Days, which the fold changes
	loans, confirmed int64
}

// fresh remembers an event of a day, and reports whether it was not seen before.
func (f *aggregation) fresh(day calendar.Date, id libraries.EventID) bool {
	if key := EventSetKey(f.reader, day); f.row == nil || key != f.key {
		if f.row = f.events[key]; f.row == nil {
			f.row = &EventSet{}
			f.events[key] = f.row
		}
		f.key, f.changed = key, slices.Contains(f.change.Events, key)
	}
	if !f.row.add(id) {
		f.change.Repeated++
		return false
	}
	f.change.New++
	if !f.changed {
		f.change.Events, f.changed = append(f.change.Events, f.key), true
	}
	return true
}

// event folds an event of the feed.
func (f *aggregation) event(e *libraries.Event) error {
	if e.Reader != f.reader {
		return fmt.Errorf("an event of reader %d in a delivery of reader %d", e.Reader, f.reader)
	}
	if !f.fresh(e.Day, e.ID) {
		return nil
	}
	switch e.Kind {
	case libraries.SessionEvent:
		f.session(e)
	case libraries.PreviewEvent:
		f.tally.day(e.Day).Previews++
	case libraries.RenewalEvent:
		f.tally.book(e.Day, e.Book).Measures[metric.Renewals]++
	case libraries.ActivityEvent:
	default:
		return fmt.Errorf("an event of kind %s is not one of a feed", e.Kind)
	}
	f.tally.day(e.Day).Presence.Add(e.Kind, e.Second)
	return nil
}

// session folds a session, but for the shares that it may be the first to reach: see settle.
func (f *aggregation) session(e *libraries.Event) {
	f.touch(e.Book).Pair.Merge(libraries.NewPair(e.Day, e.Seconds, e.Progress))
	b := f.tally.book(e.Day, e.Book)
	b.Read = true
	b.Measures[metric.ReadingSeconds] += e.Seconds
	if e.Format == libraries.Audiobook {
		b.Measures[metric.ListeningSeconds] += e.Seconds
		b.Measures[metric.ListeningSessions]++
	}
	totals := &f.tally.day(e.Day).Totals
	switch e.Mode {
	case libraries.Online:
		totals.OnlineSessions++
		totals.OnlineSeconds += e.Seconds
	case libraries.Offline:
		totals.OfflineSessions++
		totals.OfflineSeconds += e.Seconds
	}
}

// touch returns one of the reader's titles, and remembers what it was.
func (f *aggregation) touch(book int64) *ReaderTitle {
	b := f.titles.place(book)
	i, found := slices.BinarySearchFunc(f.earlier, book, func(b earlierTitle, book int64) int { return cmp.Compare(b.book, book) })
	if !found {
		f.earlier = slices.Insert(f.earlier, i, earlierTitle{book, b.Pair, int64(len(b.Loans)), b.Confirmed()})
	}
	return b
}

// settle compares each title that was touched with what it was: shares are reached on another day when an earlier session
// comes late, and a session confirms loans of any delivery.
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
	f.change.Days = f.tally.deltas(f.reader)
	f.change.Counts = f.tally.titleCounts()
}

// cross moves a share's count to the day on which it is now first reached.
func (f *aggregation) cross(was earlierTitle, now *ReaderTitle, share libraries.Progress, m metric.Metric) {
	before, had := was.pair.Reached(share)
	after, has := now.Pair.Reached(share)
	if had == has && before == after {
		return
	}
	if had {
		f.tally.book(before, was.book).Measures[m]--
	}
	if has {
		f.tally.book(after, was.book).Measures[m]++
	}
}

// hold counts what became of the title's loans and of its reading.
func (f *aggregation) countTitle(was earlierTitle, now *ReaderTitle) {
	delta := TitleCounts{Confirmed: now.Confirmed() - was.confirmed}
	if now.Pair.StockReading(int64(len(now.Loans))) {
		delta.Readings++
	}
	if was.pair.StockReading(was.loans) {
		delta.Readings--
	}
	if !delta.empty() {
		f.tally.title(was.book).Add(delta)
	}
}

// loan folds a loan that is new or was something else.
func (f *aggregation) loan(l, was *libraries.Loan) error {
	if l.Reader != f.reader {
		return fmt.Errorf("loan %d of reader %d in a delivery of reader %d", l.ID, l.Reader, f.reader)
	}
	day := l.Day()
	if was == nil {
		f.change.Loans++
		f.touch(l.Book).lend(loanDaysOf(l.Days()))
		f.tally.book(day, l.Book).Measures[metric.Loans]++
		f.tally.day(day).Presence.Add(libraries.LoanEvent, libraries.Second(l.Borrowed))
	} else {
		if was.ID != l.ID || was.Reader != l.Reader || was.Book != l.Book || !was.Borrowed.Equal(l.Borrowed) {
			return fmt.Errorf("loan %d: what never changes of a loan has changed (F1)", l.ID)
		}
		if before, now := was.Days(), l.Days(); before != now && !f.touch(l.Book).relend(loanDaysOf(before), loanDaysOf(now)) {
			return fmt.Errorf("loan %d from %s to %s: the reader's titles lack it", l.ID, before.Start, before.End)
		}
		f.loanStatus(was, -1)
	}
	f.loanStatus(l, 1)
	return nil
}

// loanState adds or takes back what a loan's status says.
func (f *aggregation) loanStatus(l *libraries.Loan, n int64) {
	f.tally.day(l.Day()).Totals.LoansByStatus[l.Status] += n
	if l.Status == libraries.LoanActive {
		f.tally.title(l.Book).ActiveLoans += n
	}
	end, ended := l.Status.End()
	if !ended {
		return
	}
	day := calendar.Day(l.Returned)
	f.tally.book(day, l.Book).Measures[metric.Returns] += n
	if end.Activity() {
		f.tally.day(day).addReturn(libraries.Second(l.Returned), n)
	}
}

// reservation folds a reservation that is new or was something else.
func (f *aggregation) reservation(r, was *libraries.Reservation) error {
	if r.Reader != f.reader {
		return fmt.Errorf("reservation %d of reader %d in a delivery of reader %d", r.ID, r.Reader, f.reader)
	}
	day := r.Day()
	if was == nil {
		f.tally.book(day, r.Book).Measures[metric.Reservations]++
		f.tally.day(day).Presence.Add(libraries.ReservationEvent, libraries.Second(r.Reserved))
	} else {
		if was.ID != r.ID || was.Reader != r.Reader || was.Book != r.Book || !was.Reserved.Equal(r.Reserved) {
			return fmt.Errorf("reservation %d: what never changes of a reservation has changed (F1)", r.ID)
		}
		f.reservationStatus(was, -1)
	}
	f.reservationStatus(r, 1)
	return nil
}

// reservationState adds or takes back what a reservation's status says.
func (f *aggregation) reservationStatus(r *libraries.Reservation, n int64) {
	f.tally.day(r.Day()).Totals.ReservationsByStatus[r.Status] += n
	if r.Status.Active() {
		f.tally.title(r.Book).ActiveReservations += n
		f.change.ActiveReservations += n
	}
	if !r.Status.Resolved() {
		return
	}
	resolved := calendar.Day(r.Resolved)
	switch r.Status {
	case libraries.Converted:
		f.tally.book(r.Day(), r.Book).Measures[metric.ReservationsConverted] += n
		f.tally.book(resolved, r.Book).Measures[metric.ConvertedThatDay] += n
	case libraries.Cancelled:
		f.tally.day(resolved).Totals.Cancelled += n
	case libraries.Lost:
		f.tally.day(resolved).Totals.Lost += n
	}
}
