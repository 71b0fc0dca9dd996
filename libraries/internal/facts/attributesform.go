package facts

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/packed"
)

// AttributesForm is a stored block of attributes, opened and checked.
type AttributesForm struct {
	IDs                  []int64
	Libraries, AgeGroups Coded[int64]
	States, Cities, RAs  Coded[[]byte]
	Kinds                []uint8 // status x 8 + gender
	Registered, Updated  numbers
	Deleted              numbers // of those who are gone
	Loans, Reservations  numbers
}

// Coded is a column of values by a dictionary, which has as indexes what the column has at each place.
type Coded[T any] struct {
	Values []T
	At     []uint32
}

// of returns the value of a place.
func (c *Coded[T]) of(i int) T { return c.Values[c.At[i]] }

// numbers is a column of numbers.
type numbers struct {
	least int64
	width int
	data  []byte
}

// At returns one number.
func (c *numbers) At(i int) int64 { return c.least + int64(c.rest(i)) }

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

// Unpack writes the numbers to a slice of as many.
func Unpack[T ~uint8 | ~int32 | ~uint32 | ~int64](to []T, c *numbers) {
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
			to[i] = T(c.At(i))
		}
	}
}

// Open opens and checks a stored block; it keeps data. What f had before is used again where it can be.
func (f *AttributesForm) Open(data []byte) error {
	d := packed.NewDecoder(data, AttributesVersion)
	size := d.Uvarint()
	d.Check(size <= BlockReaders)
	if size == 0 || d.Bad() {
		*f = AttributesForm{}
		return d.End()
	}
	n := int(size)
	f.openIDs(d, n)
	openIntegers(d, n, &f.Libraries)
	openIntegers(d, n, &f.AgeGroups)
	openTexts(d, n, &f.States)
	openTexts(d, n, &f.Cities)
	openTexts(d, n, &f.RAs)
	gone := f.openKinds(d, n)
	f.Registered.open(d, n, math.MinInt32, math.MaxInt32)
	f.Updated.open(d, n, math.MinInt32, math.MaxInt32)
	f.Deleted.open(d, gone, math.MinInt32, math.MaxInt32)
	f.Loans.open(d, n, 0, math.MaxInt64)
	f.Reservations.open(d, n, 0, math.MaxInt64)
	return d.End()
}

// openIDs unpacks the identifiers and checks that they ascend.
func (f *AttributesForm) openIDs(d *packed.Decoder, n int) {
	var distances numbers
	id := d.Varint()
	distances.open(d, n, 0, math.MaxInt64)
	f.IDs = Resize(f.IDs, n)
	if d.Bad() {
		return
	}
	Unpack(f.IDs, &distances)
	for i, distance := range f.IDs {
		d.Check((distance == 0) == (i == 0) && id <= math.MaxInt64-distance)
		id += distance
		f.IDs[i] = id
	}
}

// openKinds unpacks the genders and statuses, checks them, and counts the readers who are gone.
func (f *AttributesForm) openKinds(d *packed.Decoder, n int) (gone int) {
	var kinds numbers
	kinds.open(d, n, 0, int64(libraries.ReaderDeleted)<<3|int64(libraries.OtherGender))
	f.Kinds = Resize(f.Kinds, n)
	if d.Bad() {
		return 0
	}
	Unpack(f.Kinds, &kinds)
	for _, kind := range f.Kinds {
		d.Check(libraries.Gender(kind&7) <= libraries.OtherGender)
		if libraries.ReaderStatus(kind >> 3).Gone() {
			gone++
		}
	}
	return gone
}

// Resize returns a slice of n numbers, which need not be 0, in the place of one that is not needed any more.
func Resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

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
func openIntegers(d *packed.Decoder, n int, c *Coded[int64]) {
	c.Values = c.Values[:0]
	before := int64(libraries.None)
	for i := range d.Count(1) {
		more := d.Uvarint()
		d.Check((more > 0 || i == 0) && more <= uint64(math.MaxInt64)-uint64(before))
		before += int64(more)
		c.Values = append(c.Values, before)
	}
	c.At = openCodes(d, c.At, n, len(c.Values))
}

// openTexts opens a dictionary of texts and its column.
func openTexts(d *packed.Decoder, n int, c *Coded[[]byte]) {
	c.Values = c.Values[:0]
	for i := range d.Count(1) {
		text := d.Bytes(d.Count(1))
		d.Check(i == 0 || bytes.Compare(c.Values[i-1], text) < 0)
		c.Values = append(c.Values, text)
	}
	c.At = openCodes(d, c.At, n, len(c.Values))
}

// openCodes unpacks a column of n indexes into a dictionary and checks that it names every value.
func openCodes(d *packed.Decoder, at []uint32, n, values int) []uint32 {
	var codes numbers
	d.Check(values <= n)
	codes.open(d, n, 0, int64(values)-1)
	at = Resize(at, n)
	if d.Bad() {
		return at
	}
	Unpack(at, &codes)
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
