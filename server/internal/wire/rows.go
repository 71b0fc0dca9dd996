package wire

import "bytes"

// Table says what the rows of a list are.
type Table[T any] struct {
	// Schema is the name of the schema of a row.
	Schema string
	// Write writes the members of a row.
	Write func(*Writer, *T)
	// Sample is a row that can be written: no pointer that Write follows is nil. The zero T is one, where there are none.
	Sample T
	// Key writes the members of a row's natural key, which are the first that Write writes. It is nil where rows do not leave.
	Key func(*Writer, *T)
}

// Rows are rows of one table.
type Rows struct {
	Total int64 // of all pages

	count  int
	schema string
	write  func(w *Writer, i int) // the row at i, or the sample for -1
	gone   func(w *Writer)        // a row that has left, for its schema; nil where rows do not leave
}

// Rows returns rows of the table, with the number of all that there are.
func (t Table[T]) Rows(list []T, total int64) Rows {
	rows := Rows{Total: total, count: len(list), schema: t.Schema, write: func(w *Writer, i int) {
		if i < 0 {
			t.Write(w, &t.Sample)
			return
		}
		t.Write(w, &list[i])
	}}
	if t.Key != nil {
		rows.gone = func(w *Writer) { t.writeGone(w, &t.Sample) }
	}
	return rows
}

// Round returns rows of the table that have changed. Of those that were removed from their list the natural key is written alone,
// and that they were (H14); a table has a last column for that.
func (t Table[T]) Round(list []T, removed []bool, total int64) Rows {
	rows := t.Rows(list, total)
	rows.write = func(w *Writer, i int) {
		switch {
		case i >= 0 && removed[i]:
			t.writeGone(w, &list[i])
		case i >= 0:
			t.Write(w, &list[i])
			w.empty(0, w.removed)
		default:
			t.Write(w, &t.Sample)
			w.removed()
		}
	}
	return rows
}

// writeGone writes a row that was removed from its list.
func (t Table[T]) writeGone(w *Writer, row *T) {
	key := Writer{form: asHeader}
	t.Key(&key, &t.Sample)
	t.Key(w, row)
	w.empty(1+bytes.Count(key.b, []byte{','}), func() { t.Write(w, &t.Sample) })
	w.removed()
}

// removed writes that a row was removed from its list.
func (w *Writer) removed() {
	if w.form == asSchema {
		w.tell("removed", Object{"type", "boolean", "enum", []bool{true}}, "The row has left the list.")
		return
	}
	w.Bool("removed", true, "")
}

// List writes the rows as a member that is a list.
func (rows Rows) List(w *Writer, name string) {
	if !w.open(name) {
		w.tell(name, ListOf(rows.schemaOf(w)), "")
		return
	}
	w.list(rows.count, func(i int) { w.braces(func() { rows.write(w, i) }) })
}

// schemaOf returns the schema of a row, where one is being made.
func (rows Rows) schemaOf(w *Writer) Object {
	row := w.schemaOf(rows.schema, func() { rows.write(w, -1) })
	if rows.gone == nil || row == nil {
		return row
	}
	return Object{"oneOf", []Object{row, w.schemaOf(rows.schema+"Removed", func() { rows.gone(w) })}}
}

// AppendNDJSON appends one row a line.
func (rows Rows) AppendNDJSON(b []byte) []byte {
	w := Writer{b: b}
	for i := range rows.count {
		w.braces(func() { rows.write(&w, i) })
		w.b = append(w.b, '\n')
	}
	return w.b
}

// AppendCSV appends a header line and one line for each row (RFC 4180).
func (rows Rows) AppendCSV(b []byte) []byte {
	w := Writer{b: b, form: asHeader}
	for i := -1; i < rows.count; i++ {
		w.more = false
		rows.write(&w, i)
		w.b = append(w.b, "\r\n"...)
		w.form = asCells
	}
	return w.b
}
