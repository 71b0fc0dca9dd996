package feed

import (
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

// pair returns the two digits at text[i:], or -1.
func pair(text []byte, i int) int {
	if i+2 > len(text) {
		return -1
	}
	a, b := text[i]-'0', text[i+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// civil returns the day of a text that begins with YYYY-MM-DD.
func civil(text []byte) (year int, month time.Month, day int, ok bool) {
	century, rest := pair(text, 0), pair(text, 2)
	m, d := pair(text, 5), pair(text, 8)
	if century < 0 || rest < 0 || m < 0 || d < 0 || text[4] != '-' || text[7] != '-' {
		return 0, 0, 0, false
	}
	return century*100 + rest, time.Month(m), d, true
}

// exists reports whether the calendar has the day.
func exists(year int, month time.Month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= 28 || day <= time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// parseDate reads YYYY-MM-DD.
func parseDate(text []byte) (calendar.Date, string) {
	year, month, day, ok := civil(text)
	switch {
	case !ok || len(text) != 10:
		return 0, noDate
	case year < 1:
		return 0, noYear
	case !exists(year, month, day):
		return 0, noSuch
	}
	return calendar.Of(year, month, day), ""
}

// parseTime reads a time of ISO 8601 with an offset; an hour 24 and a leap second are no times.
func parseTime(text []byte) (time.Time, string) {
	year, month, day, ok := civil(text)
	if !ok || len(text) < len("2026-01-02T03:04Z") || text[10]|0x20 != 't' || text[13] != ':' {
		return time.Time{}, noTime
	}
	hour, minute := pair(text, 11), pair(text, 14)
	second, nanos, rest, ok := seconds(text[16:])
	if !ok || hour < 0 || minute < 0 {
		return time.Time{}, noTime
	}
	east, ok := offset(rest)
	switch {
	case !ok:
		return time.Time{}, noTime
	case !exists(year, month, day):
		return time.Time{}, noSuch
	case hour > 23 || minute > 59 || second > 59:
		return time.Time{}, noClock
	}
	t := time.Date(year, month, day, hour, minute, second-east, nanos, time.UTC)
	if year <= 1 || year >= 9999 { // others cannot be moved out of these years by an offset
		return t, outside(t)
	}
	return t, ""
}

// outside returns what is wrong with a time, in UTC, that cannot be kept or shown: it has a year of other than four digits,
// or it is the zero time, which is a null.
func outside(t time.Time) string {
	if t.IsZero() {
		return noZero
	}
	for _, year := range []int{t.Year(), t.In(calendar.Brasilia()).Year()} {
		if year < 1 || year > 9999 {
			return noYear
		}
	}
	return ""
}

// seconds reads what may stand between minutes and offset: nothing, `:05`, `:05.123`.
func seconds(text []byte) (second, nanos int, rest []byte, ok bool) {
	if text[0] != ':' {
		return 0, 0, text, true
	}
	second = pair(text, 1)
	if second < 0 || len(text) == 3 {
		return 0, 0, nil, false
	}
	rest = text[3:]
	if rest[0] != '.' && rest[0] != ',' {
		return second, 0, rest, true
	}
	k := countDigits(rest[1:])
	if k < 1 || k > 9 {
		return 0, 0, nil, false
	}
	for i := range 9 {
		nanos *= 10
		if i < k {
			nanos += int(rest[1+i] - '0')
		}
	}
	return second, nanos, rest[1+k:], true
}

// offset reads Z, ±hh, ±hhmm or ±hh:mm, as seconds east of UTC.
func offset(text []byte) (east int, ok bool) {
	if len(text) == 1 {
		return 0, text[0]|0x20 == 'z'
	}
	if len(text) == 0 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	hours, minutes := pair(text, 1), 0
	switch {
	case len(text) == 5:
		minutes = pair(text, 3)
	case len(text) == 6 && text[3] == ':':
		minutes = pair(text, 4)
	case len(text) != 3:
		return 0, false
	}
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	if east = hours*3600 + minutes*60; text[0] == '-' {
		east = -east
	}
	return east, true
}

// countDigits returns how many digits text begins with.
func countDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}
