package facts

import (
	"encoding/binary"
	"math"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/packed"
)

// minDelta and minBookDelta are the numbers of bytes that a delta and a title of it take at least.
const (
	minDelta     = 8
	minBookDelta = 2
)

// AppendDayDelta appends a delta in a form for setting it aside, which a DeltaReader reads. The form is the day, as
// its distance from HistoryStart; the reader; the number of events, and where there are any, the second of the first of
// them and the seconds from it to the last; the numbers and seconds of Returned and of Unreturned; the previews; the
// titles; and a number whose bits are the counts that are not 0, in the order of DayCounts, and they. A title is the
// distance of its identifier from the one before, a number whose bits are Read and the metrics that are not 0, and they.
// Numbers are varints, signed where they may be below 0.
func AppendDayDelta(b []byte, d DayDelta) []byte {
	b = AppendDate(b, d.Day)
	b = binary.AppendUvarint(b, uint64(d.Reader))
	b = binary.AppendUvarint(b, uint64(d.Presence.Events))
	if d.Presence.Events > 0 {
		b = binary.AppendUvarint(b, uint64(d.Presence.First))
		b = binary.AppendUvarint(b, uint64(d.Presence.Last-d.Presence.First))
	}
	b = appendSeconds(b, d.Returned)
	b = appendSeconds(b, d.Unreturned)
	b = binary.AppendVarint(b, d.Previews)
	b = binary.AppendUvarint(b, uint64(len(d.Books)))
	former := int64(0)
	for i := range d.Books {
		book := &d.Books[i]
		b = appendStep(b, book.Book, former, i == 0)
		former = book.Book
		read := uint64(0)
		if book.Read {
			read = 1
		}
		b = binary.AppendUvarint(b, maskOf(book.Measures[:])<<1|read)
		b = appendPresent(b, book.Measures[:])
	}
	counts := countsOf(&d.Totals)
	b = binary.AppendUvarint(b, maskOf(counts[:]))
	return appendPresent(b, counts[:])
}

func appendSeconds(b []byte, seconds []int32) []byte {
	b = binary.AppendUvarint(b, uint64(len(seconds)))
	for _, s := range seconds {
		b = binary.AppendUvarint(b, uint64(s))
	}
	return b
}

// maskOf returns the bits of the numbers that are not 0.
func maskOf(list []int64) uint64 {
	mask := uint64(0)
	for i, v := range list {
		if v != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// appendPresent appends the numbers that are not 0.
func appendPresent(b []byte, list []int64) []byte {
	for _, v := range list {
		if v != 0 {
			b = binary.AppendVarint(b, v)
		}
	}
	return b
}

// DeltaReader reads deltas. Their titles share arrays, for there are many short lists.
type DeltaReader struct {
	packed.Decoder
	room []BookDelta
}

func (r *DeltaReader) Delta() DayDelta {
	d := DayDelta{Day: ReadDate(&r.Decoder), Reader: r.Natural()}
	if events := r.Uvarint(); events > 0 {
		first, span := ReadSecond(&r.Decoder), ReadSecond(&r.Decoder)
		r.Check(events <= math.MaxInt32 && first+span < daySeconds)
		d.Presence = libraries.Presence{Events: int32(events), First: first, Last: first + span}
	}
	d.Returned, d.Unreturned = r.seconds(), r.seconds()
	d.Previews = r.Varint()
	d.Books = r.books()
	var counts [dayCounts]int64
	r.present(r.Uvarint(), counts[:])
	setCounts(&d.Totals, &counts)
	return d
}

func (r *DeltaReader) seconds() []int32 {
	n := r.Count(1)
	if n == 0 {
		return nil
	}
	seconds := make([]int32, n)
	for i := range seconds {
		seconds[i] = ReadSecond(&r.Decoder)
	}
	return seconds
}

func (r *DeltaReader) books() []BookDelta {
	n := r.Count(minBookDelta)
	if n == 0 {
		return nil
	}
	if len(r.room) < n {
		r.room = make([]BookDelta, n+r.Len()/(2*minDelta))
	}
	books := r.room[:n:n]
	r.room = r.room[n:]
	former := int64(0)
	for i := range books {
		book := &books[i]
		book.Book = step(&r.Decoder, former, i == 0)
		former = book.Book
		mask := r.Uvarint()
		book.Read = mask&1 != 0
		if r.present(mask>>1, book.Measures[:]); r.Bad() {
			break
		}
	}
	return books
}

// present reads the numbers of a list that the bits of a mask name; none of them is 0.
func (r *DeltaReader) present(mask uint64, list []int64) {
	r.Check(mask < 1<<len(list))
	for i := range list {
		if mask&(1<<i) != 0 {
			list[i] = r.Varint()
			r.Check(list[i] != 0)
		}
	}
}
