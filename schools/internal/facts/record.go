package facts

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// AppendRecord appends the stored form of a record, which must have a day: version, a summary of all its days, and the
// record's own form. Most questions span a book's whole reading, and are answered by the summary.
//
// Layout of the summary: first day (zigzag) and second, days to the last one and its second, tenths of a minute, units
// covered, and where the last interval ends: what is covered holds for every length from there on. Numbers are varints.
func AppendRecord(b []byte, r reading.Record) []byte {
	return r.AppendBinary(summaryOf(r).append(append(b, formVersion)))
}

// summary is what all days of a record come to.
type summary struct {
	first, last  calendar.Date
	starts, ends int32 // seconds of the first and of the last day
	minutes      reading.Minutes
	covered, end int64
}

func summaryOf(r reading.Record) summary {
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	s := summary{first: first.Date, last: last.Date, starts: int32(first.First), ends: int32(last.Last)}
	var all reading.Coverage
	for _, d := range r.Days {
		if n := len(d.Coverage); n > 0 {
			s.end = max(s.end, d.Coverage[n-1].To)
		}
		all = all.Union(d.Coverage)
		s.minutes += d.Minutes
	}
	s.covered = int64(all.Within(s.end))
	return s
}

func (s summary) append(b []byte) []byte {
	b = binary.AppendVarint(b, int64(s.first))
	b = binary.AppendUvarint(b, uint64(s.starts))
	b = binary.AppendUvarint(b, uint64(s.last-s.first))
	b = binary.AppendUvarint(b, uint64(s.ends))
	b = binary.AppendUvarint(b, uint64(s.minutes))
	b = binary.AppendUvarint(b, uint64(s.covered))
	return binary.AppendUvarint(b, uint64(s.end))
}

func takeSummary(d *packed.Decoder) summary {
	s := summary{first: calendar.Date(d.Varint()), starts: int32(d.Uvarint() & math.MaxInt32)}
	s.last = s.first + calendar.Date(d.Uvarint())
	s.ends = int32(d.Uvarint() & math.MaxInt32)
	s.minutes, s.covered, s.end = reading.Minutes(d.Uvarint()), int64(d.Uvarint()), int64(d.Uvarint())
	return s
}

// holds reports whether a summary says what a period comes to, for a book of the given length: all days are of the period.
func (s summary) holds(p calendar.Period, length int64) bool {
	return p.Contains(s.first) && p.Contains(s.last) && s.end <= length
}

// total is what a summary that holds comes to.
func (s summary) total(length int64) reading.Total {
	percent := reading.PercentOf(s.covered, length)
	return reading.Total{
		Minutes: s.minutes, Percent: percent, Finished: percent.Finished(),
		First: s.first.At(s.starts), Last: s.last.At(s.ends),
	}
}

// parseSummary reads the summary and returns it with the record's own form.
func parseSummary(data []byte) (summary, []byte, error) {
	d := packed.NewDecoder(data, formVersion)
	s := takeSummary(d)
	if d.Bad() {
		return s, nil, packed.ErrCorrupt
	}
	return s, d.Bytes(d.Len()), nil
}

// ParseRecord unpacks a stored record. It takes only what AppendRecord writes.
func ParseRecord(data []byte) (*reading.Record, error) {
	_, own, err := parseSummary(data)
	if err != nil {
		return nil, err
	}
	r := &reading.Record{}
	if err := r.UnmarshalBinary(own); err != nil {
		return nil, fmt.Errorf("%w: %w", packed.ErrCorrupt, err)
	}
	if len(r.Days) == 0 || !bytes.Equal(AppendRecord(nil, *r), data) {
		return nil, fmt.Errorf("the summary is not the record's: %w", packed.ErrCorrupt)
	}
	return r, nil
}

// Totaller totals stored records, one after the other.
type Totaller struct{ days reading.Totaller }

// Total returns what a stored record comes to in the period, for a book of the given length; false where no day of it
// lies in the period.
func (t *Totaller) Total(data []byte, p calendar.Period, length int64) (reading.Total, bool, error) {
	s, own, err := parseSummary(data)
	if err != nil {
		return reading.Total{}, false, err
	}
	if !s.holds(p, length) {
		return t.days.TotalBinary(own, p, length)
	}
	return s.total(length), true, nil
}
