package feed

import (
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// clock reads the times of a feed, which mostly are of the same day as the one before.
type clock struct {
	day  [len("2026-01-02")]byte // the last one that was read, and the days from 1970-01-01 to it
	from int64
}

// moment reads a time as parseTime does, in microseconds since 1970; more precise ones are cut.
func (c *clock) moment(text []byte) (micros int64, wrong string) {
	if micros, ok := c.canonical(text); ok {
		return micros, ""
	}
	t, wrong := parseTime(text)
	return t.UnixMicro(), wrong
}

// canonical reads a time that is written as most are, 2026-01-02T03:04:05Z, with up to nine digits behind the second or not, and Z
// or an offset such as -03:00. Of any other it reports false, and of those that an offset may move out of the years.
func (c *clock) canonical(text []byte) (micros int64, ok bool) {
	const second = len("2026-01-02T03:04:05")
	if len(text) <= second || text[10] != 'T' || text[13] != ':' || text[16] != ':' || !c.date(text[:10]) {
		return 0, false
	}
	hour, minute, sec := two(text[11:]), two(text[14:]), two(text[17:])
	if hour > 23 || minute > 59 || sec > 59 {
		return 0, false
	}
	fraction, at := int64(0), second
	if text[at] == '.' {
		for scale := int64(100_000); ; scale /= 10 {
			if at++; at == len(text) || text[at] < '0' || text[at] > '9' {
				break
			}
			fraction += scale * int64(text[at]-'0')
		}
		if at < second+2 || at > second+10 || at == len(text) {
			return 0, false
		}
	}
	offset, ok := zone(text[at:])
	seconds := c.from*24*60*60 + int64(hour)*60*60 + int64(minute)*60 + int64(sec) - offset
	return seconds*int64(time.Second/time.Microsecond) + fraction, ok
}

// date reads a day of the years 0002 to 9998.
func (c *clock) date(text []byte) bool {
	if text[4] == '-' && string(text) == string(c.day[:]) { // before the first one c.day has no dash
		return true
	}
	var d calendar.Date
	if y := string(text[:4]); y <= "0001" || y >= "9999" || d.UnmarshalText(text) != nil {
		return false
	}
	copy(c.day[:], text)
	c.from = int64(d)
	return true
}

// zone reads Z or an offset, in seconds.
func zone(text []byte) (seconds int64, ok bool) {
	if len(text) == 1 {
		return 0, text[0] == 'Z'
	}
	if len(text) != len("-03:00") || text[3] != ':' {
		return 0, false
	}
	hour, minute := two(text[1:]), two(text[4:])
	seconds = int64(hour)*60*60 + int64(minute)*60
	ok = hour < 24 && minute < 60
	switch text[0] {
	case '+':
		return seconds, ok
	case '-':
		return -seconds, ok
	}
	return 0, false
}

// two reads two digits; what is none is a number above 99.
func two(text []byte) int {
	tens, ones := text[0]-'0', text[1]-'0'
	if tens > 9 || ones > 9 {
		return 100
	}
	return int(10*tens + ones)
}
