package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Hour is a full hour, in hours since 1970-01-01T00:00:00Z: the hour from which a network's snapshot is current (L1).
// The zero Hour is that of a network before its first load. Full hours are the same in Brasilia as in UTC.
type Hour int32

// HourOf returns the hour of t: a network's first load is current from it.
func HourOf(t time.Time) Hour {
	s := t.Unix()
	hour := s / 3600
	if s%3600 < 0 {
		hour--
	}
	return Hour(hour)
}

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
