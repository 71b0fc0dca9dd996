package schools

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt is returned for a stored form that cannot have been written by this package.
var ErrCorrupt = errors.New("corrupt folded data")

// formVersion begins every binary form of this package, so that a later layout can be told from this one.
const formVersion = 1

// decoder reads a binary form. After the first failure it yields zeros and reports the failure at the end.
type decoder struct {
	b   []byte
	bad bool
}

// newDecoder expects the version byte in front.
func newDecoder(b []byte) *decoder {
	d := &decoder{b: b}
	if d.byte() != formVersion {
		d.bad = true
	}
	return d
}

func (d *decoder) byte() byte {
	if d.bad || len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	if d.bad {
		return 0
	}
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 || n > 1 && d.b[n-1] == 0 { // a longer form than needed is not ours
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a number of things that take at least one unit of the rest each, so that a corrupt form cannot ask for
// more memory than its own size.
func (d *decoder) count(unit int) int {
	v := d.uvarint()
	if v > uint64(len(d.b)/unit) {
		d.bad = true
		return 0
	}
	return int(v)
}

func (d *decoder) bytes(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad = true
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

// end reports whether the form was read whole and without a failure.
func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return ErrCorrupt
	}
	return nil
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
