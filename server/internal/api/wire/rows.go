package wire

import (
	"bytes"

	"github.com/lectern-dev/lectern/paging"
)

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
	// Entries are those of a list in each row, which are a second sheet of a workbook. It is nil where there is none.
	Entries *Entries[T]
}

// Entries says what the entries of a list in a row are.
type Entries[T any] struct {
	Sheet string                       // the name of the sheet
	Count func(*T) int                 // how many a row has
	Write func(w *Writer, t *T, i int) // writes one with its row; for -1 an empty one
}

// Rows are rows of one table.
type Rows struct {
	Total  int64 // of all pages
	Erased bool  // see paging.List

	count  int
	schema string
	write  func(w *Writer, i int) // the row at i, or the sample for -1
	key    func(w *Writer, i int) // its natural key; nil where rows do not leave
	// removed marks the rows that have left the list of an incremental pull. They are written as their key (H14). It is nil for
	// other lists.
	removed []bool
	entries *sheet // nil where there are none
}

// Rows returns the rows of a list.
func (t Table[T]) Rows(list paging.List[T]) Rows {
	row := func(i int) *T {
		if i < 0 {
			return &t.Sample
		}
		return &list.Rows[i]
	}
	rows := Rows{
		Total: list.Total, Erased: list.Erased, count: len(list.Rows), removed: list.Removed,
		schema: t.Schema, write: func(w *Writer, i int) { t.Write(w, row(i)) },
	}
	if e := t.Entries; e != nil {
		rows.entries = &sheet{
			e.Sheet, len(list.Rows), func(i int) int { return e.Count(row(i)) }, func(w *Writer, r, i int) { e.Write(w, row(r), i) },
		}
	}
	if t.Key != nil {
		rows.key = func(w *Writer, i int) { t.Key(w, row(i)) }
	}
	return rows
}

// Members writes the rows as the member rows, and where some may have left their list, the keys of those as removed.
func (rows Rows) Members(w *Writer) {
	rows.list(w, "rows", rows.schema, "", rows.write)
	if rows.key != nil && w.Optional(rows.removed != nil) {
		rows.list(w, "removed", rows.schema+"Key", "Only with changedSince: the keys of rows that are no longer in the list.", rows.key)
	}
}

// list writes a member that lists rows: all, or of those that may have changed the ones that a name is for.
func (rows Rows) list(w *Writer, name, schema, about string, write func(*Writer, int)) {
	if !w.open(name) {
		w.tell(name, ListOf(w.schemaOf(schema, func() { write(w, -1) })), about)
		return
	}
	at := make([]int, 0, rows.count)
	for i := range rows.count {
		if rows.removed == nil || rows.removed[i] == (name == "removed") {
			at = append(at, i)
		}
	}
	w.list(len(at), func(i int) { w.braces(func() { write(w, at[i]) }) })
}

// line writes the row at i, or the sample for -1, in the forms that only list rows. A removed row is its key. Rows of an
// incremental pull have a last member, removed.
func (rows Rows) line(w *Writer, i int) {
	switch {
	case rows.removed == nil:
		rows.write(w, i)
	case i < 0:
		rows.write(w, i)
		w.Bool("removed", true, "")
	case rows.removed[i]:
		key := Writer{form: asHeader}
		rows.key(&key, -1)
		rows.key(w, i)
		w.empty(1+bytes.Count(key.b, []byte{','}), func() { rows.write(w, -1) })
		w.Bool("removed", true, "")
	default:
		rows.write(w, i)
		w.empty(0, func() { w.Bool("removed", true, "") })
	}
}

// AppendNDJSON appends one row a line.
func (rows Rows) AppendNDJSON(b []byte) []byte {
	w := Writer{b: b}
	for i := range rows.count {
		w.braces(func() { rows.line(&w, i) })
		w.b = append(w.b, '\n')
	}
	return w.b
}

// AppendCSV appends a header line and one line for each row (RFC 4180).
func (rows Rows) AppendCSV(b []byte) []byte {
	w := Writer{b: b, form: asHeader}
	for i := -1; i < rows.count; i++ {
		w.more = false
		rows.line(&w, i)
		w.b = append(w.b, "\r\n"...)
		w.form = asCells
	}
	return w.b
}
