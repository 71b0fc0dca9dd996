package wire

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The methods write a member of a kind, of which about is said in the schema. Those named …OrNull write null for the zero
// value, those named …If where it is not known, those named Optional… for nil.

// Null writes a member that never has a value.
func (w *Writer) Null(name string) {
	if w.open(name) {
		w.null()
		return
	}
	w.tell(name, Object{"type", "null"}, "")
}

// Int writes a whole number, of which the schema may name the least and the most; without them it is not below 0.
func (w *Writer) Int(name string, n int64, about string, limits ...int64) {
	if w.open(name) {
		w.int(n)
		return
	}
	w.tell(name, within(limits), about)
}

func (w *Writer) int(n int64) {
	if w.form == asSheet {
		var digits [20]byte
		w.numberCell(strconv.AppendInt(digits[:0], n, 10))
		return
	}
	w.b = strconv.AppendInt(w.b, n, 10)
}

// IntIf writes a whole number as Int does, or null.
func (w *Writer) IntIf(name string, n int64, known bool, about string, limits ...int64) {
	switch {
	case !w.open(name):
		w.tellNull(name, within(limits), about)
	case known:
		w.int(n)
	default:
		w.null()
	}
}

// OptionalInt writes a whole number as Int does, or null.
func (w *Writer) OptionalInt(name string, n *int64, about string) {
	if n == nil {
		w.IntIf(name, 0, false, about)
		return
	}
	w.IntIf(name, *n, true, about)
}

// Text writes a text.
func (w *Writer) Text(name, s, about string) {
	if w.open(name) {
		w.text(s)
		return
	}
	w.tell(name, Text, about)
}

// TextOrNull writes a text, or null for the empty one.
func (w *Writer) TextOrNull(name, s, about string) { w.TextIf(name, s, s != "", about) }

// OptionalText writes a text, or null.
func (w *Writer) OptionalText(name string, s *string, about string) {
	if s == nil {
		w.TextIf(name, "", false, about)
		return
	}
	w.TextIf(name, *s, true, about)
}

// TextIf writes a text, or null.
func (w *Writer) TextIf(name, s string, known bool, about string) {
	switch {
	case !w.open(name):
		w.tellNull(name, Text, about)
	case known:
		w.text(s)
	default:
		w.null()
	}
}

// TextOf writes a text that has a schema of its own.
func (w *Writer) TextOf(name, s string, schema Object, about string) {
	if w.open(name) {
		w.text(s)
		return
	}
	w.tell(name, schema, about)
}

// TextOfOrNull writes a text that has a schema of its own, or null for the empty one.
func (w *Writer) TextOfOrNull(name, s string, schema Object, about string) {
	switch {
	case !w.open(name):
		w.tellNull(name, schema, about)
	case s != "":
		w.text(s)
	default:
		w.null()
	}
}

// Texts writes a list of texts, each of which has the schema.
func (w *Writer) Texts(name string, list []string, schema Object, about string) {
	if w.open(name) {
		w.list(len(list), func(i int) { w.text(list[i]) })
		return
	}
	w.tell(name, ListOf(schema), about)
}

// Ints writes a list of whole numbers.
func (w *Writer) Ints(name string, list []int64, about string) {
	if w.open(name) {
		w.list(len(list), func(i int) { w.b = strconv.AppendInt(w.b, list[i], 10) })
		return
	}
	w.tell(name, ListOf(Integer), about)
}

// Bool writes true or false.
func (w *Writer) Bool(name string, v bool, about string) {
	switch {
	case !w.open(name):
		w.tell(name, Boolean, about)
	case w.form == asSheet:
		w.boolCell(v)
	default:
		w.b = strconv.AppendBool(w.b, v)
	}
}

// Date writes a day, as YYYY-MM-DD.
func (w *Writer) Date(name string, d calendar.Date, about string) {
	if w.open(name) {
		w.date(d)
		return
	}
	w.tell(name, Day, about)
}

// DateIf writes a day as Date does, or null.
func (w *Writer) DateIf(name string, d calendar.Date, known bool, about string) {
	switch {
	case !w.open(name):
		w.tellNull(name, Day, about)
	case known:
		w.date(d)
	default:
		w.null()
	}
}

// OptionalDate writes a day as Date does, or null.
func (w *Writer) OptionalDate(name string, d *calendar.Date, about string) {
	if d == nil {
		w.DateIf(name, 0, false, about)
		return
	}
	w.DateIf(name, *d, true, about)
}

func (w *Writer) date(d calendar.Date) {
	if w.form == asSheet {
		w.dayCell(d)
		return
	}
	w.mark()
	w.b, _ = d.AppendText(w.b) // a valid date's text cannot fail
	w.mark()
}

