package libraries

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading/packed"
)

// attributesForm is a stored block of attributes, opened and checked.
type attributesForm struct {
	ids                  []int64
	libraries, ageGroups coded[int64]
	states, cities, ras  coded[[]byte]
	kinds                []uint8 // status x 8 + gender
	registered, updated  numbers
	deleted              numbers // of those who are gone
	loans, reservations  numbers
}

// coded is a column of values by a dictionary, which has as indexes what the column has at each place.
type coded[T any] struct {
	values []T
	at     []uint32
}

// of returns the value of a place.
func (c *coded[T]) of(i int) T { return c.values[c.at[i]] }

// numbers is a column of numbers.
type numbers struct {
	least int64
	width int
	data  []byte
}

// at returns one number.
func (c *numbers) at(i int) int64 { return c.least + int64(c.rest(i)) }

// rest returns by how much a number exceeds the least one.
func (c *numbers) rest(i int) uint64 {
	switch c.width {
	case 1:
		return uint64(c.data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(c.data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(c.data[4*i:]))
	case 8:
		return binary.LittleEndian.Uint64(c.data[8*i:])
	}
	return 0
}

// unpack writes the numbers to a slice of as many.
func unpack[T ~uint8 | ~int32 | ~uint32 | ~int64](to []T, c *numbers) {
	least := T(c.least)
	switch c.width {
	case 1:
		data := c.data[:len(to)]
		for i := range to {
			to[i] = least + T(data[i])
		}
	case 2:
		for i := range to {
			to[i] = least + T(binary.LittleEndian.Uint16(c.data[2*i:]))
		}
	default:
		for i := range to {
			to[i] = T(c.at(i))
		}
	}
}

// open opens and checks a stored block; it keeps data. What f had before is used again where it can be.
func (f *attributesForm) open(data []byte) error {
	d := packed.NewDecoder(data, attributesVersion)
	size := d.Uvarint()
	d.Check(size <= BlockReaders)
	if size == 0 || d.Bad() {
		*f = attributesForm{}
		return d.End()
	}
	n := int(size)
	f.openIDs(d, n)
	openIntegers(d, n, &f.libraries)
	openIntegers(d, n, &f.ageGroups)
	openTexts(d, n, &f.states)
	openTexts(d, n, &f.cities)
	openTexts(d, n, &f.ras)
	gone := f.openKinds(d, n)
	f.registered.open(d, n, math.MinInt32, math.MaxInt32)
	f.updated.open(d, n, math.MinInt32, math.MaxInt32)
	f.deleted.open(d, gone, math.MinInt32, math.MaxInt32)
	f.loans.open(d, n, 0, math.MaxInt64)
	f.reservations.open(d, n, 0, math.MaxInt64)
	return d.End()
}

// openIDs unpacks the identifiers and checks that they ascend.
func (f *attributesForm) openIDs(d *packed.Decoder, n int) {
	var distances numbers
	id := d.Varint()
	distances.open(d, n, 0, math.MaxInt64)
	f.ids = resize(f.ids, n)
	if d.Bad() {
		return
	}
	unpack(f.ids, &distances)
	for i, distance := range f.ids {
		d.Check((distance == 0) == (i == 0) && id <= math.MaxInt64-distance)
		id += distance
		f.ids[i] = id
	}
}

// openKinds unpacks the genders and statuses, checks them, and counts the readers who are gone.
func (f *attributesForm) openKinds(d *packed.Decoder, n int) (gone int) {
	var kinds numbers
	kinds.open(d, n, 0, int64(ReaderDeleted)<<3|int64(OtherGender))
	f.kinds = resize(f.kinds, n)
	if d.Bad() {
		return 0
	}
	unpack(f.kinds, &kinds)
	for _, kind := range f.kinds {
		d.Check(Gender(kind&7) <= OtherGender)
		if ReaderStatus(kind >> 3).Gone() {
			gone++
		}
	}
	return gone
}

// resize returns a slice of n numbers, which need not be 0, in the place of one that is not needed any more.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// open opens a column of n numbers and checks that it is in its one form and that no number is out of the given range.
func (c *numbers) open(d *packed.Decoder, n int, low, high int64) {
	*c = numbers{}
	if n == 0 {
		return
	}
	c.least, c.width = d.Varint(), int(d.Byte())
	d.Check(c.width == 0 || c.width == 1 || c.width == 2 || c.width == 4 || c.width == 8)
	c.data = d.Bytes(c.width * n)
	if d.Bad() {
		return
	}
	least, most := c.ends(n)
	d.Check(least == 0 && columnWidth(most) == c.width)
	d.Check(c.least >= low && c.least <= high && most <= uint64(high)-uint64(c.least))
}

// ends returns the least and the largest rest of n numbers.
func (c *numbers) ends(n int) (least, most uint64) {
	if c.width == 1 { // nearly always
		return uint64(slices.Min(c.data)), uint64(slices.Max(c.data))
	}
	least = math.MaxUint64
	for i := range n {
		rest := c.rest(i)
		least, most = min(least, rest), max(most, rest)
	}
	return least, most
}

// openIntegers opens a dictionary of integers and its column.
func openIntegers(d *packed.Decoder, n int, c *coded[int64]) {
	c.values = c.values[:0]
	before := int64(None)
	for i := range d.Count(1) {
		more := d.Uvarint()
		d.Check((more > 0 || i == 0) && more <= uint64(math.MaxInt64)-uint64(before))
		before += int64(more)
		c.values = append(c.values, before)
	}
	c.at = openCodes(d, c.at, n, len(c.values))
}

// openTexts opens a dictionary of texts and its column.
func openTexts(d *packed.Decoder, n int, c *coded[[]byte]) {
	c.values = c.values[:0]
	for i := range d.Count(1) {
		text := d.Bytes(d.Count(1))
		d.Check(i == 0 || bytes.Compare(c.values[i-1], text) < 0)
		c.values = append(c.values, text)
	}
	c.at = openCodes(d, c.at, n, len(c.values))
}

// openCodes unpacks a column of n indexes into a dictionary and checks that it names every value.
func openCodes(d *packed.Decoder, at []uint32, n, values int) []uint32 {
	var codes numbers
	d.Check(values <= n)
	codes.open(d, n, 0, int64(values)-1)
	at = resize(at, n)
	if d.Bad() {
		return at
	}
	unpack(at, &codes)
	var used [BlockReaders]bool
	count := 0
	for _, code := range at {
		if !used[code] {
			used[code] = true
			count++
		}
	}
	d.Check(count == values)
	return at
}
