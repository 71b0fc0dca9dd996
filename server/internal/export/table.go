package export

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Table is one file of rows of T.
type Table[T any] struct {
	*file
	rows wire.Table[T]
}

// NewTable begins a file of rows in a folder, each with the members that write writes.
func NewTable[T any](f *Folder, name string, write func(*wire.Writer, *T)) Table[T] {
	t := Table[T]{f.open(name), wire.Table[T]{Write: write}}
	if t.csv {
		t.b = t.rows.AppendHeader(t.b)
		t.flush()
	}
	return t
}

// Write writes rows.
func (t Table[T]) Write(rows ...T) {
	for i := range rows {
		t.b = t.rows.AppendLine(t.b[:0], &rows[i], t.csv)
		t.count++
		t.flush()
	}
}

// record is a pointer to a record that declares its fields, which have the names that feeds have for them.
type record[T any] interface {
	*T
	row.Row
}

// newRecords begins a file of records, with the fields that they declare.
func newRecords[T any, P record[T]](f *Folder, name string) Table[T] {
	v := new(fields)
	walk := row.Of(P(new(T))).Look(v)
	return NewTable(f, name, func(w *wire.Writer, r *T) {
		v.w = w
		_ = walk.Over(P(r)) // a record that is not filled has nothing that does not fit
	})
}

// fields writes the fields of records, each by its kind. It is a [row.Visitor].
type fields struct {
	row.Nothing
	w *wire.Writer
}

// Number implements row.Visitor.
func (v *fields) Number(f *row.Field, n int64, null bool) (int64, bool) {
	switch f.Kind {
	case row.Integer:
		v.w.IntIf(f.Name, n, !null, "")
	case row.Truth:
		v.w.Bool(f.Name, n != 0, "")
	case row.Name:
		v.w.TextOrNull(f.Name, f.Names[n], "")
	case row.Amount:
		v.w.Amount(f.Name, f.Format(n), "")
	case row.Date:
		v.w.DateIf(f.Name, calendar.Date(n), !null, "")
	case row.Moment:
		at := time.UnixMicro(n)
		if null {
			at = time.Time{}
		}
		v.w.ExactTimeOrNull(f.Name, at, "")
	}
	return n, null
}

// Text implements row.Visitor.
func (v *fields) Text(f *row.Field, text string, null bool) (string, bool) {
	v.w.TextIf(f.Name, text, !null, "")
	return text, null
}

// List implements row.Visitor.
func (v *fields) List(f *row.Field, list []int64) []int64 {
	v.w.Ints(f.Name, list, "")
	return list
}
