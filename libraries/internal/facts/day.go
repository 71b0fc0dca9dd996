package facts

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// ofTitles reports whether the metric is one that titles have.
func ofTitles(m metric.Metric) bool {
	return m != metric.Logins && m != metric.DistinctBooks && m != metric.Previews
}

// ofTitleDays reports whether the sums of titles are kept of the metric.
func ofTitleDays(m metric.Metric) bool { return ofTitles(m) && m != metric.ListeningSessions }

// DayDelta is what a Fold adds to a day, of one reader. Numbers are below 0 where a correction takes something back.
type DayDelta struct {
	Day    calendar.Date
	Reader int64
	// Presence are the events that never change: all activity but returns. Returned and Unreturned are the seconds of the
	// day of returns by the reader that are added and taken back.
	Presence             libraries.Presence
	Returned, Unreturned []int32
	// Books are the titles, ascending; their measures are the reader's too, but for ConvertedThatDay. Logins, DistinctBooks
	// and Previews are 0 there.
	Books    []BookDelta
	Previews int64
	// Totals are what is counted of the day as a whole: those that cannot be summed from readers or titles.
	Totals metric.DayCounts
}

// BookDelta is the part of a DayDelta that is about one title. Read says that the reader had a session of it.
type BookDelta struct {
	Book     int64
	Read     bool
	Measures metric.Measures
}
