// Effective prints which segments of a reader's day count, and what they come to: minutes, percent, finished or not.
package main

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// length is that of the book, in the unit of the segments' positions: words, here.
const length = 10_000

func main() {
	evening := time.Date(2026, 3, 2, 20, 0, 0, 0, calendar.Brasilia())
	at := func(minute int) time.Time { return evening.Add(time.Duration(minute) * time.Minute) }
	segments := []reading.Segment{
		{Start: at(0), DurationMS: 600_000, From: 0, To: 3000, Speed: reading.WordsPerMinute(300)},
		{Start: at(11), DurationMS: 2_000, From: 3000, To: 3900, Speed: reading.WordsPerMinute(27_000)},
		{Start: at(12), DurationMS: 500_000, From: 2000, To: 4500, Speed: reading.WordsPerMinute(300)},
		{Start: at(21), DurationMS: 3_000, From: 4500, To: 4501}, // no speed was recorded
		{Start: at(22), DurationMS: 2_999, From: 4501, To: 4600},
		{Start: at(23), DurationMS: 60_000, From: 4600, To: 4600, Speed: reading.WordsPerMinute(0)},
	}
	var record reading.Record
	for _, s := range segments {
		fmt.Printf("%s  %4d to %4d  effective: %t\n", s.Start.Format("15:04"), s.From, s.To, s.Effective())
		if !s.Effective() {
			continue
		}
		day := reading.Day{Date: calendar.Day(s.Start)}
		second := int32(s.Start.Sub(day.Date.Start()) / time.Second)
		day.Add(second, s.DurationMS, reading.Interval{From: s.From, To: s.To})
		record.Merge(day)
	}
	// A day's minutes are rounded once, over all its books, and shared out among them. Here there is one book.
	for i := range record.Days {
		record.Days[i].Minutes = reading.DayMinutes([]int64{record.Days[i].MS})[0]
	}
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	total, _ := record.Total(march, length)
	fmt.Printf("%v minutes, %v %%, finished: %t\n", total.Minutes, total.Percent, total.Finished)
	fmt.Println("covered:", record.Days[0].Coverage)
}
