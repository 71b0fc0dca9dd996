package generate

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// These are values of rows, besides texts, integers, booleans, days, times and lists. An empty text, the day 0 and an empty list are null.
type (
	tenths     int
	hundredths int
)

// optional returns v, or null.
func optional[T any](v T, there bool) any {
	if there {
		return v
	}
	return nil
}

// table writes the file of one resource, row by row. finish returns its errors.
type table struct {
	path  string
	file  *os.File
	out   *bufio.Writer
	pack  io.Closer // nil: not compressed
	names []string  // of the fields, quoted in JSON
	csv   bool
	line  []byte
	rows  int64
}

// newTable creates the file of a resource, with the extension of its format.
func newTable(path string, p Params, fields row.Schema) (*table, error) {
	t := &table{path: path + "." + cmp.Or(p.Format, "ndjson"), csv: p.Format == "csv"}
	if p.Compress != "" {
		t.path += "." + p.Compress
	}
	for _, f := range fields {
		if t.csv {
			t.names = append(t.names, f.Name)
		} else {
			t.names = append(t.names, strconv.Quote(f.Name)+":")
		}
	}
	return t, t.open(p)
}

// open creates the file, or empties it.
func (t *table) open(p Params) (err error) {
	if t.file, err = os.Create(t.path); err != nil {
		return err
	}
	to := io.Writer(t.file)
	if p.Compress == "zst" {
		z, _ := zstd.NewWriter(t.file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)) // its options are valid
		to, t.pack = z, z
	}
	t.out = bufio.NewWriterSize(to, 256<<10)
	if t.csv {
		t.out.WriteString(strings.Join(t.names, ",") + "\r\n")
	}
	return nil
}

// next returns the number of the next row, from 1.
func (t *table) next() int { return int(t.rows) + 1 }

// row writes a row: a value for each field, in their order.
func (t *table) row(values ...any) {
	if len(values) != len(t.names) {
		panic(fmt.Sprintf("generate: %d values for the %d fields of %s", len(values), len(t.names), filepath.Base(t.path)))
	}
	b := t.line[:0]
	for i, v := range values {
		switch {
		case t.csv:
			b = append(appendCell(b, v), ',')
		case i == 0:
			b = appendJSON(append(append(b, '{'), t.names[i]...), v)
		default:
			b = appendJSON(append(append(b, ','), t.names[i]...), v)
		}
	}
	if t.csv {
		b = append(b[:len(b)-1], "\r\n"...)
	} else {
		b = append(b, "}\n"...)
	}
	t.line = b
	t.out.Write(b)
	t.rows++
}

func appendJSON(b []byte, v any) []byte {
	start := len(b)
	b, text := appendValue(b, v, ',')
	value := b[start:]
	switch list, _ := v.([]int64); {
	case len(value) == 0:
		return append(b, "null"...)
	case len(list) > 0:
		return append(slices.Insert(b, start, '['), ']')
	case text:
		quoted, _ := jsontext.AppendQuote(nil, value) // it is UTF-8
		return append(b[:start], quoted...)
	}
	return b
}

func appendCell(b []byte, v any) []byte {
	start := len(b)
	b, text := appendValue(b, v, ';')
	if value := string(b[start:]); text && (strings.ContainsAny(value, "\",;\r\n") || strings.TrimSpace(value) != value) {
		b = append(b[:start], `"`+strings.ReplaceAll(value, `"`, `""`)+`"`...)
	}
	return b
}

// appendValue appends a value and reports whether it is a text. It separates the items of a list by comma, and appends nothing for null.
func appendValue(b []byte, v any, comma byte) (_ []byte, text bool) {
	switch v := v.(type) {
	case nil:
	case string:
		return append(b, v...), true
	case int:
		b = strconv.AppendInt(b, int64(v), 10)
	case tenths:
		b = fmt.Appendf(b, "%d.%d", v/10, v%10)
	case hundredths:
		b = fmt.Appendf(b, "%d.%02d", v/100, v%100)
	case bool:
		b = strconv.AppendBool(b, v)
	case []int64:
		for i, n := range v {
			if i > 0 {
				b = append(b, comma)
			}
			b = strconv.AppendInt(b, n, 10)
		}
	case calendar.Date:
		if v != 0 {
			b = append(b, v.String()...)
		}
		return b, true
	case time.Time:
		return v.AppendFormat(b, time.RFC3339Nano), true
	default:
		panic(fmt.Sprintf("generate: %T is no value of a feed", v))
	}
	return b, false
}

// finish flushes and closes the file, and returns the errors of the table.
func (t *table) finish() error {
	err := t.out.Flush()
	if t.pack != nil {
		err = errors.Join(err, t.pack.Close())
	}
	return errors.Join(err, t.file.Close())
}
