package reading

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ErrCorrupt is the error for bytes that are not the binary form of a record.
var ErrCorrupt = errors.New("corrupt record")

const (
	recordVersion = 1
	daySeconds    = 24 * 60 * 60

	// The minimum size of a day and of an interval, so that corrupt input cannot ask for more memory than its own size.
	minDayBytes      = 6
	minIntervalBytes = 2
)

// AppendBinary appends the binary form of the record, whose layout is in the package documentation. The record must be
// as Record and Day describe: [Record.UnmarshalBinary] refuses any other.
func (r Record) AppendBinary(b []byte) []byte {
	b = append(b, recordVersion)
	b = binary.AppendUvarint(b, uint64(len(r.Days)))
	for i := range r.Days {
		d := &r.Days[i]
		if i == 0 {
			b = binary.AppendVarint(b, int64(d.Date))
		} else {
			b = binary.AppendUvarint(b, uint64(d.Date)-uint64(r.Days[i-1].Date))
		}
		b = binary.AppendUvarint(b, uint64(d.MS))
		b = binary.AppendUvarint(b, uint64(d.Minutes))
		b = binary.AppendUvarint(b, uint64(d.First))
		b = binary.AppendUvarint(b, uint64(d.Last)-uint64(d.First))
		b = binary.AppendUvarint(b, uint64(len(d.Coverage)))
		at := int64(0)
		for _, iv := range d.Coverage {
			b = binary.AppendUvarint(b, uint64(iv.From-at))
			b = binary.AppendUvarint(b, uint64(iv.To-iv.From))
			at = iv.To
		}
	}
	return b
}

// UnmarshalBinary replaces r with the record whose binary form is data. It accepts only what [Record.AppendBinary]
// writes, so that a record has one form. Otherwise the error is [ErrCorrupt] and r has no days. It does not keep data.
//
// It reuses the slices of r, those of the coverages too: clone days that must outlive it. A record used for many rows
// soon stops allocating. It implements [encoding.BinaryUnmarshaler].
func (r *Record) UnmarshalBinary(data []byte) error {
	d, n, err := newDecoder(data)
	r.Days = slices.Grow(r.Days[:0], n)[:n]
	for i := range r.Days {
		if d.day(&r.Days[i], i == 0); d.Bad() {
			break
		}
	}
	if err = cmp.Or(err, d.end(data)); err != nil {
		r.Days = r.Days[:0]
	}
	return err
}

// newDecoder reads the version and the number of days.
func newDecoder(data []byte) (d decoder, days int, err error) {
	d.Decoder = packed.Bare(data)
	if d.Byte() != recordVersion {
		return d, 0, fmt.Errorf("%w: no version that is known", ErrCorrupt)
	}
	return d, d.Count(minDayBytes), nil
}

// end returns an error unless all of data was read without a fault.
func (d *decoder) end(data []byte) error {
	if d.End() != nil {
		return fmt.Errorf("%w of %d bytes", ErrCorrupt, len(data))
	}
	return nil
}

// decoder reads days.
type decoder struct {
	packed.Decoder
	date int64      // of the last day
	room []Interval // for coverages without memory of their own
}

// day reads one day.
func (d *decoder) day(to *Day, first bool) {
	if step := d.Uvarint(); first {
		d.date = int64(step>>1) ^ -int64(step&1)
	} else {
		d.Check(step > 0 && step <= math.MaxUint32)
		d.date += int64(step)
	}
	d.Check(d.date >= math.MinInt32 && d.date <= math.MaxInt32)
	to.Date, to.Read = calendar.Date(d.date), true
	to.MS, to.Minutes = d.Natural(), Minutes(d.Natural())
	start, span := d.Uvarint(), d.Uvarint()
	d.Check(start < daySeconds && span < daySeconds && start+span < daySeconds)
	to.First, to.Last = int32(start), int32(start+span)
	to.Coverage = d.coverage(to.Coverage)
}

// coverage reads a coverage into the memory of c if it fits.
func (d *decoder) coverage(c Coverage) Coverage {
	n := d.Count(minIntervalBytes)
	if n == 0 {
		return nil
	}
	if cap(c) < n {
		c = d.space(n)
	}
	c = c[:n]
	at := int64(0)
	for i := range c {
		gap, extent := d.Natural(), d.Natural()
		from := at + gap // a sum that overflows is negative
		at = from + extent
		d.Check((gap > 0 || i == 0) && extent > 0 && from >= 0 && at >= 0)
		if d.Bad() {
			return nil
		}
		c[i] = Interval{from, at}
	}
	return c
}

// space returns memory for n intervals. It allocates for several days at once.
func (d *decoder) space(n int) []Interval {
	if len(d.room) < n {
		d.room = make([]Interval, n+d.Len()/(minDayBytes+2*minIntervalBytes))
	}
	c := d.room[:n:n]
	d.room = d.room[n:]
	return c
}
