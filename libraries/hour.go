package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Hour is a full hour from which a network's data hold (L1): hours since 1970-01-01T00:00:00Z. The zero Hour is none,
// that of a network before its first load. Full hours are the same in Brasilia as in UTC.
type Hour int32

// HourOf returns the full hour that the instant t is in: from which a network's first load holds, and one that is to hold at
// once.
func HourOf(t time.Time) Hour {
	s := t.Unix()
	hour := s / 3600
	if s%3600 < 0 {
		hour--
	}
	return Hour(hour)
}

// NextHour returns the next full hour after the instant t. At a full hour itself it is one later: answers of the hour that has
// begun may have been given.
func NextHour(t time.Time) Hour { return HourOf(t) + 1 }

// Time returns the instant at which the hour begins, in UTC.
func (h Hour) Time() time.Time { return time.Unix(int64(h)*3600, 0).UTC() }

// Day returns the hour's day in Brasilia: the "now" of what is counted up to the snapshot (L2).
func (h Hour) Day() calendar.Date { return calendar.Day(h.Time()) }

// String returns the hour as meta.updatedAt shows it: 2026-08-01 14:00:00, in Brasilia time. The zero Hour shows as an
// empty text.
func (h Hour) String() string {
	if h == 0 {
		return ""
	}
	return FormatTime(h.Time())
}

// FormatTime returns an instant as YYYY-MM-DD HH:mm:ss in Brasilia time, cut to whole seconds (H7): the datetime of the
// answers.
func FormatTime(t time.Time) string { return t.In(calendar.Brasilia()).Format(time.DateTime) }
