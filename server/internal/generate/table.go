package generate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// What rows have besides texts, whole numbers, truths, days and lists: of these an empty text, the day 0 and an empty list are null.
type (
	ident struct { // an identifier: a text that needs no escape, and a number
		prefix string
		n      int
	}
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
	form  form
	file  *os.File
	pack  io.WriteCloser // nil: not compressed
	leads []string       // what stands before each value
	buf   []byte
	rows  int64
	err   error
}

// flushSize is how much is gathered before it is written.
const flushSize = 256 << 10

// createTable begins a resource's file.
func createTable(path string, f form, fields []string) (*table, error) {
	t := &table{form: f, buf: make([]byte, 0, flushSize+4096)}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t.file = file
	switch f.compress {
	case "gz":
		t.pack, err = gzip.NewWriterLevel(file, gzip.BestSpeed)
	case "zst":
		t.pack, err = zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	}
	for i, name := range fields {
		lead, start := ",", ","
		if i == 0 {
			lead, start = "", "{"
		}
		if !f.csv {
			lead = start + strconv.Quote(name) + ":"
		}
		t.leads = append(t.leads, lead)
	}
	if f.csv {
		t.buf = append(append(t.buf, strings.Join(fields, ",")...), '\n')
	}
	return t, err
}

// next is the number of the next row, from 1.
func (t *table) next() int { return int(t.rows) + 1 }

// row writes a row: a value for each field, in their order.
func (t *table) row(values ...any) {
	if len(values) != len(t.leads) {
		panic(fmt.Sprintf("generate: %s: %d values for %d fields", t.file.Name(), len(values), len(t.leads)))
	}
	for i, v := range values {
		t.buf = append(t.buf, t.leads[i]...)
		start := len(t.buf)
		t.value(v)
		if len(t.buf) == start && !t.form.csv { // CSV shows null as nothing
			t.buf = append(t.buf, "null"...)
		}
	}
	if !t.form.csv {
		t.buf = append(t.buf, '}')
	}
	t.buf = append(t.buf, '\n')
	if t.rows++; len(t.buf) >= flushSize {
		t.flush()
	}
}

// value writes one value, null as nothing.
func (t *table) value(v any) {
	switch v := v.(type) {
	case nil:
	case string:
		t.text(v)
	case ident:
		t.quoted(func(b []byte) []byte { return strconv.AppendInt(append(b, v.prefix...), int64(v.n), 10) })
	case int:
		t.buf = strconv.AppendInt(t.buf, int64(v), 10)
	case tenths:
		if v >= 0 {
			t.buf = appendDecimal(t.buf, int(v), 10)
		}
	case hundredths:
		t.buf = appendDecimal(t.buf, int(v), 100)
	case bool:
		t.buf = strconv.AppendBool(t.buf, v)
	case []int:
		t.list(v)
	case calendar.Date:
		if v != 0 {
			t.quoted(func(b []byte) []byte { return appendDate(b, v) })
		}
	case stamp:
		t.quoted(v.append)
	default:
		panic(fmt.Sprintf("generate: %T is no value of a feed", v))
	}
}

// quoted writes what is a text in JSON and needs no escape in any form.
func (t *table) quoted(write func([]byte) []byte) {
	if t.form.csv {
		t.buf = write(t.buf)
		return
	}
	t.buf = append(write(append(t.buf, '"')), '"')
}

func (t *table) text(s string) {
	switch {
	case s == "":
	case !t.form.csv:
		var err error
		if t.buf, err = jsontext.AppendQuote(t.buf, s); err != nil && t.err == nil {
			t.err = fmt.Errorf("text %q: %w", s, err)
		}
	case strings.ContainsAny(s, ",\"\r\n"):
		t.buf = append(t.buf, `"`+strings.ReplaceAll(s, `"`, `""`)+`"`...)
	default:
		t.buf = append(t.buf, s...)
	}
}

// list writes numbers: an array, in CSV a cell with semicolons.
func (t *table) list(list []int) {
	if len(list) == 0 {
		return
	}
	text := strings.Trim(fmt.Sprint(list), "[]")
	if t.form.csv {
		t.buf = append(t.buf, strings.ReplaceAll(text, " ", ";")...)
	} else {
		t.buf = append(t.buf, "["+strings.ReplaceAll(text, " ", ",")+"]"...)
	}
}

// append appends a time; milliseconds are shown where it is no full second.
func (s stamp) append(b []byte) []byte {
	at, zone := s.at, "-03:00"
	if s.utc {
		at, zone = at+3*hourMS, "Z"
	}
	d := at.day()
	ms := int(at) - int(d)*dayMS
	b = append(appendDate(b, d), 'T')
	b = append(appendPair(b, ms/hourMS), ':')
	b = append(appendPair(b, ms/60_000%60), ':')
	b = appendPair(b, ms/1000%60)
	if ms %= 1000; ms > 0 {
		b = append(b, '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10))
	}
	return append(b, zone...)
}

// appendDate appends a day: the years of a feed have a text.
func appendDate(b []byte, d calendar.Date) []byte {
	b, _ = d.AppendText(b)
	return b
}

// appendPair appends two digits.
func appendPair(b []byte, n int) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// appendDecimal appends n/of, of being 10 or 100, without decimals that are all zero.
func appendDecimal(b []byte, n, of int) []byte {
	b = strconv.AppendInt(b, int64(n/of), 10)
	switch n %= of; {
	case n == 0:
		return b
	case of == 10:
		return append(b, '.', '0'+byte(n))
	}
	return appendPair(append(b, '.'), n)
}

func (t *table) flush() {
	w := io.Writer(t.file)
	if t.pack != nil {
		w = t.pack
	}
	if t.err == nil {
		_, t.err = w.Write(t.buf)
	}
	t.buf = t.buf[:0]
}

// finish writes what is left and closes the file. It returns the first error of the table.
func (t *table) finish() error {
	t.flush()
	if t.pack != nil {
		if err := t.pack.Close(); t.err == nil {
			t.err = err
		}
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	if t.err != nil {
		return fmt.Errorf("generate: %s: %w", filepath.Base(t.file.Name()), t.err)
	}
	return nil
}
