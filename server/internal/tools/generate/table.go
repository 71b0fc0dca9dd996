package generate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// What rows have besides texts, whole numbers, truths, days, times and lists: of these an empty text, the day 0 and an empty list
// are null.
type (
	tenths     int
	hundredths int
)

// optional is a value, or null where there is none.
func optional[T any](v T, there bool) any {
	if there {
		return v
	}
	return nil
}

// table writes the file of one resource, row by row. An error is kept until finish.
type table struct {
	file   *os.File
	out    *bufio.Writer
	pack   io.Closer // nil: not compressed
	wire   wire.Table[[]any]
	csv    bool
	values []any // of a row
	line   []byte
	rows   int64
}

// createTable begins a resource's file, of rows with the fields.
func createTable(path string, p Params, fields row.Schema) (*table, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: file, csv: p.Format == "csv", values: make([]any, len(fields))}
	t.wire = wire.Table[[]any]{Sample: t.values, Write: func(w *wire.Writer, values *[]any) {
		for i, v := range *values {
			write(w, fields[i].Name, v)
		}
	}}
	to := io.Writer(file)
	switch p.Compress {
	case "gz":
		z, _ := gzip.NewWriterLevel(file, gzip.BestSpeed) // of a level that exists
		to, t.pack = z, z
	case "zst":
		z, _ := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)) // of options that it has
		to, t.pack = z, z
	}
	t.out = bufio.NewWriterSize(to, 256<<10)
	if t.csv {
		t.out.Write(t.wire.AppendHeader(nil))
	}
	return t, nil
}

// next is the number of the next row, from 1.
func (t *table) next() int { return int(t.rows) + 1 }

// row writes a row: a value for each field, in their order.
func (t *table) row(values ...any) {
	if n := copy(t.values, values); n != len(values) || n != len(t.values) { // a copy, since values itself would be moved to the heap
		panic(fmt.Sprintf("generate: %d values for the %d fields of %s", len(values), len(t.values), filepath.Base(t.file.Name())))
	}
	t.line = t.wire.AppendLine(t.line[:0], &t.values, t.csv)
	t.out.Write(t.line)
	t.rows++
}

// write writes one value.
func write(w *wire.Writer, name string, v any) {
	switch v := v.(type) {
	case nil:
		w.Null(name)
	case string:
		w.TextOrNull(name, v, "")
	case int:
		w.Int(name, int64(v), "")
	case tenths:
		w.Minutes(name, reading.Minutes(v), "")
	case hundredths:
		w.Percent(name, reading.Percent(v), "")
	case bool:
		w.Bool(name, v, "")
	case []int64:
		if len(v) == 0 {
			w.Null(name)
		} else {
			w.Ints(name, v, "")
		}
	case calendar.Date:
		w.DateIf(name, v, v != 0, "")
	case time.Time:
		w.Text(name, v.Format(time.RFC3339Nano), "")
	default:
		panic(fmt.Sprintf("generate: %s: %T is no value of a feed", name, v))
	}
}

// finish writes what is left and closes the file. It returns the first error of the table.
func (t *table) finish() error {
	err := t.out.Flush()
	if t.pack != nil {
		err = errors.Join(err, t.pack.Close())
	}
	if err := errors.Join(err, t.file.Close()); err != nil {
		return fmt.Errorf("generate: %s: %w", filepath.Base(t.file.Name()), err)
	}
	return nil
}
