package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// tally gathers what one reader's fold adds to days and titles. What it returns is valid until the next call.
type tally struct {
	days   []DayDelta    // ascending
	last   int           // the place of the day asked for last
	counts []TitleCounts // by Book
}

// day returns the delta of a day.
func (t *tally) day(day calendar.Date) *DayDelta {
	if t.last < len(t.days) && t.days[t.last].Day == day {
		return &t.days[t.last]
	}
	i, found := slices.BinarySearchFunc(t.days, day, func(d DayDelta, day calendar.Date) int { return cmp.Compare(d.Day, day) })
	if !found {
		t.insert(i, day)
	}
	t.last = i
	return &t.days[i]
}

// insert puts the delta of a day in its place. The lists of one that was there in an earlier fold give it their room.
func (t *tally) insert(i int, day calendar.Date) {
	n := len(t.days)
	t.days = slices.Grow(t.days, 1)[:n+1]
	former := &t.days[n]
	fresh := DayDelta{Day: day, Returned: former.Returned[:0], Unreturned: former.Unreturned[:0], Books: former.Books[:0]}
	copy(t.days[i+1:], t.days[i:n])
	t.days[i] = fresh
}

// book returns the part of a day's delta that is about a title.
func (t *tally) book(day calendar.Date, book int64) *BookDelta {
	d := t.day(day)
	i, found := slices.BinarySearchFunc(d.Books, book, func(b BookDelta, book int64) int { return cmp.Compare(b.Book, book) })
	if !found {
		d.Books = slices.Insert(d.Books, i, BookDelta{Book: book})
	}
	return &d.Books[i]
}

// counted returns the delta of a title.
func (t *tally) counted(book int64) *TitleCounts {
	i, found := CountsByTitle(t.counts).search(book)
	if !found {
		t.counts = slices.Insert(t.counts, i, TitleCounts{Book: book})
	}
	return &t.counts[i]
}

// giveBack notes the second of a return by the reader, or takes it back where n is -1. What is noted and taken back in one
// fold has not changed.
func (d *DayDelta) giveBack(second int32, n int64) {
	to, from := &d.Returned, &d.Unreturned
	if n < 0 {
		to, from = from, to
	}
	if i := slices.Index(*from, second); i >= 0 {
		*from = slices.Delete(*from, i, i+1)
		return
	}
	*to = append(*to, second)
}

// deltas returns the deltas of the days, ascending, without those that add nothing.
func (t *tally) deltas(reader int64) []DayDelta {
	kept := 0
	for i := range t.days {
		d := &t.days[i]
		d.Reader = reader
		d.Books = slices.DeleteFunc(d.Books, func(b BookDelta) bool { return !b.Read && b.Measures == metric.Measures{} })
		if !d.empty() {
			if kept != i { // each keeps lists of its own
				t.days[kept], *d = *d, t.days[kept]
			}
			kept++
		}
	}
	return t.days[:kept]
}

// empty reports whether the delta adds nothing.
func (d *DayDelta) empty() bool {
	return d.Presence.Events == 0 && len(d.Returned)+len(d.Unreturned)+len(d.Books) == 0 && d.Previews == 0 &&
		d.Totals == metric.DayCounts{}
}

// held returns the deltas of the titles, by Book, without those that add nothing.
func (t *tally) held() []TitleCounts { return slices.DeleteFunc(t.counts, TitleCounts.empty) }
