package facts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// Stored is what is stored of one user, as far as a load needs it. It may have other users' event ids and records too.
// The zero Stored has read nothing.
type Stored struct {
	Events  map[snapshot.BlockKey]*EventSet // at least those of the events' days
	Index   UserIndex                       // all of it
	Records map[RecordKey]*reading.Record   // at least those of the books that Needed returns
}

// Change is what aggregating events changes of one user.
type Change struct {
	User    directory.UserID
	Events  map[int64]*EventSet       // by EventBlock, those that changed
	Index   UserIndex                 // all of it, changed or not
	Records map[int64]*reading.Record // by book, those that changed
	Days    []DayChange               // days that a new event makes days with access, ascending
	// New and Repeated count the events. A repeated event has the identifier, user and day of an earlier one
	// (F1).
	New, Repeated int
}

// DayChange is the user's new row of a day. Tenths is [Keep] if no new event of the day reads effectively.
type DayChange struct {
	Date   calendar.Date
	Tenths int64
}

// Needed returns the books whose records must be in Stored before the events are aggregated. These are the
// books that the events read, and all books read on the same days: a day's minutes are shared out among all
// its books (S3).
func Needed(l UserIndex, events []schools.Event) (needed []int64) {
	days := map[int32]DaySet{} // by page
	books := map[int64]bool{}
	for _, e := range events {
		if e.Effect == schools.EffectiveReading {
			days[PageOf(e.Day)] |= dayOf(e.Day)
			books[e.Book] = true
		}
	}
	for _, line := range l {
		if n := len(needed); n > 0 && needed[n-1] == line.Book {
			continue
		}
		if books[line.Book] || line.Days&days[line.Page] != 0 {
			needed = append(needed, line.Book)
		}
	}
	return needed
}

// Aggregate adds events of one user, in the order of the feed, to what is stored of the user. Events of any
// days may come in any order and in any number of loads: the result is the same. Aggregate may reorder events
// and changes what a points to. The error is [packed.ErrCorrupt] if a record that Needed names is missing, or
// if a record and the index differ.
func Aggregate(a Stored, user directory.UserID, events []schools.Event) (Change, error) {
	f := aggregation{stored: a, change: Change{User: user, Index: a.Index, Events: map[int64]*EventSet{}, Records: map[int64]*reading.Record{}}}
	slices.SortStableFunc(events, func(x, y schools.Event) int {
		if x.Day != y.Day {
			return cmp.Compare(x.Day, y.Day)
		}
		return x.ID.Compare(y.ID)
	})
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Day == events[0].Day {
			n++
		}
		if err := f.day(events[:n]); err != nil {
			return Change{}, err
		}
		events = events[n:]
	}
	var lines UserIndex
	for _, c := range f.read {
		lines = append(lines, IndexEntry{c.book, PageOf(c.day.Date), dayOf(c.day.Date)})
	}
	f.change.Index = a.Index.With(lines)
	return f.change, nil
}

// aggregation is the state of one call of Aggregate.
type aggregation struct {
	stored  Stored
	change  Change
	read    []bookDay // the new effective reading by day and book, days ascending
	ms      []int64
	minutes []reading.Minutes
	parts   []*reading.Day
}

// bookDay is the new reading of one book on one day.
type bookDay struct {
	book int64
	day  reading.Day
}

// day aggregates the events of one day.
func (f *aggregation) day(events []schools.Event) error {
	date := events[0].Day
	events = f.fresh(date, events)
	present := false
	first := len(f.read)
	for _, e := range events {
		present = present || e.Effect != schools.Silent
		if e.Effect == schools.EffectiveReading {
			f.add(first, e)
		}
	}
	if !present {
		return nil
	}
	change := DayChange{date, Keep}
	if len(f.read) > first {
		var err error
		if change.Tenths, err = f.share(date, f.read[first:]); err != nil {
			return err
		}
	}
	f.change.Days = append(f.change.Days, change)
	return nil
}

// fresh returns the events of a day that were not loaded before, each identifier once, and remembers them.
func (f *aggregation) fresh(date calendar.Date, events []schools.Event) []schools.Event {
	block, all := EventBlock(date), len(events)
	ids := cmp.Or(f.change.Events[block], f.stored.Events[EventSetKey(f.change.User, block)], &EventSet{})
	events = slices.CompactFunc(events, func(x, y schools.Event) bool { return x.ID == y.ID })
	events = slices.DeleteFunc(events, func(e schools.Event) bool { return ids.Has(date, e.ID) })
	f.change.New += len(events)
	f.change.Repeated += all - len(events)
	if len(events) == 0 {
		return nil
	}
	ids.Add(date, events)
	f.change.Events[block] = ids
	return events
}

// add adds an effective event to the reading of its book. The day's entries of f.read begin at first.
func (f *aggregation) add(first int, e schools.Event) {
	for i := first; i < len(f.read); i++ {
		if f.read[i].book == e.Book {
			f.read[i].day.Add(e.At, e.MS, e.Extent)
			return
		}
	}
	c := bookDay{book: e.Book, day: reading.Day{Date: e.Day}}
	c.day.Add(e.At, e.MS, e.Extent)
	f.read = append(f.read, c)
}

// share merges the day's new reading into the records, and shares the day's tenths out among all books of the
// day (S3). It returns the tenths of the whole day.
func (f *aggregation) share(date calendar.Date, cells []bookDay) (int64, error) {
	books := f.booksOf(date, cells)
	for _, book := range books {
		rec := cmp.Or(f.change.Records[book], f.stored.Records[RecordKey{f.change.User, book}])
		if rec == nil && slices.ContainsFunc(f.stored.Index, func(l IndexEntry) bool { return l.Book == book }) {
			// A new record would lose the days that the missing one has.
			return 0, fmt.Errorf("the record of book %d is missing: %w", book, packed.ErrCorrupt)
		}
		f.change.Records[book] = cmp.Or(rec, &reading.Record{})
	}
	for _, c := range cells {
		f.change.Records[c.book].Merge(c.day)
	}
	f.ms, f.parts = f.ms[:0], f.parts[:0]
	for _, book := range books {
		rec := f.change.Records[book]
		i, ok := slices.BinarySearchFunc(rec.Days, date, func(d reading.Day, date calendar.Date) int { return cmp.Compare(d.Date, date) })
		if !ok {
			return 0, packed.ErrCorrupt // the index names a day that the record does not have
		}
		f.parts = append(f.parts, &rec.Days[i])
		f.ms = append(f.ms, rec.Days[i].MS)
	}
	f.minutes = reading.AppendDayMinutes(f.minutes[:0], f.ms)
	sum := int64(0)
	for i, part := range f.parts {
		part.Minutes = f.minutes[i]
		sum += int64(f.minutes[i])
	}
	return sum, nil
}

// booksOf returns the books of a day, ascending: those that are read now and those that the index already
// has.
func (f *aggregation) booksOf(date calendar.Date, cells []bookDay) []int64 {
	books := f.stored.Index.On(date)
	for _, c := range cells {
		books = append(books, c.book)
	}
	slices.Sort(books)
	return slices.Compact(books)
}
