package packed

import "encoding/binary"

// A Form is stored as one block. Columns declares its columns for writing and for reading, in their stored order.
type Form interface{ Columns(*Columns) }

// Columns writes the columns of a form or reads them. A form's Columns method calls the same functions in both cases.
type Columns struct {
	out  []byte
	in   *Decoder // nil while the form is written
	from Decoder
}

// Append appends the stored form of f to b.
func Append(b []byte, f Form) []byte {
	c := Columns{out: b}
	f.Columns(&c)
	return c.out
}

// Open reads a stored form into f. It accepts only what Append writes; otherwise the error is ErrCorrupt and f is of no
// use. It overwrites the rows of f and reuses their memory. Columns that stay packed keep data.
func Open(data []byte, f Form) error {
	c := Columns{from: Decoder{rest: data}}
	c.in = &c.from
	f.Columns(&c)
	return c.in.End()
}

// Reading reports whether the form is read.
func (c *Columns) Reading() bool { return c.in != nil }

// Check makes a form that is being read corrupt unless ok.
func (c *Columns) Check(ok bool) {
	if c.in != nil {
		c.in.Check(ok)
	}
}

// Bad reports whether what was read so far is corrupt.
func (c *Columns) Bad() bool { return c.in != nil && c.in.Bad() }

// Version declares the form's first byte, by which a later layout can be distinguished from this one.
func (c *Columns) Version(v byte) {
	if c.in == nil {
		c.out = append(c.out, v)
		return
	}
	c.in.Check(c.in.Byte() == v)
}

// Natural declares a number from 0 to most, as a varint.
func Natural[N Integer](c *Columns, most N, v *N) {
	if c.in == nil {
		c.out = binary.AppendUvarint(c.out, uint64(*v))
		return
	}
	n := c.in.Uvarint()
	c.in.Check(n <= uint64(most))
	*v = N(n)
}

// Bytes declares bytes, which follow their length. When read, they are a part of the stored form.
func (c *Columns) Bytes(b *[]byte) {
	n := c.count(len(*b))
	if c.in == nil {
		c.out = append(c.out, *b...)
		return
	}
	*b = c.in.Bytes(n)
}

// count writes a number of things, or reads it. It never reads more than the number of remaining bytes, so that a
// corrupt form cannot ask for more memory than a multiple of its own size.
func (c *Columns) count(n int) int {
	if c.in != nil {
		return c.in.Count(1)
	}
	c.out = binary.AppendUvarint(c.out, uint64(n))
	return n
}

// Integer is the type of a column of numbers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// A Table is rows with columns: those of a form, or the values in the lists of another table's rows.
type Table[T any] struct {
	c     *Columns
	lists [][]T
}

// Rows declares the rows of a form. Each row must take at least a byte in some column.
func Rows[T any](c *Columns, rows *[]T) Table[T] {
	if n := c.count(len(*rows)); c.in != nil {
		*rows = resize(*rows, n)
		clear(*rows)
	}
	return Table[T]{c, [][]T{*rows}}
}

// Array declares rows whose number is not stored: it is the same in all forms, or that of rows declared before.
func Array[T any](c *Columns, rows []T) Table[T] { return Table[T]{c, [][]T{rows}} }

// Itself is the column of rows that are numbers themselves.
func Itself[N any](n *N) *N { return n }

// resize returns n values, in the given memory if it is large enough.
func resize[T any](values []T, n int) []T {
	if n > cap(values) {
		return make([]T, n)
	}
	return values[:n]
}

// Lists declares a list for each row. It stores the number of values, and returns the table of the values. Each value
// must take at least a byte in some column.
func Lists[T, E any](t Table[T], of func(*T) *[]E) Table[E] {
	n := 0
	for _, rows := range t.lists {
		n += len(rows)
	}
	values := Table[E]{t.c, make([][]E, 0, n)}
	if t.c.in == nil {
		t.each(func(row *T) {
			values.lists = append(values.lists, *of(row))
			t.c.count(len(*of(row)))
		})
		return values
	}
	sizes, sum, d := make([]int, n), 0, *t.c.in
	for i := range sizes {
		sizes[i] = d.Count(1)
		sum += sizes[i]
	}
	d.Check(sum <= d.Len())
	if *t.c.in = d; d.Bad() {
		return values
	}
	all := make([]E, sum)
	t.each(func(row *T) {
		*of(row) = nil
		if n := sizes[len(values.lists)]; n > 0 {
			*of(row), all = all[:n:n], all[n:]
		}
		values.lists = append(values.lists, *of(row))
	})
	return values
}

