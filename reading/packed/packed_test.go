package packed_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
)

// encoded returns one value of each kind that a decoder reads.
func encoded() []byte {
	b := []byte{7}
	b = binary.AppendUvarint(b, 3)
	b = append(b, 'a', 'b', 'c')
	b = binary.AppendVarint(b, math.MinInt64)
	b = binary.AppendUvarint(b, math.MaxUint64)
	return append(binary.AppendUvarint(b, 6), "ação"...)
}

type things struct {
	bytes  string
	signed int64
	large  uint64
	text   string
}

func read(data []byte) (t things, err error) {
	d := packed.Bare(data)
	d.Check(d.Byte() == 7)
	t.bytes = string(d.Bytes(d.Count(1)))
	t.signed, t.large, t.text = d.Varint(), d.Uvarint(), string(d.Bytes(d.Count(1)))
	return t, d.End()
}

func TestDecoder(t *testing.T) {
	want := things{"abc", math.MinInt64, math.MaxUint64, "ação"}
	if got, err := read(encoded()); err != nil || got != want {
		t.Errorf("read = %+v, %v, want %+v", got, err, want)
	}
}

// TestCorrupt tests encodings that are truncated anywhere, or corrupt in another way.
func TestCorrupt(t *testing.T) {
	bad := map[string][]byte{
		"other version":   append([]byte{8}, encoded()[1:]...),
		"too long":        append(encoded(), 0),
		"overlong number": {7, 0x80, 0x00},
		"huge count":      append([]byte{7}, binary.AppendUvarint(nil, math.MaxUint64)...),
		"overflow":        {7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	}
	for n := range encoded() {
		bad["truncated at "+string(rune('a'+n))] = encoded()[:n]
	}
	for name, data := range bad {
		if _, err := read(data); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: read = %v, want ErrCorrupt", name, err)
		}
	}
	d := packed.Bare([]byte{1})
	if d.Check(false); d.Byte() != 0 || !d.Bad() || d.Len() != 1 || d.End() == nil {
		t.Error("a decoder continues after a failed Check")
	}
}

// TestBytesBounds tests that Bytes reads from 0 to all remaining bytes, and that any other number is corrupt.
func TestBytesBounds(t *testing.T) {
	for n, want := range map[int]bool{-1: false, 0: true, 3: true, 4: false} {
		d := packed.Bare([]byte("abc"))
		if b := d.Bytes(n); d.Bad() == want || want && string(b) != "abc"[:n] || !want && b != nil {
			t.Errorf("Bytes(%d) of 3 bytes = %q, bad %t", n, b, d.Bad())
		}
	}
	d := packed.Bare([]byte("abc"))
	d.Check(false)
	if b := d.Bytes(1); b != nil || d.Len() != 3 {
		t.Errorf("Bytes of a bad decoder = %q, want none", b)
	}
}

// TestCountBounds tests that Count refuses a number of things that cannot fit into the remaining bytes.
func TestCountBounds(t *testing.T) {
	for n, want := range map[byte]int{0: 0, 2: 2, 3: 0, 7: 0, 8: 0} {
		d := packed.Bare([]byte{n, 0, 0, 0, 0, 0})
		if got := d.Count(2); got != want || d.Bad() != (n > 2) {
			t.Errorf("Count(2) of %d in 5 bytes = %d, bad %t", n, got, d.Bad())
		}
	}
}

// TestNothingLeft tests that a decoder is bad after it has read past the end.
func TestNothingLeft(t *testing.T) {
	var d packed.Decoder
	if d.Uvarint() != 0 || !d.Bad() {
		t.Error("Uvarint of no bytes succeeds")
	}
	d = packed.Bare([]byte{0x80})
	if d.Uvarint() != 0 || !d.Bad() {
		t.Error("Uvarint of a truncated number succeeds")
	}
}

// TestNatural tests that Natural reads numbers up to the largest int64, and refuses a larger one.
func TestNatural(t *testing.T) {
	for n, want := range map[uint64]error{0: nil, 300: nil, math.MaxInt64: nil, math.MaxInt64 + 1: packed.ErrCorrupt} {
		d := packed.Bare(binary.AppendUvarint(nil, n))
		if got, err := d.Natural(), d.End(); !errors.Is(err, want) || err == nil && got != int64(n) {
			t.Errorf("Natural of %d = %d, %v, want error %v", n, got, err, want)
		}
	}
}
