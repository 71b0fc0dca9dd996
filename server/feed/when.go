package feed

import (
	"regexp"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

const (
	noTime  = "must be a time with an offset, such as 2026-01-02T03:04:05Z"
	noDate  = "must be a date, such as 2026-01-02"
	noSuch  = "does not exist in the calendar"
	noClock = "does not exist on the clock"
	noYear  = "must be in the years 0001 to 9999, in UTC and in Brasilia"
	noZero  = "must not be 0001-01-01T00:00:00Z: write the time itself, or null (in CSV nothing) where there is none"
)

// parseDate reads YYYY-MM-DD, or a time, whose day in Brasilia it is, as days since 1970-01-01.
func parseDate(text []byte) (day int64, wrong string) {
	if len(text) != len("2026-01-02") {
		t, wrong := parseTime(text)
		if wrong != "" {
			return 0, wrong
		}
		return int64(calendar.Day(t)), ""
	}
	d, wrong := civil(text)
	if wrong == "" && string(text[:4]) == "0000" {
		wrong = noYear
	}
	return int64(d), wrong
}

// dateShape is what looks like a day.
var dateShape = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// civil reads YYYY-MM-DD of any year.
func civil(text []byte) (d calendar.Date, wrong string) {
	if d.UnmarshalText(text) == nil {
		return d, ""
	}
	if dateShape.Match(text) {
		return 0, noSuch
	}
	return 0, noDate
}

// parseTime reads a time of ISO 8601 with an offset, in UTC: seconds may be left out, a fraction of them has up to nine digits.
// An hour 24 and a leap second are no times. The zero time is what a null is.
func parseTime(text []byte) (t time.Time, wrong string) {
	if !usual(text) || t.UnmarshalText(text) != nil {
		if t, wrong = parseOther(text); wrong != "" {
			return time.Time{}, wrong
		}
	}
	t = t.UTC()
	if t.IsZero() {
		return t, noZero
	}
	if year := t.Year(); year > 1 && year < 9999 { // others cannot be moved out of these years by an offset
		return t, ""
	}
	for _, year := range []int{t.Year(), t.In(calendar.Brasilia()).Year()} {
		if year < 1 || year > 9999 {
			return time.Time{}, noYear
		}
	}
	return t, ""
}

// usual reports whether package time may read a time. It also takes hours of one digit, drops what is behind nine digits of a
// second, and knows offsets of a day.
func usual(text []byte) bool {
	n, nine := len(text), len("2026-01-02T03:04:05.123456789Z")
	if n < len("2026-01-02T03:04:05Z") || text[13] != ':' {
		return false
	}
	if text[n-1] == 'Z' {
		return n <= nine
	}
	return n <= nine+len("03:00") && string(text[n-5:n-3]) < "24" && text[n-2] < '6'
}

// timeShape is what looks like a time: day, hour and minute, second, hours and minutes of the offset, which Z has not.
var timeShape = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d(?:[.,]\d{1,9})?))?(?:[Zz]|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)$`)

// parseOther reads a time that is written otherwise than package time has it, or says what is wrong with it.
func parseOther(text []byte) (t time.Time, wrong string) {
	parts := timeShape.FindSubmatch(text)
	if parts == nil {
		return t, noTime
	}
	or := func(part []byte, other string) string {
		if len(part) == 0 {
			return other
		}
		return string(part)
	}
	offset := "Z"
	if parts[4] != nil {
		offset = string(parts[4]) + ":" + or(parts[5], "00")
	}
	second := []byte(or(parts[3], "00"))
	if len(second) > 2 {
		second[2] = '.'
	}
	if t.UnmarshalText([]byte(string(parts[1])+"T"+string(parts[2])+":"+string(second)+offset)) == nil {
		return t, ""
	}
	if _, wrong := civil(parts[1]); wrong != "" {
		return t, wrong
	}
	return t, noClock
}
