package report_test

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

func presentDays(events []schools.Event) []calendar.Date {
	days := map[calendar.Date]bool{}
	for _, e := range events {
		if e.Effect != schools.Silent {
			days[e.Day] = true
		}
	}
	return slices.Sorted(maps.Keys(days))
}

// sharesOf shares the tenths of a day out among its books by the words of S3.
func sharesOf(events []schools.Event, date calendar.Date) map[int64]int64 {
	ms := map[int64]int64{}
	total := int64(0)
	for _, e := range events {
		if e.Effect == schools.EffectiveReading && e.Day == date {
			ms[e.Book] += e.MS
			total += e.MS
		}
	}
	shares := map[int64]int64{}
	left := (total + 3000) / 6000
	for book, n := range ms {
		shares[book] = n / 6000
		left -= n / 6000
	}
	books := slices.SortedFunc(maps.Keys(ms), func(a, b int64) int {
		return cmp.Or(cmp.Compare(ms[b]%6000, ms[a]%6000), cmp.Compare(a, b))
	})
	for _, book := range books[:left] {
		shares[book]++
	}
	return shares
}
