// Package packed stores forms as columns. A form is declared once, and the declaration writes it, reads it and checks it:
//
//	type day struct{ Users []user }
//
//	func (d *day) Columns(c *packed.Columns) {
//		c.Version(1)
//		users := packed.Rows(c, &d.Users)
//		packed.Ascending(users, 0, func(u *user) *int64 { return &u.ID })
//		packed.Naturals(users, maxMinutes, func(u *user) *int64 { return &u.Minutes })
//	}
//
//	data := packed.Append(nil, &day)
//	err := packed.Open(data, &day)
//
// A form begins with its version. Rows are stored as their number; each column then has all of its numbers side by side:
// as varints ([Naturals]), as differences ([Ascending], [Rising], [Onward]), in as many bytes as the
// largest needs ([FixedWidth]), or in 4 or 8 bytes ([Words]). [Lists] are the number of values of each row, and a table of these
// values. [Fixed] and [Sparse] columns stay packed when a form is opened, so that a reader decodes only what it needs. Values
// that many rows share are [Coded], and sets have a bit for each number or the differences of the numbers, whichever is shorter.
//
// Everything has one form: numbers are varints in the shortest form alone, signed ones folded into unsigned ones (zigzag).
// What has another form is [ErrCorrupt], never a panic, and asks for no more memory than a multiple of its own size. Whether
// a bit was flipped is not looked at here: blocks have a checksum ([github.com/lectern-dev/lectern/paging/snapshot]).
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

// Bare returns a decoder of bytes that are no form: records of a sort, or a part of a form.
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
