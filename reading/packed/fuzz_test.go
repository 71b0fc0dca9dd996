package packed_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
)

// FuzzUvarint checks that each number has only one encoding, which is that of encoding/binary.
func FuzzUvarint(f *testing.F) {
	for _, seed := range [][]byte{
		{}, {0}, {0x7f}, {0x80, 1}, {0xff, 0x7f}, {0x80, 0}, {0x80}, binary.AppendUvarint(nil, 1<<64-1), bytes.Repeat([]byte{0xff}, 11),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var again []byte
		d := packed.Bare(data)
		for d.Len() > 0 && !d.Bad() {
			if v := d.Uvarint(); !d.Bad() {
				again = binary.AppendUvarint(again, v)
			} else if v != 0 {
				t.Errorf("%x: Uvarint = %d of bad bytes, want 0", data, v)
			}
		}
		if !bytes.HasPrefix(data, again) || (d.End() == nil) != (len(again) == len(data)) {
			t.Errorf("%x: the numbers are encoded again as %x, and End = %v", data, again, d.End())
		}
		if v, n := binary.Uvarint(data[len(again):]); n > 0 && len(binary.AppendUvarint(nil, v)) == n {
			t.Errorf("%x: the number %d after %d bytes was not read", data, v, len(again))
		}
	})
}

// FuzzDecoder calls a decoder on any bytes. It checks that bad bytes stay bad and yield only zero values.
func FuzzDecoder(f *testing.F) {
	f.Add(encoded(), []byte{0, 3, 1, 1, 4})
	f.Add([]byte{7, 0xff, 0xff, 0xff, 0xff, 0x0f}, []byte{3})
	f.Fuzz(func(t *testing.T, data, calls []byte) {
		d := packed.Bare(data)
		for _, call := range calls {
			was, left := d.Bad(), d.Len()
			var empty bool
			switch call % 5 {
			case 0:
				empty = d.Byte() == 0
			case 1:
				empty = d.Varint() == 0
			case 2:
				empty = d.Natural() == 0
			case 3:
				unit := 1 + int(call/5)
				n := d.Count(unit)
				if n*unit > d.Len() {
					t.Errorf("%x: Count = %d values of %d bytes, with %d bytes left", data, n, unit, d.Len())
				}
				empty = n == 0
			case 4:
				b := d.Bytes(int(call/5) - 1)
				empty = len(b) == 0
			}
			if d.Bad() && !empty || was && (!d.Bad() || d.Len() != left) || d.Len() > left {
				t.Errorf("%x: after call %d: bad %t, before %t, %d bytes left of %d", data, call, d.Bad(), was, d.Len(), left)
			}
		}
		if err := d.End(); (err == nil) != (!d.Bad() && d.Len() == 0) || err != nil && !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%x: End = %v, want nil only if the decoder is good and at the end", data, err)
		}
	})
}