// each visits the rows, until the form is found to be corrupt.
func (t Table[T]) each(visit func(*T)) {
	for _, rows := range t.lists {
		for i := range rows {
			if visit(&rows[i]); t.c.Bad() {
				return
			}
		}
	}
}

// Naturals declares a column of numbers from 0 to most, each a varint.
func Naturals[T any, N Integer](t Table[T], most N, of func(*T) *N) {
	if t.c.in == nil {
		t.each(func(row *T) { Natural(t.c, most, of(row)) })
		return
	}
	d, largest := *t.c.in, uint64(0) // a copy on the stack, which needs no write barriers
	for _, rows := range t.lists {
		for i := range rows {
			n := d.Uvarint()
			largest = max(largest, n)
			*of(&rows[i]) = N(n)
		}
	}
	d.Check(largest <= uint64(most))
	*t.c.in = d
}

// Ascending declares a column of numbers each of which is larger than the one before in its list. They are stored as
// differences, in varints. The first difference, to from, may be negative.
func Ascending[T any, N Integer](t Table[T], from N, of func(*T) *N) {
	differences(t, from, 1, false, of)
}

// Rising is Ascending for numbers that may equal the one before.
func Rising[T any, N Integer](t Table[T], from N, of func(*T) *N) {
	differences(t, from, 0, false, of)
}

// Onward is Ascending for lists that mostly continue where the one before ended: the first number of a list is stored
// as the difference to the last one of the list before, or to 0.
func Onward[T any, N Integer](t Table[T], of func(*T) *N) { differences(t, 0, 1, true, of) }

func differences[T any, N Integer](t Table[T], from N, least uint64, onward bool, of func(*T) *N) {
	if t.c.in == nil {
		appendDifferences(t, from, onward, of)
		return
	}
	d, former := *t.c.in, int64(from)
	for _, rows := range t.lists {
		if !onward {
			former = int64(from)
		}
		for i := range rows {
			next := former
			if i == 0 {
				next += d.Varint()
			} else {
				n := d.Uvarint()
				next += int64(n)
				d.Check(n >= least && next >= former)
			}
			v := of(&rows[i])
			*v = N(next)
			d.Check(int64(*v) == next)
			former = next
		}
	}
	*t.c.in = d
}

func appendDifferences[T any, N Integer](t Table[T], from N, onward bool, of func(*T) *N) {
	former := int64(from)
	for _, rows := range t.lists {
		if !onward {
			former = int64(from)
		}
		for i := range rows {
			v := int64(*of(&rows[i]))
			if i == 0 {
				t.c.out = binary.AppendVarint(t.c.out, v-former)
			} else {
				t.c.out = binary.AppendUvarint(t.c.out, uint64(v-former))
			}
			former = v
		}
	}
}

// Words declares a column of numbers of 4 or 8 bytes each, little-endian: hashes and bits, which cannot be compressed.
func Words[T any, N ~uint32 | ~uint64](t Table[T], of func(*T) *N) {
	width := binary.Size(N(0))
	for _, rows := range t.lists {
		var all []byte
		if t.c.in != nil {
			if all = t.c.in.Bytes(width * len(rows)); t.c.Bad() {
				return
			}
		}
		for i := range rows {
			v := of(&rows[i])
			if t.c.in == nil {
				t.c.out = appendWidth(t.c.out, uint64(*v), width)
			} else {
				*v = N(ofWidth(all[width*i : width*(i+1)]))
			}
		}
	}
}

func appendWidth(b []byte, v uint64, width int) []byte {
	if width == 8 {
		return binary.LittleEndian.AppendUint64(b, v)
	}
	for range width {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

func ofWidth(b []byte) uint64 {
	if len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return uint64(binary.LittleEndian.Uint32(b))
}
