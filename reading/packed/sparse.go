package packed

import (
	"encoding/binary"
	"math"
)

// Sparse is a column of numbers most of which are 0; it stays packed. It has the rows in which the number is above 0, each
// as the number of rows that were left out since the one before and the number, both varints.
type Sparse struct {
	data []byte
	rows int // behind the last that was put in
}

// Put puts the number of a row behind all others in, unless it is 0.
func (s *Sparse) Put(row int, v int64) {
	if v != 0 {
		s.data = binary.AppendUvarint(s.data, uint64(row-s.rows))
		s.data = binary.AppendUvarint(s.data, uint64(v))
		s.rows = row + 1
	}
}

// Sparse declares a column of n numbers, with its length in bytes in front. What is wrong inside of it is found when it is
// visited.
func (c *Columns) Sparse(s *Sparse, n int) {
	if c.Bytes(&s.data); c.in != nil {
		s.rows = n
	}
}

// Visit calls visit with each row whose number is not 0, ascending, and with its number. It takes a few nanoseconds a row.
// The error is ErrCorrupt, perhaps after some visits.
func (s *Sparse) Visit(visit func(row int, v int64)) error {
	b, row := s.data, 0
	for i := 0; i < len(b); {
		gap := uint64(b[i])
		if i++; gap >= 0x80 {
			gap, i = longVarint(b, i)
		}
		if i >= len(b) {
			return ErrCorrupt
		}
		v := uint64(b[i])
		if i++; v >= 0x80 {
			v, i = longVarint(b, i)
		}
		if gap >= uint64(s.rows-row) || v-1 >= math.MaxInt64 { // a number of 0 wraps around
			return ErrCorrupt
		}
		row += int(gap)
		visit(row, int64(v))
		row++
	}
	return nil
}

// Sparsely declares a column of numbers from 0 on of the rows of a form, most of which are 0, as Sparse has them.
func Sparsely[T any, N Integer](t Table[T], of func(*T) *N) {
	for _, rows := range t.lists {
		var s Sparse
		if t.c.in == nil {
			for i := range rows {
				s.Put(i, int64(*of(&rows[i])))
			}
		}
		t.c.Sparse(&s, len(rows))
		if t.c.in == nil {
			continue
		}
		err := s.Visit(func(row int, v int64) {
			n := of(&rows[row])
			*n = N(v)
			t.c.Check(int64(*n) == v)
		})
		t.c.Check(err == nil)
	}
}

// longVarint reads a number of more than one byte in its shortest form, as Decoder does: b[i-1] is its first byte. It
// returns where what follows begins; where there is no number, one that is above all that a column has.
func longVarint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i]-1 < 0x7f { // from 1 to 0x7f: it takes two bytes
		return uint64(b[i-1]&0x7f) | uint64(b[i])<<7, i + 1
	}
	v, n := binary.Uvarint(b[i-1:])
	if n <= 0 || b[i-2+n] == 0 { // a last byte of 0 only makes it longer
		return math.MaxUint64, len(b)
	}
	return v, i - 1 + n
}
