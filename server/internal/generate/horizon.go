package generate

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// horizon is the end of a feed: so many days, and the last millisecond of the last of them. What is later has not
// happened yet.
type horizon struct{ days, ms int }

// newHorizon returns the end of a feed of some days, or until, if that is earlier. The zero time sets no end.
func newHorizon(first calendar.Date, days int, until time.Time) (horizon, error) {
	h := horizon{days, dayMS - 1}
	if until.IsZero() {
		return h, nil
	}
	last := calendar.Day(until)
	if last < first {
		return h, fmt.Errorf("generate: the first day %v is later than %s, where the feed ends; choose an earlier one",
			first, until.In(calendar.Brasilia()).Format(time.RFC3339))
	}
	if to := int(last-first) + 1; to <= days {
		h = horizon{to, int(until.Sub(last.Start()).Milliseconds())}
	}
	return h, nil
}

// reaches reports whether a time of a day is before the end, or at it.
func (h horizon) reaches(day, ms int) bool { return day < h.days-1 || day == h.days-1 && ms <= h.ms }

// within returns ms, or the end where that is earlier on the day.
func (h horizon) within(day, ms int) int {
	if h.reaches(day, ms) {
		return ms
	}
	return h.ms
}
