package row

import (
	"bytes"
	"encoding/binary"
	"sync"
)

// Append appends a record in a form for as long as the program runs: its fields one after the other, without a version. Numbers
// are varints, those of nullable fields behind a byte that says whether there is one.
func (s Schema) Append(b []byte, r Row) []byte {
	a := appenders.Get().(*appender)
	defer appenders.Put(a)
	a.b, a.walk = b, Walk{visitor: a, schema: s}
	_ = a.walk.Over(r)
	b, a.b = a.b, nil
	return b
}

// appenders are those that wait for a record: a visitor and its walk for each record of a load would be memory to clear.
var appenders = sync.Pool{New: func() any { return new(appender) }}

type appender struct {
	Nothing
	walk Walk
	b    []byte
}

// null appends whether a nullable field is null, and reports whether that is all.
func (a *appender) null(f *Field, null bool) bool {
	switch {
	case !f.Nullable:
		return false
	case null:
		a.b = append(a.b, 0)
	default:
		a.b = append(a.b, 1)
	}
	return null
}

func (a *appender) Number(f *Field, n int64, null bool) (int64, bool) {
	if !a.null(f, null) {
		a.b = binary.AppendVarint(a.b, n)
	}
	return n, null
}

func (a *appender) Text(f *Field, text string, null bool) (string, bool) {
	if !a.null(f, null) {
		a.b = append(binary.AppendUvarint(a.b, uint64(len(text))), text...)
	}
	return text, null
}

func (a *appender) Bytes(_ *Field, text []byte) []byte {
	a.b = append(binary.AppendUvarint(a.b, uint64(len(text))), text...)
	return text
}

func (a *appender) List(_ *Field, list []int64) []int64 {
	a.b = binary.AppendUvarint(a.b, uint64(len(list)))
	for _, n := range list {
		a.b = binary.AppendVarint(a.b, n)
	}
	return list
}

// Equal reports whether two records are the same to who stores them.
func (s Schema) Equal(x, y Row) bool {
	var room [256]byte
	both := s.Append(room[:0], x)
	n := len(both)
	both = s.Append(both, y)
	return bytes.Equal(both[:n], both[n:])
}

// Source is what a record that was appended is read from, front to back: a packed.Decoder, which notes what is wrong.
type Source interface {
	Byte() byte
	Varint() int64
	Count(unit int) int
	Bytes(n int) []byte
}

// Read reads a record that Append has written. The error says that it was another.
func (s Schema) Read(from Source, r Row) error {
	d := readers.Get().(*reader)
	defer readers.Put(d)
	d.from, d.walk = from, Walk{visitor: d, schema: s, fills: true}
	err := d.walk.Over(r)
	d.from = nil
	return err
}

// readers are those that wait for a record, as the appenders do.
var readers = sync.Pool{New: func() any { return new(reader) }}

type reader struct {
	Nothing
	walk Walk
	from Source
}

func (r *reader) Number(f *Field, _ int64, _ bool) (int64, bool) {
	if f.Nullable && r.from.Byte() == 0 {
		return 0, true
	}
	return r.from.Varint(), false
}

func (r *reader) Text(f *Field, _ string, _ bool) (string, bool) {
	if f.Nullable && r.from.Byte() == 0 {
		return "", true
	}
	return string(r.Bytes(f, nil)), false
}

func (r *reader) Bytes(*Field, []byte) []byte { return r.from.Bytes(r.from.Count(1)) }

func (r *reader) List(*Field, []int64) []int64 {
	n := r.from.Count(1)
	if n == 0 {
		return nil
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = r.from.Varint()
	}
	return list
}
