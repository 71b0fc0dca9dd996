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
)

// form is how a feed's files are written.
type form struct {
	csv      bool
	compress string // "", gz or zst
}

// parseForm checks the names of a format and a compression.
func parseForm(format, compress string) (form, error) {
	if format != "" && format != "ndjson" && format != "csv" {
		return form{}, fmt.Errorf("generate: no format %q; choose ndjson or csv", format)
	}
	if compress != "" && compress != "gz" && compress != "zst" {
		return form{}, fmt.Errorf("generate: no compression %q; choose gz or zst, or none", compress)
	}
	return form{csv: format == "csv", compress: compress}, nil
}

// name returns the name of a resource's file.
func (f form) name(resource string) string {
	name := resource + ".ndjson"
	if f.csv {
		name = resource + ".csv"
	}
	if f.compress != "" {
		name += "." + f.compress
	}
	return name
}

// table writes the file of one resource, value by value in the order of its fields. An error is kept until close.
type table struct {
	form  form
	path  string
	file  *os.File
	pack  io.WriteCloser // nil: not compressed
	leads []string       // what stands before each value
	at    int            // the field of the next value
	buf   []byte
	rows  int64
	err   error
}

// flushSize is how much is gathered before it is written.
const flushSize = 256 << 10

// createTable begins a resource's file in dir.
func createTable(dir string, f form, resource string, fields ...string) (*table, error) {
	t := &table{form: f, path: filepath.Join(dir, f.name(resource)), buf: make([]byte, 0, flushSize+4096)}
	file, err := os.Create(t.path)
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	t.file = file
	switch f.compress {
	case "gz":
		t.pack, err = gzip.NewWriterLevel(file, gzip.BestSpeed)
	case "zst":
		t.pack, err = zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	}
	t.begin(fields)
	return t, err
}

// begin sets what stands before each value, and writes the header of CSV.
func (t *table) begin(fields []string) {
	if t.form.csv {
		t.leads = append(t.leads, "")
		for range fields[1:] {
			t.leads = append(t.leads, ",")
		}
		t.buf = append(append(t.buf, strings.Join(fields, ",")...), '\n')
		return
	}
	for i, name := range fields {
		start := ","
		if i == 0 {
			start = "{"
		}
		t.leads = append(t.leads, start+strconv.Quote(name)+":")
	}
}

// next writes what stands before the next value.
func (t *table) next() {
	t.buf = append(t.buf, t.leads[t.at]...)
	t.at++
}

// null writes a missing value.
func (t *table) null() {
	t.next()
	if !t.form.csv {
		t.buf = append(t.buf, "null"...)
	}
}

// text writes a text, an empty one as null.
func (t *table) text(s string) {
	if s == "" {
		t.null()
		return
	}
	t.next()
	if t.form.csv {
		t.buf = appendCell(t.buf, s)
		return
	}
	var err error
	if t.buf, err = jsontext.AppendQuote(t.buf, s); err != nil && t.err == nil {
		t.err = fmt.Errorf("generate: text %q: %w", s, err)
	}
}

// appendCell appends a cell of CSV.
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// open and close stand around a text that the caller appends to t.buf, and that needs no escape in any form.
func (t *table) open() {
	t.next()
	t.quote()
}

func (t *table) close() { t.quote() }

func (t *table) quote() {
	if !t.form.csv {
		t.buf = append(t.buf, '"')
	}
}

// int writes an integer.
func (t *table) int(n int) {
	t.next()
	t.buf = strconv.AppendInt(t.buf, int64(n), 10)
}

// tenths writes a number given in tenths, below 0 as null.
func (t *table) tenths(n int) {
	if n < 0 {
		t.null()
		return
	}
	t.int(n / 10)
	if n%10 > 0 {
		t.buf = append(t.buf, '.', '0'+byte(n%10))
	}
}

// hundredths writes a number given in hundredths.
func (t *table) hundredths(n int) {
	t.int(n / 100)
	if n %= 100; n > 0 {
		t.buf = appendPair(append(t.buf, '.'), n)
	}
}

// ints writes a list, an empty one as null.
func (t *table) ints(list []int) {
	if len(list) == 0 {
		t.null()
		return
	}
	start, between, end := "[", ",", "]"
	if t.form.csv {
		start, between, end = "", ";", ""
	}
	t.next()
	t.buf = append(t.buf, start...)
	for i, n := range list {
		if i > 0 {
			t.buf = append(t.buf, between...)
		}
		t.buf = strconv.AppendInt(t.buf, int64(n), 10)
	}
	t.buf = append(t.buf, end...)
}

// word writes a text that needs no escape in any form.
func (t *table) word(s string) {
	t.open()
	t.buf = append(t.buf, s...)
	t.close()
}

// id writes an identifier that is a letter and a number.
func (t *table) id(kind byte, n int) {
	t.open()
	t.buf = strconv.AppendInt(append(t.buf, kind), int64(n), 10)
	t.close()
}

// time writes the time at ms of the clock's day.
func (t *table) time(c clock, ms int, utc bool) {
	t.open()
	t.buf = c.appendTime(t.buf, ms, utc)
	t.close()
}

// bool writes a truth.
func (t *table) bool(b bool) {
	t.next()
	t.buf = strconv.AppendBool(t.buf, b)
}

// end ends a row.
func (t *table) end() {
	if !t.form.csv {
		t.buf = append(t.buf, '}')
	}
	t.buf = append(t.buf, '\n')
	t.at = 0
	t.rows++
	if len(t.buf) >= flushSize {
		t.flush()
	}
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
		return fmt.Errorf("generate: %s: %w", filepath.Base(t.path), t.err)
	}
	return nil
}
