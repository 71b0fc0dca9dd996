package packed

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// TestLongVarint tests numbers of each length, in the shortest encoding. An encoding that is longer, truncated, or too
// large is refused.
func TestLongVarint(t *testing.T) {
	for bit := 7; bit < 64; bit++ {
		for _, v := range []uint64{1 << bit, 1<<bit + 1, 1<<bit - 1 | 1<<bit} {
			b := binary.AppendUvarint([]byte{9}, v)
			if got, next := longVarint(append(b, 0x85), 2); got != v || next != len(b) {
				t.Errorf("longVarint of %d = %d, which ends at %d, want %d at %d", v, got, next, v, len(b))
			}
			b[len(b)-1] |= 0x80
			if got, next := longVarint(append(b, 0), 2); got != math.MaxUint64 || next != len(b)+1 {
				t.Errorf("longVarint of %d with an extra zero byte = %d at %d, want none", v, got, next)
			}
			if got, _ := longVarint(b, 2); got != math.MaxUint64 {
				t.Errorf("longVarint of %d without its last byte = %d, want none", v, got)
			}
		}
	}
	for _, b := range [][]byte{{0x80, 0}, {0xff}, bytes.Repeat([]byte{0xff}, 11), append(bytes.Repeat([]byte{0xff}, 9), 2)} {
		if got, next := longVarint(b, 1); got != math.MaxUint64 || next != len(b) {
			t.Errorf("longVarint of %x = %d at %d, want none", b, got, next)
		}
	}
}

// TestSparseCorrupt tests corrupt columns of three rows, and then a good one.
func TestSparseCorrupt(t *testing.T) {
	for name, data := range map[string][]byte{
		"a row past the end": {0, 1, 2, 1}, "a number of 0": {0, 0}, "half a pair": {0, 1, 1}, "a long row": {0x80, 0, 1}, "half a number": {0, 0x80},
	} {
		s := Sparse{data: data, rows: 3}
		if err := s.Visit(func(row int, v int64) {
			if row >= 3 || v <= 0 {
				t.Errorf("%s: Visit of row %d with %d", name, row, v)
			}
		}); err != ErrCorrupt {
			t.Errorf("%s: Visit = %v, want ErrCorrupt", name, err)
		}
	}
	s := Sparse{data: []byte{0, 1, 1, 0xac, 2}, rows: 3}
	sum := int64(0)
	if err := s.Visit(func(row int, v int64) { sum += v * int64(1+row) }); err != nil || sum != 1+3*300 {
		t.Errorf("sum of the numbers = %d, %v, want 901", sum, err)
	}
}
