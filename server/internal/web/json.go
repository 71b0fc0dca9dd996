package web

import (
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// JSON appends one JSON document by hand, in the forms of H7: compact, keys in the order of the calls, nulls present,
// no HTML escaping. The zero value begins an empty document. Names must be plain ASCII; they are not escaped.
//
// Rows of other formats are made of what it writes, so that a value has one form in all answers; see [Rows].
type JSON struct {
	b []byte
	// more is set when a value stands before the next one, on the same level.
	more bool
	// bare leaves the quotes of days, instants and amounts out, outside of arrays: what is then no JSON is read as cells.
	bare   bool
	arrays int // that are open
}

// Bytes returns what was written.
func (j *JSON) Bytes() []byte { return j.b }

func (j *JSON) comma() {
	if j.more {
		j.b = append(j.b, ',')
	}
	j.more = true
}

func (j *JSON) name(name string) {
	j.comma()
	j.b = append(j.b, '"')
	j.b = append(j.b, name...)
	j.b = append(j.b, '"', ':')
}

// Begin opens an object without a name: the document itself, or an element of an array.
func (j *JSON) Begin() {
	j.comma()
	j.b = append(j.b, '{')
	j.more = false
}

// End closes an object.
func (j *JSON) End() {
	j.b = append(j.b, '}')
	j.more = true
}

// Object opens a member that is an object; End closes it.
func (j *JSON) Object(name string) {
	j.name(name)
	j.b = append(j.b, '{')
	j.more = false
}

// Array opens a member that is an array; EndArray closes it.
func (j *JSON) Array(name string) {
	j.name(name)
	j.b = append(j.b, '[')
	j.more = false
	j.arrays++
}

// EndArray closes an array.
func (j *JSON) EndArray() {
	j.b = append(j.b, ']')
	j.more = true
	j.arrays--
}

// Item writes a string as an element of an array.
func (j *JSON) Item(s string) {
	j.comma()
	j.b = quote(j.b, s)
}

// ItemInt writes a whole number as an element of an array.
func (j *JSON) ItemInt(n int64) {
	j.comma()
	j.b = strconv.AppendInt(j.b, n, 10)
}

// Null writes a member without a value.
func (j *JSON) Null(name string) {
	j.name(name)
	j.b = append(j.b, "null"...)
}

// Int writes a whole number.
func (j *JSON) Int(name string, n int64) {
	j.name(name)
	j.b = strconv.AppendInt(j.b, n, 10)
}

// IntOrNull writes a whole number, null for 0.
func (j *JSON) IntOrNull(name string, n int64) {
	if n == 0 {
		j.Null(name)
		return
	}
	j.Int(name, n)
}

// OptionalInt writes a whole number, null for nil.
func (j *JSON) OptionalInt(name string, n *int64) {
	if n == nil {
		j.Null(name)
		return
	}
	j.Int(name, *n)
}

// Text writes a string.
func (j *JSON) Text(name, s string) {
	j.name(name)
	j.b = quote(j.b, s)
}

// TextOrNull writes a string, null when it is empty.
func (j *JSON) TextOrNull(name, s string) {
	if s == "" {
		j.Null(name)
		return
	}
	j.Text(name, s)
}

// OptionalText writes a string, null for nil.
func (j *JSON) OptionalText(name string, s *string) {
	if s == nil {
		j.Null(name)
		return
	}
	j.Text(name, *s)
}

// Amount writes a number that is a string in JSON, such as money: 12.50.
func (j *JSON) Amount(name, decimal string) {
	j.name(name)
	j.mark()
	j.b = append(j.b, decimal...)
	j.mark()
}

// mark writes the quote before and after a value that is a string in JSON, and no text.
func (j *JSON) mark() {
	if !j.bare || j.arrays > 0 {
		j.b = append(j.b, '"')
	}
}

// Bool writes true or false.
func (j *JSON) Bool(name string, v bool) {
	j.name(name)
	j.b = strconv.AppendBool(j.b, v)
}

// Date writes a day, as YYYY-MM-DD.
func (j *JSON) Date(name string, d calendar.Date) {
	j.name(name)
	j.mark()
	j.b, _ = d.AppendText(j.b) // a valid date's text cannot fail
	j.mark()
}

// OptionalDate writes a day, null for nil.
func (j *JSON) OptionalDate(name string, d *calendar.Date) {
	if d == nil {
		j.Null(name)
		return
	}
	j.Date(name, *d)
}

// Datetime writes an instant in Brasilia time, cut to whole seconds, as YYYY-MM-DD HH:mm:ss.
func (j *JSON) Datetime(name string, t time.Time) {
	j.name(name)
	j.mark()
	j.b = t.In(calendar.Brasilia()).AppendFormat(j.b, time.DateTime)
	j.mark()
}

// DatetimeOrNull writes an instant as Datetime does, null for the zero one.
func (j *JSON) DatetimeOrNull(name string, t time.Time) {
	if t.IsZero() {
		j.Null(name)
		return
	}
	j.Datetime(name, t)
}

// Time writes an instant in UTC, cut to whole seconds, as YYYY-MM-DDTHH:mm:ssZ.
func (j *JSON) Time(name string, t time.Time) {
	j.name(name)
	j.mark()
	j.b = t.UTC().AppendFormat(j.b, time.RFC3339)
	j.mark()
}

// Minutes writes tenths of a minute as minutes with one decimal.
func (j *JSON) Minutes(name string, tenths int64) {
	j.name(name)
	j.b = appendDecimal(j.b, tenths, 10)
}

// Percent writes hundredths of a percent with two decimals.
func (j *JSON) Percent(name string, hundredths int64) {
	j.name(name)
	j.b = appendDecimal(j.b, hundredths, 100)
}

// Fraction writes ten-thousandths with four decimals.
func (j *JSON) Fraction(name string, tenThousandths int64) {
	j.name(name)
	j.b = appendDecimal(j.b, tenThousandths, 10_000)
}

// appendDecimal writes n / unit, which is a power of ten, with all decimals of the unit. n is not negative.
func appendDecimal(b []byte, n, unit int64) []byte {
	b = strconv.AppendInt(b, n/unit, 10)
	b = append(b, '.')
	for unit /= 10; unit > 0; unit /= 10 {
		b = append(b, byte('0'+n/unit%10))
	}
	return b
}
