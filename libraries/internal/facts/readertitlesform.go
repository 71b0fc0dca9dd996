package facts

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

const (
	readerTitlesVersion = 1

	// minReaderTitle is the number of bytes that a title takes at least: identifier, sessions, loans, and one of those.
	minReaderTitle = 4
)

// AppendBinary appends the stored form: a byte for the version, the number of titles, then each. A title is the distance
// of its identifier from the one before, its sessions and its loans.
//
// Of sessions it has their number, and where there are any their seconds, the highest share, and the days with a session: how
// many, unless there is one session; the first; and the steps from each to the next. Of several days come, for each of the two
// shares that was reached, the place of its day among them, from 0.
//
// Of loans it has their number, the first day of the first, the steps from each first day to the next, and behind each of
// these how many days the loan took, or 0 while it is active.
//
// A day is its distance from HistoryStart, a number a varint. A title that was lent and read on one day takes 13 bytes or so.
func (s *ReaderTitles) AppendBinary(b []byte) []byte {
	b = append(b, readerTitlesVersion)
	b = binary.AppendUvarint(b, uint64(len(s.Books)))
	former := int64(0)
	for i := range s.Books {
		book := &s.Books[i]
		b = appendStep(b, book.Book, former, i == 0)
		former = book.Book
		b = appendPair(book.Pair, b)
		b = appendLoanDays(b, book.Loans)
	}
	return b
}

// appendPair appends the pair as readPair reads it.
func appendPair(p libraries.Pair, b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(p.Sessions))
	if p.Sessions == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(p.Seconds))
	b = binary.AppendUvarint(b, uint64(p.Highest))
	if p.Sessions > 1 {
		b = binary.AppendUvarint(b, uint64(len(p.Days)))
	}
	for i, day := range p.Days {
		b = appendNextDay(b, day, p.Days[max(i-1, 0)], i == 0)
	}
	if len(p.Days) == 1 {
		return b
	}
	for _, share := range [...]libraries.Progress{libraries.Reading10, libraries.Reading50} {
		if day, ok := p.Reached(share); ok {
			place, _ := slices.BinarySearch(p.Days, day)
			b = binary.AppendUvarint(b, uint64(place))
		}
	}
	return b
}

func appendLoanDays(b []byte, loans []calendar.Period) []byte {
	b = binary.AppendUvarint(b, uint64(len(loans)))
	for i, loan := range loans {
		b = appendNextDay(b, loan.Start, loans[max(i-1, 0)].Start, i == 0)
		if loan.End == libraries.Unended {
			b = append(b, 0)
		} else {
			b = binary.AppendUvarint(b, uint64(loan.Days()))
		}
	}
	return b
}

// appendNextDay appends a day of an ascending list as readNextDay reads it.
func appendNextDay(b []byte, day, former calendar.Date, first bool) []byte {
	if first {
		return AppendDate(b, day)
	}
	return binary.AppendUvarint(b, uint64(int64(day)-int64(former)))
}

// ParseReaderTitles unpacks the stored titles of a reader. Of data it keeps nothing. The error is [packed.ErrCorrupt].
func ParseReaderTitles(data []byte) (*ReaderTitles, error) {
	d := packed.NewDecoder(data, readerTitlesVersion)
	s := &ReaderTitles{Books: make([]ReaderTitle, d.Count(minReaderTitle))}
	former := int64(0)
	for i := range s.Books {
		book := &s.Books[i]
		book.Book = step(d, former, i == 0)
		former = book.Book
		book.Pair = readPair(d)
		book.Loans = readLoanDays(d)
		if d.Check(book.Pair.Sessions > 0 || len(book.Loans) > 0); d.Bad() {
			break
		}
	}
	if err := d.End(); err != nil {
		return nil, err
	}
	return s, nil
}

func readPair(d *packed.Decoder) libraries.Pair {
	p := libraries.Pair{Sessions: d.Natural()}
	if p.Sessions == 0 {
		return p
	}
	p.Seconds, p.Highest = d.Natural(), readProgress(d)
	n := 1
	if p.Sessions > 1 {
		n = d.Count(1)
		d.Check(n > 0 && int64(n) <= p.Sessions)
	}
	if d.Bad() {
		return p
	}
	p.Days = make([]calendar.Date, n)
	for i := range p.Days {
		p.Days[i] = readNextDay(d, p.Days[max(i-1, 0)], i == 0)
		d.Check(i == 0 || p.Days[i] > p.Days[i-1])
	}
	if p.Highest >= libraries.Reading10 {
		p.Day10 = readPlace(d, p.Days)
	}
	if p.Highest >= libraries.Reading50 {
		p.Day50 = readPlace(d, p.Days)
		d.Check(p.Day10 <= p.Day50)
	}
	return p
}

func readProgress(d *packed.Decoder) libraries.Progress {
	v := d.Uvarint()
	d.Check(v <= uint64(libraries.MaxProgress))
	return libraries.Progress(v)
}

// readPlace reads one of several days; the only one needs no place.
func readPlace(d *packed.Decoder, days []calendar.Date) calendar.Date {
	if len(days) == 1 {
		return days[0]
	}
	place := d.Uvarint()
	if d.Check(place < uint64(len(days))); d.Bad() {
		return 0
	}
	return days[place]
}

// readNextDay reads a day of an ascending list: as the distance from the former one, the first as itself.
func readNextDay(d *packed.Decoder, former calendar.Date, first bool) calendar.Date {
	if first {
		return ReadDate(d)
	}
	v := d.Uvarint()
	d.Check(v <= uint64(math.MaxInt32-int64(former)))
	return calendar.Date(int64(former) + int64(v))
}

func readLoanDays(d *packed.Decoder) []calendar.Period {
	n := d.Count(2)
	if n == 0 {
		return nil
	}
	loans := make([]calendar.Period, n)
	for i := range loans {
		l := &loans[i]
		l.Start = readNextDay(d, loans[max(i-1, 0)].Start, i == 0)
		l.End = libraries.Unended
		if days := d.Uvarint(); days > 0 {
			d.Check(days <= uint64(math.MaxInt32-int64(l.Start)))
			l.End = calendar.Date(int64(l.Start) + int64(days) - 1)
		}
		d.Check(i == 0 || comparePeriods(loans[i-1], *l) <= 0)
	}
	return loans
}
