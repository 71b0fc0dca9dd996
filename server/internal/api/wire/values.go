package wire

import (
	"bytes"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// The methods write a member of a kind, of which about is said in the schema. Those named …OrNull write null for the zero
// value, those named …If where it is not known, those named Optional… for nil.

// begin begins a member with a schema, and reports whether its value is to be written.
func (w *Writer) begin(name string, schema Object, about string) bool {
	if w.open(name) {
		return true
	}
	w.tell(name, schema, about)
	return false
}

// beginIf begins a member as begin does. Where its value is not known, it writes null.
func (w *Writer) beginIf(known bool, name string, schema Object, about string) bool {
	switch {
	case !w.open(name):
		w.tellNull(name, schema, about)
	case known:
		return true
	default:
		w.null()
	}
	return false
}

// Null writes a member that never has a value.
func (w *Writer) Null(name string) {
	if w.begin(name, Object{"type", "null"}, "") {
		w.null()
	}
}

// Int writes a whole number, of which the schema may name the least and the most; without them it is not below 0.
func (w *Writer) Int(name string, n int64, about string, limits ...int64) {
	if w.open(name) {
		w.int(n)
		return
	}
	w.tell(name, within(limits), about)
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
	if w.beginIf(n != nil, name, Integer, about) {
		w.int(*n)
	}
}

func (w *Writer) int(n int64) {
	if w.form == asSheet {
		var digits [20]byte
		w.numberCell(strconv.AppendInt(digits[:0], n, 10))
		return
	}
	w.b = strconv.AppendInt(w.b, n, 10)
}

// Text writes a text.
func (w *Writer) Text(name, s, about string) { w.TextOf(name, s, Text, about) }

// TextOrNull writes a text, or null for the empty one.
func (w *Writer) TextOrNull(name, s, about string) { w.TextOfOrNull(name, s, Text, about) }

// OptionalText writes a text, or null.
func (w *Writer) OptionalText(name string, s *string, about string) {
	if w.beginIf(s != nil, name, Text, about) {
		w.text(*s)
	}
}

// TextOf writes a text that has a schema of its own.
func (w *Writer) TextOf(name, s string, schema Object, about string) {
	if w.begin(name, schema, about) {
		w.text(s)
	}
}

// TextOfOrNull writes a text that has a schema of its own, or null for the empty one.
func (w *Writer) TextOfOrNull(name, s string, schema Object, about string) {
	if w.beginIf(s != "", name, schema, about) {
		w.text(s)
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
	if w.begin(name, ListOf(Integer), about) {
		w.list(len(list), func(i int) { w.b = strconv.AppendInt(w.b, list[i], 10) })
	}
}

// Bool writes true or false.
func (w *Writer) Bool(name string, v bool, about string) {
	switch {
	case !w.begin(name, Boolean, about):
	case w.form == asSheet:
		w.boolCell(v)
	default:
		w.b = strconv.AppendBool(w.b, v)
	}
}

// Date writes a day, as YYYY-MM-DD.
func (w *Writer) Date(name string, d calendar.Date, about string) {
	if w.begin(name, Day, about) {
		w.date(d)
	}
}

// DateIf writes a day as Date does, or null.
func (w *Writer) DateIf(name string, d calendar.Date, known bool, about string) {
	if w.beginIf(known, name, Day, about) {
		w.date(d)
	}
}

// OptionalDate writes a day as Date does, or null.
func (w *Writer) OptionalDate(name string, d *calendar.Date, about string) {
	if w.beginIf(d != nil, name, Day, about) {
		w.date(*d)
	}
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
	if w.begin(name, Local, about) {
		w.instant(t.In(calendar.Brasilia()), time.DateTime)
	}
}

// DatetimeOrNull writes an instant as Datetime does, or null for the zero one.
func (w *Writer) DatetimeOrNull(name string, t time.Time, about string) {
	if w.beginIf(!t.IsZero(), name, Local, about) {
		w.instant(t.In(calendar.Brasilia()), time.DateTime)
	}
}

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
	if w.begin(name, Instant, about) {
		w.instant(t.UTC(), time.RFC3339)
	}
}

// Amount writes an amount of money, which is a string in JSON: 12.50.
func (w *Writer) Amount(name, decimal, about string) {
	switch {
	case !w.begin(name, Money, about):
	case w.form == asSheet:
		w.numberCell([]byte(decimal))
	default:
		w.mark()
		w.b = append(w.b, decimal...)
		w.mark()
	}
}

// Minutes writes minutes with one decimal.
func (w *Writer) Minutes(name string, m reading.Minutes, about string) {
	w.decimal(name, int64(m), 1, Share, about)
}

// Percent writes a percentage with two decimals, 0.00 to 100.00.
func (w *Writer) Percent(name string, p reading.Percent, about string) {
	w.decimal(name, int64(p), 2, Percentage, about)
}

// Fraction writes ten-thousandths with four decimals, 0.0000 to 1.0000.
func (w *Writer) Fraction(name string, tenThousandths int64, about string) {
	w.decimal(name, tenThousandths, 4, Fraction, about)
}

// Ratio writes ten-thousandths as Fraction does, and may exceed 1.
func (w *Writer) Ratio(name string, tenThousandths int64, about string) {
	w.decimal(name, tenThousandths, 4, Share, about)
}

// decimal writes n units of 10^-places.
func (w *Writer) decimal(name string, n int64, places int, schema Object, about string) {
	switch {
	case !w.begin(name, schema, about):
	case w.form == asSheet:
		var digits [24]byte
		w.numberCell(decimal.AppendFixed(digits[:0], n, places))
	default:
		w.b = decimal.AppendFixed(w.b, n, places)
	}
}
