package generate

import "github.com/lectern-dev/lectern/reading/calendar"

const (
	hourMS = 3_600_000
	dayMS  = 24 * hourMS
)

// clock writes the times of one day. Feeds of different origin write UTC or local time, so both occur.
type clock struct {
	today, tomorrow string
}

func newClock(d calendar.Date) clock { return clock{d.String(), (d + 1).String()} }

// appendTime appends the time at ms of the Brasilia day, in UTC or with its offset; ms is shown when it is no full
// second.
func (c clock) appendTime(b []byte, ms int, utc bool) []byte {
	date, end := c.today, "-03:00"
	if utc {
		end = "Z"
		if ms += 3 * hourMS; ms >= dayMS {
			date, ms = c.tomorrow, ms-dayMS
		}
	}
	b = append(b, date...)
	b = appendPair(append(b, 'T'), ms/hourMS)
	b = appendPair(append(b, ':'), ms/60_000%60)
	b = appendPair(append(b, ':'), ms/1000%60)
	if ms %= 1000; ms > 0 {
		b = append(b, '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10))
	}
	return append(b, end...)
}

// appendPair appends two digits.
func appendPair(b []byte, n int) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// The weekdays on which less is done, as weekday counts them.
const (
	saturday = 2
	sunday   = 3
)

// weekday counts the days since the last Thursday, which 1970-01-01 was.
func weekday(d calendar.Date) int { return (int(d)%7 + 7) % 7 }

// hours are the weights of the hours at which readers come: school hours, a busy evening, a quiet night.
var hours = [24]int{2, 1, 1, 1, 1, 3, 10, 30, 45, 50, 50, 40, 30, 40, 50, 50, 45, 45, 60, 80, 85, 70, 35, 10}

// hourOf has each hour as often as its weight says, for a draw by place.
var hourOf = func() (list []int) {
	for hour, weight := range hours {
		for range weight {
			list = append(list, hour)
		}
	}
	return list
}()

// moment draws a time of the day, in milliseconds; most are full seconds.
func (c *chance) moment() int {
	ms := pick(c, hourOf)*hourMS + c.below(3600)*1000
	if c.below(8) == 0 {
		ms += c.below(1000)
	}
	return ms
}
