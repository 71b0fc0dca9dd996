package libraries

import (
	"errors"
	"math"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// HistoryStart is the default first day of the history, 2026-07-21 (G6). Data of earlier days do not exist.
const HistoryStart calendar.Date = 20_655

// WindowDays is the number of days that a period of engagements, logins or channels may have (L2).
const WindowDays = 31

// ErrWindow says that a period has more than WindowDays days.
var ErrWindow = errors.New("the period exceeds 31 days")

// CheckWindow returns [ErrWindow] for a period of more than [WindowDays] days, both ends counted.
func CheckWindow(p calendar.Period) error {
	if p.Days() > WindowDays {
		return ErrWindow
	}
	return nil
}

// Window returns the period from start to end of the engagements, where both are required (L2). The error is [ErrWindow],
// or [calendar.ErrStartAfterEnd]: the days are not swapped.
func Window(start, end calendar.Date) (calendar.Period, error) {
	if start > end {
		return calendar.Period{}, calendar.ErrStartAfterEnd
	}
	p := calendar.Period{Start: start, End: end}
	return p, CheckWindow(p)
}

// Between returns the period of a filter such as registeredFrom and registeredTo. It is open at an end that is not given.
// Ends in the wrong order are swapped (L2).
func Between(a calendar.Asked) calendar.Period {
	p := calendar.Period{Start: math.MinInt32, End: math.MaxInt32}
	if a.Start != nil {
		p.Start = *a.Start
	}
	if a.End != nil {
		p.End = *a.End
	}
	if p.Start > p.End {
		p.Start, p.End = p.End, p.Start
	}
	return p
}

// LastDays returns the last 30 days, now included, which deletedUsers lists one by one (L12).
func LastDays(now calendar.Date) calendar.Period {
	return calendar.Period{Start: now - 29, End: now}
}

// Months returns the months that a period touches, ascending, each with only its days that are in the period. Days before
// the history and after now are left out (L12), so there may be no month.
func Months(p calendar.Period, history, now calendar.Date) []calendar.Period {
	p.Start, p.End = max(p.Start, history), min(p.End, now)
	var months []calendar.Period
	for start := p.Start; start <= p.End; {
		year, month, _ := start.Date()
		next := calendar.Of(year, month+1, 1)
		months = append(months, calendar.Period{Start: start, End: min(next-1, p.End)})
		start = next
	}
	return months
}

// MonthOf returns the month of a day of the years 0 to 9999 as YYYY-MM.
func MonthOf(d calendar.Date) string { return d.String()[:len("YYYY-MM")] }

// Hour is a full hour, in hours since 1970-01-01T00:00:00Z: the hour from which a network's snapshot is current (L1).
// The zero Hour is that of a network before its first load. Full hours are the same in Brasilia as in UTC.
type Hour int32

// HourOf returns the hour of t: a network's first load is current from it.
func HourOf(t time.Time) Hour { return Hour(t.Truncate(time.Hour).Unix() / 3600) }

// NextHour returns the next full hour after t. At a full hour it returns the one after: the server may have given
// answers of the hour that has just begun.
func NextHour(t time.Time) Hour { return HourOf(t) + 1 }

// Time returns the instant at which the hour begins, in UTC.
func (h Hour) Time() time.Time { return time.Unix(int64(h)*3600, 0).UTC() }

// Day returns the hour's day in Brasilia: the "now" of the snapshot (L2).
func (h Hour) Day() calendar.Date { return calendar.Day(h.Time()) }

// String returns the hour in Brasilia time, as meta.updatedAt shows it: 2026-08-01 14:00:00. The zero Hour is an empty
// text.
func (h Hour) String() string {
	if h == 0 {
		return ""
	}
	return FormatTime(h.Time())
}

// FormatTime returns a datetime of the answers: YYYY-MM-DD HH:mm:ss in Brasilia time, cut to whole seconds (H7).
func FormatTime(t time.Time) string { return t.In(calendar.Brasilia()).Format(time.DateTime) }
