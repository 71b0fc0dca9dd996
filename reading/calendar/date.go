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
	if d, ok := parse(s); ok {
		return d, nil
	}
	return 0, fmt.Errorf("%.40q: %w", s, ErrDate)
}

// MustParse is [Parse] for a constant. It panics if the text is not a day.
func MustParse(s string) Date {
	d, err := Parse(s)
	if err != nil {
		panic("calendar: MustParse: " + err.Error())
	}
	return d
}

func parse[T ~string | ~[]byte](s T) (Date, bool) {
	if len(s) != len("YYYY-MM-DD") || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	year, ok1 := number(s, 0, 4)
	month, ok2 := number(s, 5, 7)
	day, ok3 := number(s, 8, 10)
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	d := Of(year, time.Month(month), day)
	y, m, n := d.Date() // differ if Of has normalised a day that does not exist
	return d, y == year && m == time.Month(month) && n == day
}

// number parses the digits s[from:to].
func number[T ~string | ~[]byte](s T, from, to int) (n int, ok bool) {
	for i := from; i < to; i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
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
	parsed, ok := parse(text)
	if !ok {
		return fmt.Errorf("%.40q: %w", text, ErrDate)
	}
	*d = parsed
	return nil
}
