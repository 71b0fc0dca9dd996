package facts

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The changes of a day that wait until the end of a load are lists of numbers, most of them 0. A list is stored as a number
// whose bits tell which numbers are not 0, followed by those.

// deltaNumbers is how many numbers a DayDelta has besides its counts.
const deltaNumbers = 9

// AppendDayDelta appends a delta as ReadDayDelta reads it.
func AppendDayDelta(b []byte, d DayDelta) []byte {
	n := [deltaNumbers + dayCounts]int64{
		int64(d.Day) - int64(libraries.HistoryStart), d.Reader, int64(d.Presence.Events), int64(d.Presence.First), int64(d.Presence.Last),
		d.Previews, int64(len(d.Returned)), int64(len(d.Unreturned)), int64(len(d.Books)),
	}
	for i, count := range numbersOf(&d.Totals) {
		n[deltaNumbers+i] = *count
	}
	b = appendNumbers(b, n[:])
	for _, second := range d.Returned {
		b = binary.AppendUvarint(b, uint64(second))
	}
	for _, second := range d.Unreturned {
		b = binary.AppendUvarint(b, uint64(second))
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

// ReadDayDelta reads a delta.
func ReadDayDelta(from *packed.Decoder) DayDelta {
	var n [deltaNumbers + dayCounts]int64
	readNumbers(from, n[:])
	d := DayDelta{
		Day: calendar.Date(n[0] + int64(libraries.HistoryStart)), Reader: n[1],
		Presence: libraries.Presence{Events: int32(n[2]), First: int32(n[3]), Last: int32(n[4])},
		Previews: n[5], Returned: readSeconds(from, n[6]), Unreturned: readSeconds(from, n[7]),
	}
	for i, count := range numbersOf(&d.Totals) {
		*count = n[deltaNumbers+i]
	}
	if from.Check(uint64(n[8]) <= uint64(from.Len())); from.Bad() || n[8] == 0 {
		return d
	}
	d.Books = make([]BookDelta, n[8])
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

// AppendDayReading appends a reading as ReadDayReading reads it.
func AppendDayReading(b []byte, r DayReading) []byte {
	return appendNumbers(b, []int64{int64(r.Day), r.Reader, r.Book, r.Seconds, int64(r.Highest)})
}

// ReadDayReading reads a reading.
func ReadDayReading(from *packed.Decoder) DayReading {
	var n [5]int64
	readNumbers(from, n[:])
	return DayReading{calendar.Date(n[0]), LoanReading{Reader: n[1], Book: n[2], Seconds: n[3], Highest: libraries.Progress(n[4])}}
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
