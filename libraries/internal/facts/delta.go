package facts

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// DayDelta is what a load adds to a day for one reader. Numbers are below 0 if a correction takes something back.
type DayDelta struct {
	Day    calendar.Date
	Reader int64
	// Presence has all activity but returns, which may be corrected. Returned and Unreturned are the seconds of the day of
	// the returns by the reader that are added and taken back.
	Presence             libraries.Presence
	Returned, Unreturned []int32
	// Books are the titles, ascending. Their measures are the reader's too, except ConvertedThatDay. Logins, DistinctBooks and
	// Previews are 0 in them.
	Books    []BookDelta
	Previews int64
	// Totals are the counts of the day that cannot be summed from readers or titles.
	Totals metric.DayCounts
}

// BookDelta is the part of a DayDelta that is about one title. Read says that the reader had a session of it.
type BookDelta struct {
	Book     int64
	Read     bool
	Measures metric.Measures
}

// deltaSet collects the deltas of one reader. Pointers to them are valid until the next call of a method.
type deltaSet struct {
	days   []DayDelta    // ascending
	last   int           // the place of the day asked for last
	counts []TitleCounts // by Book
}

// day returns the delta of a day.
func (t *deltaSet) day(day calendar.Date) *DayDelta {
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

// insert inserts the delta of a day. It uses the memory of the lists of an earlier delta again.
func (t *deltaSet) insert(i int, day calendar.Date) {
	n := len(t.days)
	t.days = slices.Grow(t.days, 1)[:n+1]
	old := &t.days[n]
	fresh := DayDelta{Day: day, Returned: old.Returned[:0], Unreturned: old.Unreturned[:0], Books: old.Books[:0]}
	copy(t.days[i+1:], t.days[i:n])
	t.days[i] = fresh
}

// book returns the part of a day's delta that is about a title.
func (t *deltaSet) book(day calendar.Date, book int64) *BookDelta {
	d := t.day(day)
	i, found := slices.BinarySearchFunc(d.Books, book, func(b BookDelta, book int64) int { return cmp.Compare(b.Book, book) })
	if !found {
		d.Books = slices.Insert(d.Books, i, BookDelta{Book: book})
	}
	return &d.Books[i]
}

// title returns the delta of a title.
func (t *deltaSet) title(book int64) *TitleCounts {
	i, found := CountsByTitle(t.counts).search(book)
	if !found {
		t.counts = slices.Insert(t.counts, i, TitleCounts{Book: book})
	}
	return &t.counts[i]
}

// addReturn adds the second of a return by the reader, or takes it back if n is -1. A second that is added and taken back in
// one load does not change.
func (d *DayDelta) addReturn(second int32, n int64) {
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

// ofReader returns the deltas of the days, ascending, without those that add nothing.
func (t *deltaSet) ofReader(reader int64) []DayDelta {
	kept := 0
	for i := range t.days {
		d := &t.days[i]
		d.Reader = reader
		d.Books = slices.DeleteFunc(d.Books, func(b BookDelta) bool { return !b.Read && b.Measures == metric.Measures{} })
		if !d.empty() {
			if kept != i { // each has lists of its own
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

// titleCounts returns the deltas of the titles, by Book, without those that add nothing.
func (t *deltaSet) titleCounts() []TitleCounts { return slices.DeleteFunc(t.counts, TitleCounts.empty) }

// Until a load merges its days, their changes are spilled as lists of numbers, most of them 0. A list has a number whose bits
// say which numbers are not 0, and then those.

// deltaNumbers is how many numbers a DayDelta has besides its counts.
const deltaNumbers = 8

// AppendDayDelta appends all of a delta but its day.
func AppendDayDelta(b []byte, d *DayDelta) []byte {
	n := [deltaNumbers + metric.DayNumbers]int64{
		d.Reader, int64(d.Presence.Events), int64(d.Presence.First), int64(d.Presence.Last), d.Previews,
		int64(len(d.Returned)), int64(len(d.Unreturned)), int64(len(d.Books)),
	}
	for i, count := range d.Totals.Numbers() {
		n[deltaNumbers+i] = *count
	}
	b = appendNumbers(b, n[:])
	for _, seconds := range [...][]int32{d.Returned, d.Unreturned} {
		for _, second := range seconds {
			b = binary.AppendUvarint(b, uint64(second))
		}
	}
	for i := range d.Books {
		book := &d.Books[i]
		n := [2 + metric.Metrics]int64{book.Book}
		if book.Read {
			n[1] = 1
		}
		copy(n[2:], book.Measures[:])
		b = appendNumbers(b, n[:])
	}
	return b
}

// ReadDayDelta reads a delta of a day.
func ReadDayDelta(day calendar.Date, from *packed.Decoder) DayDelta {
	var n [deltaNumbers + metric.DayNumbers]int64
	readNumbers(from, n[:])
	d := DayDelta{
		Day: day, Reader: n[0], Presence: libraries.Presence{Events: int32(n[1]), First: int32(n[2]), Last: int32(n[3])}, Previews: n[4],
		Returned: readSeconds(from, n[5]), Unreturned: readSeconds(from, n[6]),
	}
	for i, count := range d.Totals.Numbers() {
		*count = n[deltaNumbers+i]
	}
	if from.Check(uint64(n[7]) <= uint64(from.Len())); from.Bad() || n[7] == 0 {
		return d
	}
	d.Books = make([]BookDelta, n[7])
	for i := range d.Books {
		var n [2 + metric.Metrics]int64
		readNumbers(from, n[:])
		d.Books[i] = BookDelta{Book: n[0], Read: n[1] != 0, Measures: metric.Measures(n[2:])}
	}
	return d
}

func readSeconds(from *packed.Decoder, n int64) []int32 {
	if from.Check(uint64(n) <= uint64(from.Len())); from.Bad() || n == 0 {
		return nil
	}
	seconds := make([]int32, n)
	for i := range seconds {
		seconds[i] = int32(from.Uvarint())
	}
	return seconds
}

// AppendLoanReading appends a reading.
func AppendLoanReading(b []byte, r LoanReading) []byte {
	return appendNumbers(b, []int64{r.Reader, r.Book, r.Seconds, int64(r.Highest)})
}

// ReadLoanReading reads a reading.
func ReadLoanReading(from *packed.Decoder) LoanReading {
	var n [4]int64
	readNumbers(from, n[:])
	return LoanReading{Reader: n[0], Book: n[1], Seconds: n[2], Highest: libraries.Progress(n[3])}
}

func appendNumbers(b []byte, list []int64) []byte {
	mask := uint64(0)
	for i, v := range list {
		if v != 0 {
			mask |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, mask)
	for _, v := range list {
		if v != 0 {
			b = binary.AppendVarint(b, v)
		}
	}
	return b
}

func readNumbers(from *packed.Decoder, list []int64) {
	mask := from.Uvarint()
	for i := range list {
		if mask&(1<<i) != 0 {
			list[i] = from.Varint()
		}
	}
}
