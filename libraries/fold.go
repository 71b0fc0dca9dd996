package libraries

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Past is what was folded of one reader before, as far as a fold needs it.
type Past struct {
	Shelf *Shelf // nil: none
	// Seen has the rows that the delivery's SeenKeys name, where the store has them. Fold puts rows into it that are
	// missing, so it must not be nil where there are events or requests.
	Seen map[SeenKey]*Seen
}

// Change is what folding a delivery changed of one reader.
type Change struct {
	Reader int64
	// Shelf is the reader's shelf afterwards, nil where it did not change.
	Shelf *Shelf
	// Seen are the rows that changed. Those of Past are used and changed: neighbours share them.
	Seen []SeenKey
	// Days are what is to be added to the days, ascending; Holdings to the titles, ascending.
	Days     []DayDelta
	Holdings []Holding
	// Requests are those that are new.
	Requests []Request
	// Loans and ActiveReservations are to be added to the reader's Attributes.
	Loans, ActiveReservations int64
	// New and Repeated count events and requests: a repeated one had the identifier, reader and day of an earlier one (F1).
	New, Repeated int
}

// Fold adds a delivery to what was folded of its reader. Deliveries may come in any order, in any number of pieces: the
// result is the same. Fold changes what Past points to, and keeps nothing of the delivery but texts. An error says that
// the delivery is not one that an Intake settles; what Past points to is of no use then.
func (p Past) Fold(d Delivery) (Change, error) {
	f := folding{reader: d.Reader, seen: p.Seen, shelf: p.Shelf, change: Change{Reader: d.Reader}}
	if f.shelf == nil {
		f.shelf = &Shelf{}
	}
	for i := range d.Events {
		if err := f.event(&d.Events[i]); err != nil {
			return Change{}, err
		}
	}
	for i := range d.Loans {
		if err := f.loan(&d.Loans[i].Loan, d.Loans[i].Was); err != nil {
			return Change{}, err
		}
	}
	for i := range d.Reservations {
		if err := f.reservation(&d.Reservations[i].Reservation, d.Reservations[i].Was); err != nil {
			return Change{}, err
		}
	}
	for _, r := range d.Requests {
		if f.fresh(r.Day(), r.eventID()) {
			f.change.Requests = append(f.change.Requests, r)
		}
	}
	f.settle()
	return f.change, nil
}

// folding is the state of one Fold.
type folding struct {
	reader  int64
	seen    map[SeenKey]*Seen
	shelf   *Shelf
	former  []formerBook // of the titles on the shelf that were touched, by book
	tally   tally
	change  Change
	key     SeenKey // of row
	row     *Seen   // the row of the last event
	changed bool    // it is among change.Seen
}

// formerBook is what a title of the shelf was before the fold.
type formerBook struct {
	book             int64
	pair             Pair // but for its Days, which the fold changes
	loans, confirmed int64
}

// fresh remembers an event of a day, and reports whether it was not seen before.
func (f *folding) fresh(day calendar.Date, id EventID) bool {
	if key := SeenKeyOf(f.reader, day); f.row == nil || key != f.key {
		if f.row = f.seen[key]; f.row == nil {
			f.row = &Seen{}
			f.seen[key] = f.row
		}
		f.key, f.changed = key, slices.Contains(f.change.Seen, key)
	}
	if !f.row.add(id) {
		f.change.Repeated++
		return false
	}
	f.change.New++
	if !f.changed {
		f.change.Seen, f.changed = append(f.change.Seen, f.key), true
	}
	return true
}

// event folds an event of the feed.
func (f *folding) event(e *Event) error {
	if e.Reader != f.reader {
		return fmt.Errorf("an event of reader %d in a delivery of reader %d", e.Reader, f.reader)
	}
	if !f.fresh(e.Day, e.ID) {
		return nil
	}
	switch e.Kind {
	case SessionEvent:
		f.session(e)
	case PreviewEvent:
		f.tally.day(e.Day).Previews++
	case RenewalEvent:
		f.tally.book(e.Day, e.Book).Measures[Renewals]++
	case ActivityEvent:
	default:
		return fmt.Errorf("an event of kind %s is not one of a feed", e.Kind)
	}
	f.tally.day(e.Day).Presence.Add(e.Kind, e.Second)
	return nil
}

// session folds a session, but for the shares that it may be the first to reach: see settle.
func (f *folding) session(e *Event) {
	f.touch(e.Book).Pair.Merge(NewPair(e.Day, e.Seconds, e.Progress))
	b := f.tally.book(e.Day, e.Book)
	b.Read = true
	b.Measures[ReadingSeconds] += e.Seconds
	if e.Format == Audiobook {
		b.Measures[ListeningSeconds] += e.Seconds
		b.Measures[ListeningSessions]++
	}
	totals := &f.tally.day(e.Day).Totals
	switch e.Mode {
	case Online:
		totals.OnlineSessions++
		totals.OnlineSeconds += e.Seconds
	case Offline:
		totals.OfflineSessions++
		totals.OfflineSeconds += e.Seconds
	}
}

// touch returns a title of the shelf, and remembers what it was.
func (f *folding) touch(book int64) *ShelfBook {
	b := f.shelf.place(book)
	i, found := slices.BinarySearchFunc(f.former, book, func(b formerBook, book int64) int { return cmp.Compare(b.book, book) })
	if !found {
		f.former = slices.Insert(f.former, i, formerBook{book, b.Pair, int64(len(b.Loans)), b.Confirmed()})
	}
	return b
}

// settle compares each title that was touched with what it was: shares are reached on another day when an earlier session
// comes late, and a session confirms loans of any delivery.
func (f *folding) settle() {
	for _, was := range f.former {
		now := f.shelf.Find(was.book)
		f.cross(was, now, Reading10, Readings10)
		f.cross(was, now, Reading50, Readings50)
		f.hold(was, now)
	}
	if len(f.former) > 0 {
		f.change.Shelf = f.shelf
	}
	f.change.Days = f.tally.deltas(f.reader)
	f.change.Holdings = f.tally.held()
}

// cross moves a share's count to the day on which it is now first reached.
func (f *folding) cross(was formerBook, now *ShelfBook, share Progress, m Metric) {
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
func (f *folding) hold(was formerBook, now *ShelfBook) {
	delta := Holding{Confirmed: now.Confirmed() - was.confirmed}
	if now.Pair.StockReading(int64(len(now.Loans))) {
		delta.Readings++
	}
	if was.pair.StockReading(was.loans) {
		delta.Readings--
	}
	if !delta.empty() {
		f.tally.holding(was.book).add(delta)
	}
}
