package export

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Table is one file of rows. The fields of a row are written in their order, each by one call, and End ends the row. The
// first error stays: End returns it.
type Table struct {
	name string
	file *os.File // nil once it is closed
	w    *bufio.Writer
	csv  bool
	keys []string // the fields, for NDJSON as they begin a member
	b    []byte   // the row
	at   int      // fields of it
	rows int64
	err  error
}

// tableBuffer is how much of a file is written at once.
const tableBuffer = 256 << 10

func newTable(file *os.File, format Format, fields []string) *Table {
	t := &Table{file: file, w: bufio.NewWriterSize(file, tableBuffer), csv: format == CSV}
	if t.csv {
		t.w.WriteString(strings.Join(fields, ",") + "\r\n") // an error stays in the writer
		t.keys = fields
		return t
	}
	for i, f := range fields {
		begin := ","
		if i == 0 {
			begin = "{"
		}
		t.keys = append(t.keys, begin+strconv.Quote(f)+":")
	}
	return t
}

// next begins the next field of the row. A row with too many is a mistake in this package.
func (t *Table) next() {
	key := t.keys[t.at]
	if !t.csv {
		t.b = append(t.b, key...)
	} else if t.at > 0 {
		t.b = append(t.b, ',')
	}
	t.at++
}

// End writes the row.
func (t *Table) End() error {
	if t.at != len(t.keys) {
		panic("export: " + t.name + ": a row has not all fields")
	}
	if !t.csv {
		t.b = append(t.b, "}\n"...)
	} else {
		t.b = append(t.b, "\r\n"...)
	}
	_, err := t.w.Write(t.b)
	if t.err == nil {
		t.err = err
	}
	t.b, t.at = t.b[:0], 0
	t.rows++
	return t.err
}

// close brings what was written to the disk. To close again does nothing.
func (t *Table) close() error {
	if t.file == nil {
		return nil
	}
	err := errors.Join(t.err, t.w.Flush(), t.file.Sync(), t.file.Close())
	t.file = nil
	return err
}

// Null writes null.
func (t *Table) Null() {
	t.next()
	t.null()
}

func (t *Table) null() {
	if !t.csv {
		t.b = append(t.b, "null"...)
	}
}

// Int writes an integer.
func (t *Table) Int(n int64) {
	t.next()
	t.b = strconv.AppendInt(t.b, n, 10)
}

// IntOr writes an integer, or null for the one that stands for none.
func (t *Table) IntOr(n, none int64) {
	if n == none {
		t.Null()
		return
	}
	t.Int(n)
}

// OptionalInt writes an integer, or null for nil.
func (t *Table) OptionalInt(n *int64) {
	if n == nil {
		t.Null()
		return
	}
	t.Int(*n)
}

// Decimal writes an integer of units of 10^-places, not below 0, as a number with so many decimals.
func (t *Table) Decimal(n int64, places int) {
	t.next()
	digits := strconv.FormatInt(n, 10)
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - places
	t.b = append(append(append(t.b, digits[:point]...), '.'), digits[point:]...)
}

// Bool writes true or false.
func (t *Table) Bool(v bool) {
	t.next()
	t.b = strconv.AppendBool(t.b, v)
}

// Text writes a text, or null for the empty one.
func (t *Table) Text(s string) {
	t.next()
	switch {
	case s == "":
		t.null()
	case !t.csv:
		t.b, t.err = quoted(t.b, s, t.err)
	case strings.ContainsAny(s, ",\"\r\n") || s[0] == ' ' || s[len(s)-1] == ' ':
		t.b = append(t.b, '"')
		t.b = append(t.b, strings.ReplaceAll(s, `"`, `""`)...)
		t.b = append(t.b, '"')
	default:
		t.b = append(t.b, s...)
	}
}

// quoted appends a text as a string of JSON. The error is the first one.
func quoted(b []byte, s string, first error) ([]byte, error) {
	b, err := jsontext.AppendQuote(b, s)
	if first == nil {
		first = err
	}
	return b, first
}

// OptionalText writes a text, or null for nil.
func (t *Table) OptionalText(s *string) {
	if s == nil {
		t.Null()
		return
	}
	t.Text(*s)
}

// plain writes what needs no quotes in CSV, and is a string in JSON.
func (t *Table) plain(s string) {
	t.next()
	if t.csv {
		t.b = append(t.b, s...)
		return
	}
	t.b = append(append(append(t.b, '"'), s...), '"')
}

// Date writes a day.
func (t *Table) Date(d calendar.Date) { t.plain(d.String()) }

// DateIf writes a day where there is one, else null.
func (t *Table) DateIf(d calendar.Date, known bool) {
	if !known {
		t.Null()
		return
	}
	t.Date(d)
}

// OptionalDate writes a day, or null for nil.
func (t *Table) OptionalDate(d *calendar.Date) {
	if d == nil {
		t.Null()
		return
	}
	t.Date(*d)
}

// Time writes an instant in UTC, to the microsecond where it has any, or null for the zero time.
func (t *Table) Time(at time.Time) {
	if at.IsZero() {
		t.Null()
		return
	}
	t.plain(at.UTC().Format("2006-01-02T15:04:05.999999Z07:00"))
}

// Ints writes a list of integers.
func (t *Table) Ints(list []int64) {
	t.list(len(list), func(i int) { t.b = strconv.AppendInt(t.b, list[i], 10) })
}

// Intervals writes a list of intervals, each as 0-120 in CSV and as [0,120] in JSON: up to but without the second number.
func (t *Table) Intervals(c reading.Coverage) {
	begin, between, end := "[", byte(','), "]"
	if t.csv {
		begin, between, end = "", '-', ""
	}
	t.list(len(c), func(i int) {
		t.b = append(t.b, begin...)
		t.b = append(strconv.AppendInt(t.b, c[i].From, 10), between)
		t.b = append(strconv.AppendInt(t.b, c[i].To, 10), end...)
	})
}

// list writes a list of n items, of which item appends one. It is never null; in CSV an empty one is an empty cell.
func (t *Table) list(n int, item func(i int)) {
	t.next()
	separator := byte(';')
	if !t.csv {
		t.b = append(t.b, '[')
		separator = ','
	}
	for i := range n {
		if i > 0 {
			t.b = append(t.b, separator)
		}
		item(i)
	}
	if !t.csv {
		t.b = append(t.b, ']')
	}
}

// plains writes a list of texts that need no quotes in CSV.
func (t *Table) plains(list []string) {
	quote := `"`
	if t.csv {
		quote = ""
	}
	t.list(len(list), func(i int) { t.b = append(append(append(t.b, quote...), list[i]...), quote...) })
}
