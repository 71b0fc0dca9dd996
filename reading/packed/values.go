package packed

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
)

// Coded is a column of values of which many are equal: the distinct values, ascending, and the index of each row's
// value.
type Coded[T int64 | string] struct {
	Values []T
	At     []uint32
}

// CodedOf packs the values of n rows.
func CodedOf[T int64 | string](n int, of func(i int) T) (c Coded[T]) {
	for i := range n {
		c.Values = append(c.Values, of(i))
	}
	all := slices.Clone(c.Values)
	slices.Sort(c.Values)
	c.Values = slices.Compact(c.Values)
	c.At = make([]uint32, n)
	for i, v := range all {
		c.At[i], _ = c.Code(v)
	}
	return c
}

// Code returns the index of a value. ok is false if no row has it.
func (c *Coded[T]) Code(v T) (uint32, bool) {
	i, found := slices.BinarySearch(c.Values, v)
	return uint32(i), found
}

// Of returns the value of a row.
func (c *Coded[T]) Of(row int) T { return c.Values[c.At[row]] }

// Integers declares a column of n coded integers.
func (c *Columns) Integers(v *Coded[int64], n int) {
	Ascending(Rows(c, &v.Values), 0, Itself)
	codes(c, v, n)
}

// Texts declares a column of n coded texts.
func (c *Columns) Texts(v *Coded[string], n int) {
	if n := c.count(len(v.Values)); c.Reading() {
		v.Values = resize(v.Values, n)
	}
	for i, text := range v.Values {
		if !c.Reading() {
			c.out = append(binary.AppendUvarint(c.out, uint64(len(text))), text...)
		} else if b := c.in.Bytes(c.in.Count(1)); string(b) != text { // reuses the text of the block before
			v.Values[i] = string(b)
		}
		c.Check(i == 0 || v.Values[i-1] < v.Values[i])
	}
	codes(c, v, n)
}

// codes declares the indexes of n rows. Each value must have a row.
func codes[T int64 | string](c *Columns, v *Coded[T], n int) {
	var at Fixed
	if !c.Reading() {
		at = FixedOf(v.At)
	}
	c.Fixed(&at, n, 0, int64(len(v.Values))-1)
	if !c.Reading() || c.Bad() {
		return
	}
	v.At = Unpack(v.At, &at)
	used := make([]bool, len(v.Values))
	for _, code := range v.At {
		used[code] = true
	}
	c.Check(!slices.Contains(used, false))
}

// Set declares a set of numbers from 0 to most, as bits of 64-bit words. It is stored as differences, or as the number
// of empty words and the words after them, whichever is shorter.
func (c *Columns) Set(words *[]uint64, most int64) {
	if !c.Reading() {
		c.out = appendSet(c.out, *words)
		return
	}
	*words = nil
	asWords, empty, at := c.in.Byte(), int64(0), int64(-1)
	if asWords == 0 {
		for n := c.count(0); n > 0 && !c.Bad(); n-- {
			step := c.in.Natural()
			if c.Check(step > 0 && step <= most-at); !c.Bad() {
				at += step
				*words = append(*words, make([]uint64, int(at>>6)+1-len(*words))...)
				(*words)[at>>6] |= 1 << (at & 63)
			}
		}
	} else {
		empty = c.in.Natural()
		n := c.in.Count(8)
		if c.Check(empty <= most>>6 && int64(n) <= most>>6+1-empty); !c.Bad() {
			*words = make([]uint64, int(empty)+n)
			stored := c.in.Bytes(8 * n)
			for i := range n {
				(*words)[int(empty)+i] = binary.LittleEndian.Uint64(stored[8*i:])
			}
		}
	}
	if !c.Bad() { // only the shorter way is valid
		way, from, to := shorterWay(*words)
		c.Check(asWords == way && to == len(*words) && (way == 0 || int64(from) == empty))
	}
}

func appendSet(b []byte, words []uint64) []byte {
	way, from, to := shorterWay(words)
	if b = append(b, way); way == 0 {
		n, at := 0, -1
		for range numbers(words) {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n))
		for v := range numbers(words) {
			b = binary.AppendUvarint(b, uint64(v-at))
			at = v
		}
		return b
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from)), uint64(to-from))
	for _, w := range words[from:to] {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// shorterWay returns 1 if a set takes fewer bytes as words, otherwise 0, and the range of words that are not empty.
func shorterWay(words []uint64) (asWords byte, from, to int) {
	for to = len(words); to > 0 && words[to-1] == 0; {
		to--
	}
	n := 0
	for i, w := range words[:to] {
		if n += bits.OnesCount64(w); n == 0 {
			from = i + 1
		}
	}
	long := varintLen(from) + varintLen(to-from) + 8*(to-from)
	short, at := varintLen(n)+n, -1 // where every difference takes a byte
	if short <= long {
		short -= n
		for v := range numbers(words) {
			short += varintLen(v - at)
			at = v
		}
	}
	if long < short {
		return 1, from, to
	}
	return 0, from, to
}

// numbers yields the numbers of a set.
func numbers(words []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range words {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// varintLen returns the length of a number as a varint.
func varintLen(n int) int { return (bits.Len64(uint64(n)|1) + 6) / 7 }
