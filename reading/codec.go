package reading

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// ErrCorrupt is the error for bytes that are not the binary form of a record.
var ErrCorrupt = errors.New("corrupt record")

const (
	recordVersion = 1
	daySeconds    = 24 * 60 * 60

	// The bytes that a day and an interval take at least: more than the input can hold are not even made room for.
	//mutants:equal a form that is cut is missed when it is read, too
	minDayBytes = 6
	//mutants:equal a form that is cut is missed when it is read, too
	minIntervalBytes = 2
)

// AppendBinary appends the binary form of the record, which must have the form that Record and Day describe:
// [Record.UnmarshalBinary] refuses any other. The package's documentation has the layout.
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

// UnmarshalBinary replaces r by the record whose binary form is data. It takes only what [Record.AppendBinary] writes,
// so that a record has one form; the error is [ErrCorrupt] otherwise, and r has no days then. It keeps nothing of data.
//
// The slices of r are used again, those of its days' coverages too: whoever keeps days of an earlier record clones them.
// A record used for many rows soon stops allocating. It implements [encoding.BinaryUnmarshaler].
func (r *Record) UnmarshalBinary(data []byte) error {
	d, n, err := newDecoder(data)
	if err != nil {
		r.Days = r.Days[:0]
		return err
	}
	days := slices.Grow(r.Days[:0], n)[:n]
	for i := range days {
		d.day(&days[i], i == 0)
		if d.bad {
			break
		}
	}
	r.Days = days
	if err := d.end(data); err != nil {
		r.Days = days[:0]
		return err
	}
	return nil
}

// newDecoder reads the version and the number of days that follow.
func newDecoder(data []byte) (d decoder, days int, err error) {
	if len(data) == 0 || data[0] != recordVersion {
		return d, 0, fmt.Errorf("%w: no version that is known", ErrCorrupt)
	}
	d = decoder{rest: data[1:], date: math.MinInt32}
	return d, d.count(minDayBytes), nil
}

// end returns an error unless all of data was read and nothing was wrong.
func (d *decoder) end(data []byte) error {
	if d.bad || len(d.rest) > 0 {
		return fmt.Errorf("%w of %d bytes", ErrCorrupt, len(data))
	}
	return nil
}

// decoder reads numbers from the front of rest. The first that is wrong sets bad; what is read afterwards has no meaning.
type decoder struct {
	rest []byte
	bad  bool
	date int64      // of the last day read
	room []Interval // for coverages that have no slice of their own
}

// day reads one day into to.
func (d *decoder) day(to *Day, first bool) {
	if step := d.uvarint(); first {
		d.date = int64(step>>1) ^ -int64(step&1)
	} else {
		d.check(step > 0 && step <= math.MaxUint32)
		d.date += int64(step)
	}
	d.check(d.date >= math.MinInt32 && d.date <= math.MaxInt32)
	to.Date, to.Read = calendar.Date(d.date), true
	to.MS, to.Minutes = d.natural(), Minutes(d.natural())
	start, span := d.uvarint(), d.uvarint()
	//mutants:equal the sum is looked at too
	d.check(start < daySeconds && span < daySeconds && start+span < daySeconds)
	to.First, to.Last = int32(start), int32(start+span)
	to.Coverage = d.coverage(to.Coverage)
}

// coverage reads a coverage into the array of c where it fits.
func (d *decoder) coverage(c Coverage) Coverage {
	n := d.count(minIntervalBytes)
	if n == 0 {
		return nil
	}
	if cap(c) < n {
		c = d.space(n)
	}
	c = c[:n]
	at := int64(0)
	for i := range c {
		gap, extent := d.natural(), d.natural()
		from := at + gap // both sums overflow to below 0 or not at all
		at = from + extent
		//mutants:equal a sum that overflows is below -1, and any other above 0
		d.check((gap > 0 || i == 0) && extent > 0 && from >= 0 && at >= 0)
		if d.bad {
			return nil
		}
		c[i] = Interval{from, at}
	}
	return c
}

// space returns room for n intervals. It makes some in advance, so that a new record costs few allocations.
func (d *decoder) space(n int) []Interval {
	if len(d.room) < n { //mutants:equal room that is made too early is room
		//mutants:equal how much room is made in advance is for speed
		d.room = make([]Interval, n+len(d.rest)/(minDayBytes+2*minIntervalBytes))
	}
	c := d.room[:n:n]
	d.room = d.room[n:]
	return c
}

func (d *decoder) check(ok bool) { d.bad = d.bad || !ok }

// natural reads a number from 0 to 2^63 - 1.
func (d *decoder) natural() int64 {
	v := d.uvarint()
	d.check(v <= math.MaxInt64)
	return int64(v)
}

// count reads how many things follow, of which each takes at least size bytes; it is 0 where something is wrong.
func (d *decoder) count(size int) int {
	v := d.uvarint()
	d.check(v <= uint64(len(d.rest)/size)) //mutants:equal what is not there is missed when it is read
	if d.bad {
		return 0 //mutants:equal of a bad form nothing is used
	}
	return int(v)
}

// uvarint reads a number in its shortest form.
func (d *decoder) uvarint() uint64 {
	switch b := d.rest; { // most numbers take one byte or two
	case len(b) > 0 && b[0] < 0x80: //mutants:equal the long way reads it too
		d.rest = b[1:]
		return uint64(b[0])
	case len(b) > 1 && b[1] < 0x80 && b[1] > 0: //mutants:equal the long way reads it too
		d.rest = b[2:]
		return uint64(b[0]&0x7f) | uint64(b[1])<<7
	}
	v, n := binary.Uvarint(d.rest)
	//mutants:equal one of one byte was read above
	if n <= 0 || d.rest[n-1] == 0 { // a last byte of 0 only makes it longer
		d.bad, d.rest = true, nil
		return 0 //mutants:equal of a bad form nothing is used
	}
	d.rest = d.rest[n:]
	return v
}
