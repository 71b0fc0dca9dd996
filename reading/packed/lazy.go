package packed

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Fixed is a column of numbers of the same width, so that each can be read without the others. It stays packed. It consists of the
// smallest number, a width of 0, 1, 2, 4 or 8 bytes, and the difference of each number to the smallest one,
// little-endian. Equal numbers take no bytes.
type Fixed struct {
	least int64
	width int
	data  []byte
	n     int
}

// FixedOf packs numbers.
func FixedOf[N Integer](numbers []N) Fixed {
	f := Fixed{n: len(numbers)}
	if f.n == 0 {
		return f
	}
	f.least = int64(slices.Min(numbers))
	f.width = widthOf(uint64(slices.Max(numbers)) - uint64(f.least))
	f.data = make([]byte, 0, f.n*f.width)
	for _, v := range numbers {
		f.data = appendWidth(f.data, uint64(v)-uint64(f.least), f.width)
	}
	return f
}

// widthOf returns the number of bytes for numbers up to most.
func widthOf(most uint64) int {
	switch n := bits.Len64(most); {
	case n == 0:
		return 0
	case n <= 8:
		return 1
	case n <= 16:
		return 2
	case n <= 32:
		return 4
	}
	return 8
}

// Fixed declares a column of n numbers from low to high.
func (c *Columns) Fixed(f *Fixed, n int, low, high int64) {
	if c.in == nil {
		if f.n > 0 {
			c.out = append(append(binary.AppendVarint(c.out, f.least), byte(f.width)), f.data...)
		}
		return
	}
	*f = Fixed{}
	if n == 0 || c.Bad() {
		return
	}
	f.n, f.least, f.width = n, c.in.Varint(), int(c.in.Byte())
	if c.Check(f.width <= 8 && bits.OnesCount(uint(f.width)) < 2); c.Bad() {
		return
	}
	if f.data = c.in.Bytes(f.width * n); c.Bad() {
		return
	}
	least, most := f.ends()
	c.Check(least == 0 && widthOf(most) == f.width && f.least >= low && f.least <= high && most <= uint64(high)-uint64(f.least))
}

// Ends declares where each of n lists ends among the rows of other columns. It returns how many rows these have, at most
// most.
func (c *Columns) Ends(f *Fixed, n int, most int64) (rows int) {
	c.Fixed(f, n, 0, most)
	for i := range f.n {
		from, to := f.Part(i)
		c.Check(from <= to)
		rows = to
	}
	return rows
}

// Part returns where list i begins and ends, in a column that Ends declared.
func (f *Fixed) Part(i int) (from, to int) {
	if i > 0 {
		from = int(f.At(i - 1))
	}
	return from, int(f.At(i))
}

// ends returns the smallest and the largest difference.
func (f *Fixed) ends() (least, most uint64) {
	if f.width == 1 { // nearly always
		return uint64(slices.Min(f.data)), uint64(slices.Max(f.data))
	}
	least = math.MaxUint64
	if f.width == 2 {
		for b := f.data; len(b) > 1; b = b[2:] {
			rest := uint64(b[0]) | uint64(b[1])<<8
			least, most = min(least, rest), max(most, rest)
		}
		return least, most
	}
	for i := range f.n {
		rest := f.rest(i)
		least, most = min(least, rest), max(most, rest)
	}
	return least, most
}

// Len returns the number of numbers.
func (f *Fixed) Len() int { return f.n }

// Bytes returns the memory of the column in bytes.
func (f *Fixed) Bytes() int { return cap(f.data) }

// Clone returns a copy that shares no memory with the stored form.
func (f Fixed) Clone() Fixed {
	f.data = slices.Clone(f.data)
	return f
}

// At returns one number.
func (f *Fixed) At(i int) int64 { return f.least + int64(f.rest(i)) }

// rest returns the difference of a number to the smallest one.
func (f *Fixed) rest(i int) uint64 {
	switch f.width {
	case 1:
		return uint64(f.data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(f.data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(f.data[4*i:]))
	case 8:
		return binary.LittleEndian.Uint64(f.data[8*i:])
	}
	return 0
}

// Unpack returns all numbers, in the memory of to if it is large enough.
func Unpack[N Integer](to []N, f *Fixed) []N {
	to = resize(to, f.n)
	least := N(f.least)
	switch f.width {
	case 1:
		for i, v := range f.data[:len(to)] {
			to[i] = least + N(v)
		}
	case 2:
		for i := range to {
			to[i] = least + N(binary.LittleEndian.Uint16(f.data[2*i:]))
		}
	default:
		for i := range to {
			to[i] = N(f.At(i))
		}
	}
	return to
}

// Sparse is a column of numbers of which most are 0. It stays packed. Each number above 0 is stored as the number of
// skipped rows and the number itself, both varints.
type Sparse struct {
	data []byte
	rows int // rows up to and including the last one put in
}

// Put puts the number of a row in, unless it is 0. Rows must ascend.
func (s *Sparse) Put(row int, v int64) {
	if v != 0 {
		s.data = binary.AppendUvarint(s.data, uint64(row-s.rows))
		s.data = binary.AppendUvarint(s.data, uint64(v))
		s.rows = row + 1
	}
}

// Sparse declares a column of n numbers, which follows its length in bytes. Visit finds what is corrupt inside.
func (c *Columns) Sparse(s *Sparse, n int) {
	if c.Bytes(&s.data); c.in != nil {
		s.rows = n
	}
}

// Visit calls visit with each row whose number is not 0, ascending, in a few nanoseconds a row. The error is
// ErrCorrupt, perhaps after some calls.
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
		if gap >= uint64(s.rows-row) || v-1 >= math.MaxInt64 { // 0-1 wraps around
			return ErrCorrupt
		}
		row += int(gap)
		visit(row, int64(v))
		row++
	}
	return nil
}

// longVarint reads a number of more than one byte in its shortest form, as Decoder does. b[i-1] is its first byte. It
// returns the number and the index behind it. For an invalid number it returns one that is too large for any column.
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
