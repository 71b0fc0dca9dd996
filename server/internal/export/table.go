package export

import (
	"bufio"
	"errors"
	"os"

	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Table is one file of rows of T.
type Table[T any] struct {
	*file
	rows wire.Table[T]
}

// NewTable begins a file of rows in a folder, each with the members that write writes.
func NewTable[T any](f *Folder, name string, write func(*wire.Writer, *T)) (Table[T], error) {
	opened, err := f.open(name)
	if err != nil {
		return Table[T]{}, err
	}
	t := Table[T]{opened, wire.Table[T]{Write: write}}
	if t.csv {
		t.b = t.rows.AppendHeader(t.b[:0])
		t.flush()
	}
	return t, nil
}

// Write writes a row.
func (t Table[T]) Write(row *T) error {
	t.b = t.rows.AppendLine(t.b[:0], row, t.csv)
	t.count++
	return t.flush()
}

// WriteAll writes rows.
func (t Table[T]) WriteAll(rows []T) error {
	for i := range rows {
		if err := t.Write(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// file is a file of a folder.
type file struct {
	name  string
	to    *os.File // nil once it is closed
	w     *bufio.Writer
	csv   bool
	b     []byte // the line
	count int64  // of rows
}

// fileBuffer is how much of a file is written at once.
const fileBuffer = 256 << 10

// flush writes the line. The first error of the file stays.
func (f *file) flush() error {
	_, err := f.w.Write(f.b)
	return err
}

// close brings what was written to the disk. To close again does nothing.
func (f *file) close() error {
	if f.to == nil {
		return nil
	}
	err := errors.Join(f.w.Flush(), f.to.Sync(), f.to.Close())
	f.to = nil
	return err
}
