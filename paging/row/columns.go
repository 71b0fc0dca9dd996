package row

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Column returns the name of the field's column: category_ids for categoryIds.
func (f *Field) Column() string {
	var b strings.Builder
	for _, c := range f.Name {
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Values appends the values of a record that a database stores, in the order of the fields: integers, bools, texts, and
// nil for the null of a nullable field. A list is a text such as 3;17;20.
func (s Schema) Values(to []any, r Row) []any {
	v := valuers.Get().(*values)
	defer valuers.Put(v)
	v.list, v.walk = to, Walk{visitor: v, schema: s}
	_ = v.walk.Over(r)
	to, v.list = v.list, nil
	return to
}

// valuers are pooled as the appenders are.
var valuers = sync.Pool{New: func() any { return new(values) }}

type values struct {
	NoOp
	walk Walk
	list []any
}

func (v *values) Number(f *Field, n int64, null bool) (int64, bool) {
	switch {
	case null && f.Nullable:
		v.list = append(v.list, nil)
	case f.Kind == Truth:
		v.list = append(v.list, n != 0)
	default:
		v.list = append(v.list, n)
	}
	return n, null
}

func (v *values) Text(f *Field, text string, null bool) (string, bool) {
	if null && f.Nullable {
		v.list = append(v.list, nil)
	} else {
		v.list = append(v.list, text)
	}
	return text, null
}

func (v *values) List(_ *Field, list []int64) []int64 {
	v.list = append(v.list, FormatInts(list))
	return list
}

// Scanner returns a function that reads a record from a row with the columns of the schema, in its order. scan scans
// the row, as sql.Rows.Scan does. If fields are named, the row has only their columns, and the other fields of a record
// do not change. The function must not be called by several goroutines at once.
func (s Schema) Scanner(only ...string) func(scan func(dest ...any) error, r Row) error {
	v := &found{values: make([]any, len(s)), left: make([]bool, len(s))}
	walk := s.Fill(v)
	var dest []any
	for i := range s {
		if v.left[i] = len(only) > 0 && !slices.Contains(only, s[i].Name); !v.left[i] {
			dest = append(dest, &v.values[i]) // the driver's own value: database/sql would convert numbers through texts
		}
	}
	return func(scan func(dest ...any) error, r Row) error {
		if err := scan(dest...); err != nil {
			return err
		}
		v.err = nil
		err := walk.Over(r)
		return cmp.Or(v.err, err)
	}
}

// found is the visitor of a Scanner.
type found struct {
	NoOp
	values []any
	left   []bool // fields without a column
	err    error
}

func (v *found) Number(f *Field, n int64, null bool) (int64, bool) {
	if v.left[f.Index] {
		return n, null
	}
	switch value := v.values[f.Index].(type) {
	case int64:
		return value, false
	case bool:
		if value {
			return 1, false
		}
		return 0, false
	case nil:
		if f.Nullable {
			return 0, true
		}
	}
	v.refuse(f)
	return 0, false
}

func (v *found) Text(f *Field, text string, null bool) (string, bool) {
	if v.left[f.Index] {
		return text, null
	}
	switch value := v.values[f.Index].(type) {
	case string:
		return value, false
	case []byte:
		return string(value), false
	case nil:
		if f.Nullable {
			return "", true
		}
	}
	v.refuse(f)
	return "", false
}

func (v *found) List(f *Field, list []int64) []int64 {
	if v.left[f.Index] {
		return list
	}
	text, _ := v.Text(f, "", false)
	var ok bool
	list, ok = ParseInts(text)
	if !ok {
		v.refuse(f)
	}
	return list
}

// refuse notes a value that the field cannot have.
func (v *found) refuse(f *Field) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %.40q is no such value", f.Name, fmt.Sprint(v.values[f.Index]))
	}
}

// FormatInts returns a list as one text, for a cell or a column: 3;17;20.
func FormatInts(list []int64) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ';')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}

// ParseInts parses what FormatInts returns. The empty list is nil.
func ParseInts(text string) (list []int64, ok bool) {
	if text == "" {
		return nil, true
	}
	list = make([]int64, 0, 1+strings.Count(text, ";"))
	for item := range strings.SplitSeq(text, ";") {
		n, err := strconv.ParseInt(item, 10, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// Append appends a record to a temporary file, so it needs no version. Fields follow one
// another: numbers as varints, and in front of a nullable field a byte that says whether it has a value.
func (s Schema) Append(b []byte, r Row) []byte {
	a := appenders.Get().(*appender)
	defer appenders.Put(a)
	a.b, a.walk = b, Walk{visitor: a, schema: s}
	_ = a.walk.Over(r)
	b, a.b = a.b, nil
	return b
}

// appenders are pooled: a load would otherwise allocate a visitor and its walk for each record.
var appenders = sync.Pool{New: func() any { return new(appender) }}

type appender struct {
	NoOp
	walk Walk
	b    []byte
}

// null appends whether a nullable field is null, and reports whether it is.
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

// Equal reports whether two records have the same stored values.
func (s Schema) Equal(x, y Row) bool {
	var room [256]byte
	both := s.Append(room[:0], x)
	n := len(both)
	both = s.Append(both, y)
	return bytes.Equal(both[:n], both[n:])
}

// Source is the bytes from which an appended record is read: a packed.Decoder, which notes errors.
type Source interface {
	Byte() byte
	Varint() int64
	Count(unit int) int
	Bytes(n int) []byte
}

// Read reads a record that Append has written. Anything else is an error.
func (s Schema) Read(from Source, r Row) error {
	d := readers.Get().(*reader)
	defer readers.Put(d)
	d.from, d.walk = from, Walk{visitor: d, schema: s, fills: true}
	err := d.walk.Over(r)
	d.from = nil
	return err
}

// readers are pooled as the appenders are.
var readers = sync.Pool{New: func() any { return new(reader) }}

type reader struct {
	NoOp
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
