// Effective prints which segments of a reader's evening count, and the minutes and percent that they add up to.
package main

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func main() {
	evening := time.Date(2026, 3, 2, 20, 0, 0, 0, calendar.Brasilia())
	at := func(minute int) time.Time { return evening.Add(time.Duration(minute) * time.Minute) }
	segments := []reading.Segment{
		{Start: at(0), DurationMS: 600_000, From: 0, To: 3000, Speed: reading.WordsPerMinute(300)},
		{Start: at(11), DurationMS: 2_000, From: 3000, To: 3900, Speed: reading.WordsPerMinute(27_000)}, // too fast
		{Start: at(12), DurationMS: 500_000, From: 2000, To: 4500, Speed: reading.WordsPerMinute(300)},
		{Start: at(21), DurationMS: 3_000, From: 4500, To: 4501}, // without a speed: 3 seconds are enough
		{Start: at(22), DurationMS: 2_999, From: 4501, To: 4600},
		{Start: at(23), DurationMS: 60_000, From: 4600, To: 4600, Speed: reading.WordsPerMinute(0)}, // too slow
	}
	today := reading.Day{Date: calendar.Day(evening)}
	for _, s := range segments {
		fmt.Printf("%s  %4d to %4d  effective: %t\n", s.Start.Format("15:04"), s.From, s.To, s.Effective())
		if s.Effective() {
			second := int32(s.Start.Sub(today.Date.Start()) / time.Second)
			today.Add(second, s.DurationMS, reading.Interval{From: s.From, To: s.To})
		}
	}
	today.Minutes = reading.DayMinutes([]int64{today.MS})[0] // a day's minutes are rounded once, over all its books
	fmt.Println("covered:", today.Coverage)

	book := reading.Record{Days: []reading.Day{today}}
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	total, _ := book.Total(march, 10_000) // the length of the book, in the unit of From and To
	fmt.Printf("%v minutes, %v %%, finished: %t\n", total.Minutes, total.Percent, total.Finished)
}
