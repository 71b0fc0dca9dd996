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

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// What rows have besides texts, whole numbers, truths, days and lists: of these an empty text, the day 0 and an empty list are null.
type (
	tenths     int // a number in tenths, below 0 null
	hundredths int
	stamp      struct { // a time, as feeds of different origin write it: in UTC or with the offset of Brasilia
		at  instant
		utc bool
	}
)

// optional is a number, or null where there is none.
func optional(n int, there bool) any {
	if there {
		return n
	}
	return nil
}

// table writes the file of one resource, row by row. An error is kept until finish.
type table struct {
	file *os.File
	out  *bufio.Writer
	pack io.Closer // nil: not compressed
	wire wire.Table[[]any]
	csv  bool
	line []byte
	rows int64
}

// createTable begins a resource's file.
func createTable(path string, f form, fields []string) (*table, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: file, csv: f.csv, wire: wire.Table[[]any]{Write: func(w *wire.Writer, row *[]any) {
		for i, name := range fields {
			write(w, name, (*row)[i])
		}
	}, Sample: make([]any, len(fields))}}
	to := io.Writer(file)
	switch f.compress {
	case "gz":
		var z *gzip.Writer
		z, err = gzip.NewWriterLevel(file, gzip.BestSpeed)
		to, t.pack = z, z
	case "zst":
		var z *zstd.Encoder
		z, err = zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		to, t.pack = z, z
	}
	t.out = bufio.NewWriterSize(to, 256<<10)
	if f.csv {
		t.out.Write(t.wire.AppendHeader(nil))
	}
	return t, err
}

// next is the number of the next row, from 1.
func (t *table) next() int { return int(t.rows) + 1 }

// row writes a row: a value for each field, in their order.
func (t *table) row(values ...any) {
	t.line = t.wire.AppendLine(t.line[:0], &values, t.csv)
	t.out.Write(t.line)
	t.rows++
}

// write writes one value.
func write(w *wire.Writer, name string, v any) {
	switch v := v.(type) {
	case string:
		w.TextOrNull(name, v, "")
	case int:
		w.Int(name, int64(v), "")
	case tenths:
		if v < 0 {
			w.Null(name)
		} else {
			w.Minutes(name, int64(v), "")
		}
	case hundredths:
		w.Percent(name, int64(v), "")
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
	case stamp:
		w.Text(name, v.String(), "")
	case nil:
		w.Null(name)
	default:
		panic(fmt.Sprintf("generate: %s: %T is no value of a feed", name, v))
	}
}

// String is the time with milliseconds, where it is no full second.
func (s stamp) String() string {
	t := time.UnixMilli(int64(s.at) + 3*hourMS).UTC()
	if !s.utc {
		t = t.In(calendar.Brasilia())
	}
	return t.Format("2006-01-02T15:04:05.999Z07:00")
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
