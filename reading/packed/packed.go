// Package packed reads the binary forms in which folded facts are kept: unsigned numbers as varints, in the shortest form
// alone, signed ones folded into them (zigzag), and bytes, behind one byte that names the layout's version.
//
//	d := packed.NewDecoder(data, 1)
//	days := make([]Day, d.Count(2))
//	for i := range days {
//		days[i] = Day{Date: d.Varint(), Minutes: d.Uvarint()}
//	}
//	return days, d.End()
//
// The forms are written with [encoding/binary]'s AppendUvarint and AppendVarint. A corrupt form is [ErrCorrupt], never a
// panic, and asks for no more memory than a multiple of its own size.
package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrCorrupt is the error for a stored form that cannot have been written by this program.
var ErrCorrupt = errors.New("corrupt folded data")

// Decoder reads a binary form from its front. After the first failure it yields zeros and End reports the failure. The
// zero Decoder has nothing to read.
type Decoder struct {
	rest []byte
	bad  bool
}

// NewDecoder returns a decoder of what follows the version byte, which must be the given one.
func NewDecoder(data []byte, version byte) *Decoder {
	d := &Decoder{rest: data}
	if d.Byte() != version {
		d.bad = true
	}
	return d
}

// Bare returns a decoder of bytes without a version: a part of a form.
func Bare(data []byte) Decoder { return Decoder{rest: data} }

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	if d.bad || len(d.rest) == 0 {
		d.bad = true
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

// Uvarint reads an unsigned number.
func (d *Decoder) Uvarint() uint64 {
	if len(d.rest) > 0 && d.rest[0] < 0x80 && !d.bad {
		v := d.rest[0]
		d.rest = d.rest[1:]
		return uint64(v)
	}
	return d.long()
}

// long reads an unsigned number of more than one byte.
func (d *Decoder) long() uint64 {
	if d.bad {
		return 0
	}
	if b := d.rest; len(b) > 1 && b[1] < 0x80 && b[1] > 0 {
		d.rest = b[2:]
		return uint64(b[0]&0x7f) | uint64(b[1])<<7
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || n > 1 && d.rest[n-1] == 0 { // a longer form than needed is not ours
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// Natural reads a number from 0 to 2^63 - 1.
func (d *Decoder) Natural() int64 {
	v := d.Uvarint()
	d.Check(v <= math.MaxInt64)
	return int64(v)
}

// Varint reads a signed number.
func (d *Decoder) Varint() int64 {
	v := d.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// Count reads a number of things that take at least unit bytes of the rest each, so that a corrupt form cannot ask for
// more memory than its own size.
func (d *Decoder) Count(unit int) int {
	v := d.Uvarint()
	if v > uint64(len(d.rest)/unit) {
		d.bad = true
		return 0
	}
	return int(v)
}

// Bytes reads n bytes, which stay those of the form; nil where there are fewer.
func (d *Decoder) Bytes(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad = true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// Text reads a string with its length in front.
func (d *Decoder) Text() string { return string(d.Bytes(d.Count(1))) }

// Len returns the number of bytes that are left.
func (d *Decoder) Len() int { return len(d.rest) }

// Bad reports whether anything was wrong so far.
func (d *Decoder) Bad() bool { return d.bad }

// Check makes the form a corrupt one unless ok.
func (d *Decoder) Check(ok bool) {
	if !ok {
		d.bad = true
	}
}

// End returns ErrCorrupt unless the form was read whole and without a failure.
func (d *Decoder) End() error {
	if d.bad || len(d.rest) > 0 {
		return ErrCorrupt
	}
	return nil
}

// AppendText appends a string with its length in front, as Text reads it.
func AppendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