// Datetime writes an instant in Brasilia time, cut to whole seconds, as YYYY-MM-DD HH:mm:ss.
func (w *Writer) Datetime(name string, t time.Time, about string) {
	if w.open(name) {
		w.datetime(t)
		return
	}
	w.tell(name, Local, about)
}

// DatetimeOrNull writes an instant as Datetime does, or null for the zero one.
func (w *Writer) DatetimeOrNull(name string, t time.Time, about string) {
	switch {
	case !w.open(name):
		w.tellNull(name, Local, about)
	case t.IsZero():
		w.null()
	default:
		w.datetime(t)
	}
}

func (w *Writer) datetime(t time.Time) { w.instant(t.In(calendar.Brasilia()), time.DateTime) }

// instant writes an instant as the clock of its place shows it.
func (w *Writer) instant(t time.Time, layout string) {
	if w.form == asSheet {
		w.instantCell(t, layout)
		return
	}
	w.mark()
	if layout == time.DateTime {
		w.b = appendDateTime(w.b, t)
	} else {
		w.b = t.AppendFormat(w.b, layout)
	}
	w.mark()
}

// appendDateTime appends an instant in the layout time.DateTime: package time writes RFC 3339 three times as fast as that.
func appendDateTime(b []byte, t time.Time) []byte {
	n := len(b)
	b = t.AppendFormat(b, time.RFC3339)
	day := n + bytes.IndexByte(b[n:], 'T')
	b[day] = ' '
	return b[:day+len(" 15:04:05")]
}

// Time writes an instant in UTC, cut to whole seconds, as YYYY-MM-DDTHH:mm:ssZ.
func (w *Writer) Time(name string, t time.Time, about string) {
	if w.open(name) {
		w.instant(t.UTC(), time.RFC3339)
		return
	}
	w.tell(name, Instant, about)
}

// Amount writes an amount of money, which is a string in JSON: 12.50.
func (w *Writer) Amount(name, decimal, about string) {
	switch {
	case !w.open(name):
		w.tell(name, Money, about)
		return
	case w.form == asSheet:
		w.numberCell([]byte(decimal))
		return
	}
	w.mark()
	w.b = append(w.b, decimal...)
	w.mark()
}

// Minutes writes minutes with one decimal.
func (w *Writer) Minutes(name string, m reading.Minutes, about string) {
	w.decimal(name, int64(m), 10, Share, about)
}

// Percent writes a percentage with two decimals, 0.00 to 100.00.
func (w *Writer) Percent(name string, p reading.Percent, about string) {
	w.decimal(name, int64(p), 100, Percentage, about)
}

// Fraction writes ten-thousandths with four decimals, 0.0000 to 1.0000.
func (w *Writer) Fraction(name string, tenThousandths int64, about string) {
	w.decimal(name, tenThousandths, 10_000, Fraction, about)
}

// Ratio writes ten-thousandths as Fraction does, and may exceed 1.
func (w *Writer) Ratio(name string, tenThousandths int64, about string) {
	w.decimal(name, tenThousandths, 10_000, Share, about)
}

// decimal writes n / unit, which is a power of ten, with all decimals of the unit. n is not negative.
func (w *Writer) decimal(name string, n, unit int64, schema Object, about string) {
	switch {
	case !w.open(name):
		w.tell(name, schema, about)
	case w.form == asSheet:
		var digits [24]byte
		w.numberCell(appendDecimal(digits[:0], n, unit))
	default:
		w.b = appendDecimal(w.b, n, unit)
	}
}

func appendDecimal(b []byte, n, unit int64) []byte {
	b = append(strconv.AppendInt(b, n/unit, 10), '.')
	for unit /= 10; unit > 0; unit /= 10 {
		b = append(b, byte('0'+n/unit%10))
	}
	return b
}

// quote appends s as a JSON string without escapes for HTML (H7). Bytes that are not UTF-8 show as U+FFFD.
func quote(b []byte, s string) []byte {
	if !isPlain(s) {
		b, _ = jsontext.AppendQuote(b, s)
		return b
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// isPlain reports whether a text stands in JSON as it is: most do, and are not taken apart.
func isPlain(s string) bool {
	all := byte(0)
	for i := range len(s) {
		all |= classes[s[i]]
	}
	return all == 0 || all == manyBytes && utf8.ValidString(s)
}

// The classes of bytes, of which a plain one has none.
const (
	manyBytes = 1 << iota // of a character of several bytes
	escaped
)

var classes = func() (classes [256]byte) {
	for c := range classes {
		switch {
		case c < ' ' || c == '"' || c == '\\':
			classes[c] = escaped
		case c >= utf8.RuneSelf:
			classes[c] = manyBytes
		}
	}
	return classes
}()
