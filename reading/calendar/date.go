package calendar

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrDate is the error for a text that is not a day in the form YYYY-MM-DD, and for a day that has no such text.
var ErrDate = errors.New("not a day of the calendar in the form YYYY-MM-DD")

const (
	daySeconds = 24 * 60 * 60
	behindUTC  = 3 * 60 * 60 // seconds by which Brasilia is behind UTC (G2)
)

// Date is a civil day in Brasilia time: the number of days since 1970-01-01, negative before it. Dates are compared and
// subtracted as numbers.
type Date int32

// Brasilia returns the fixed offset UTC-3 in which days are counted (G2), to show a time as Brasilia's clocks do.
func Brasilia() *time.Location { return time.FixedZone("", -behindUTC) }

// Day returns the day in Brasilia at an instant. An instant more than five million years away is on the first or the
// last Date.
func Day(t time.Time) Date {
	s := t.Unix() - behindUTC
	day := s / daySeconds
	if s%daySeconds < 0 {
		day--
	}
	return Date(min(max(day, math.MinInt32), math.MaxInt32))
}

// Of returns the day of a year, month and day of the month. Like [time.Date] it normalises values outside their usual
// ranges: 32 January is 1 February.
func Of(year int, month time.Month, day int) Date {
	// A civil day has the same number in UTC and in Brasilia.
	return Day(time.Date(year, month, day, 0, 0, behindUTC, 0, time.UTC))
}

// Date returns the year, the month and the day of the month.
func (d Date) Date() (year int, month time.Month, day int) {
	return time.Unix(int64(d)*daySeconds, 0).UTC().Date()
}

// Start returns the instant at which the day begins in Brasilia: 03:00 UTC of the same civil day.
func (d Date) Start() time.Time {
	return time.Unix(int64(d)*daySeconds+behindUTC, 0).UTC()
}

// At returns the instant of a second of the day in Brasilia.
func (d Date) At(second int32) time.Time { return d.Start().Add(time.Duration(second) * time.Second) }

// Parse parses a day in the form YYYY-MM-DD. The error is [ErrDate] for any other text, such as 2026-2-3, and for a day
// that does not exist, such as 2026-02-30.
func Parse(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%.40q: %w", s, ErrDate)
	}
	return Of(t.Date()), nil
}

// MustParse is [Parse] for a constant. It panics if the text is not a day.
func MustParse(s string) Date {
	d, err := Parse(s)
	if err != nil {
		panic("calendar: MustParse: " + err.Error())
	}
	return d
}

// String returns the day as YYYY-MM-DD. For a year before 0 or after 9999 it has a sign or more digits, which [Parse]
// does not accept.
func (d Date) String() string {
	b, err := d.AppendText(make([]byte, 0, len("YYYY-MM-DD")))
	if err != nil {
		y, m, n := d.Date()
		return fmt.Sprintf("%04d-%02d-%02d", y, m, n)
	}
	return string(b)
}

// AppendText appends the day as YYYY-MM-DD. The error is [ErrDate] if the year is before 0 or after 9999. It implements
// [encoding.TextAppender].
func (d Date) AppendText(b []byte) ([]byte, error) {
	y, m, n := d.Date()
	if y < 0 || y > 9999 {
		return b, fmt.Errorf("day %d from 1970-01-01: %w", int32(d), ErrDate)
	}
	return append(b,
		digit(y/1000), digit(y/100), digit(y/10), digit(y), '-',
		digit(int(m)/10), digit(int(m)), '-',
		digit(n/10), digit(n)), nil
}

// digit returns the last decimal digit of n.
func digit(n int) byte { return '0' + byte(n%10) }

// MarshalText returns the day as AppendText does. It implements [encoding.TextMarshaler].
func (d Date) MarshalText() ([]byte, error) {
	return d.AppendText(make([]byte, 0, len("YYYY-MM-DD")))
}

// UnmarshalText sets d to the day that text names, by the rules of [Parse]. After an error d is unchanged. It
// implements [encoding.TextUnmarshaler].
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return fmt.Errorf("%.40q: %w", text, ErrDate)
	}
	*d = Of(t.Date())
	return nil
}
