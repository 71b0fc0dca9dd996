// Package packed stores forms as columns. A form is declared once, and its declaration writes, reads and checks it:
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
// A form begins with its version and the number of its rows. Each column then has all of its numbers together: as
// varints ([Naturals]), as differences ([Ascending], [Rising], [Onward]), or in 4 or 8 bytes ([Words]). [Lists] has the
// number of values of each row, and a table of these values. [Fixed] and [Sparse] columns stay packed when a form is
// opened, so that a reader decodes only what it needs. Values that many rows share are [Coded]. Sets are bits or
// differences, whichever is shorter.
//
// The users 3 and 7, with 10 and 200 minutes, are stored in seven bytes: the version 1, the number of rows 2, the
// differences 3 (zigzag 6) and 4, and the varints 10 and 200 (two bytes):
//
//	01 02 06 04 0a c8 01
//
// Every value has one form: varints are as short as possible, and signed ones are zigzag-encoded. Any other form is
// [ErrCorrupt]. It never causes a panic, and never takes more memory than a multiple of its own size.
//
// The package does not detect flipped bits: blocks have a checksum (package snapshot).
package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrCorrupt is the error for a stored form that this program cannot have written.
var ErrCorrupt = errors.New("corrupt data")

// Decoder reads a binary form from its front. After the first error it returns zeros, and End returns the error.
type Decoder struct {
	rest []byte
	bad  bool
}

// Bare returns a decoder for bytes that are not a whole form, such as a spilled record.
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
	if n <= 0 || n > 1 && d.rest[n-1] == 0 { // not the shortest form
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// Natural reads a number from 0 to 2^63 - 1.
func (d *Decoder) Natural() int64 {
	v := d.Uvarint()
	if v > math.MaxInt64 {
		d.bad = true
		return 0
	}
	return int64(v)
}

// Varint reads a signed number.
func (d *Decoder) Varint() int64 {
	v := d.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// Count reads a number of things of which each takes at least unit bytes, so that a corrupt form cannot ask for more
// memory than its own size.
func (d *Decoder) Count(unit int) int {
	v := d.Uvarint()
	if v > uint64(len(d.rest)/unit) {
		d.bad = true
		return 0
	}
	return int(v)
}

// Bytes reads n bytes, which are a part of the form, or nil if there are fewer.
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

// Bad reports whether an error has occurred.
func (d *Decoder) Bad() bool { return d.bad }

// Check makes the form corrupt unless ok.
func (d *Decoder) Check(ok bool) {
	if !ok {
		d.bad = true
	}
}

// End returns ErrCorrupt unless the whole form was read without an error.
func (d *Decoder) End() error {
	if d.bad || len(d.rest) > 0 {
		return ErrCorrupt
	}
	return nil
}
