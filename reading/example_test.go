package reading_test

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// This example makes days of segments and a record of days, which then answers any period.
func Example() {
	start := time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)
	day := reading.Day{Date: calendar.Day(start)}
	for _, s := range []reading.Segment{
		{Start: start, DurationMS: 600_000, From: 0, To: 3000, Speed: reading.WordsPerMinute(300)},
		{Start: start.Add(time.Hour), DurationMS: 2_000, From: 3000, To: 3900, Speed: reading.WordsPerMinute(27_000)},
		{Start: start.Add(2 * time.Hour), DurationMS: 500_000, From: 2000, To: 4500, Speed: reading.WordsPerMinute(300)},
		{Start: start.Add(3 * time.Hour), DurationMS: 3_000, From: 4500, To: 4501},
	} {
		if s.Effective() {
			at := s.Start.Sub(day.Date.Start()) / time.Second
			day.Add(int32(at), s.DurationMS, reading.Interval{From: s.From, To: s.To})
		}
	}
	otherBook := int64(65_000)
	day.Minutes = reading.DayMinutes([]int64{day.MS, otherBook})[0]

	var r reading.Record
	r.Merge(day)
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	total, ok := r.Total(march, 10_000)
	fmt.Println(ok, total.Minutes, "minutes,", total.Percent, "%, finished:", total.Finished)
	fmt.Println(total.First.Format(time.RFC3339), total.Last.Format(time.RFC3339))
	// Output:
	// true 18.4 minutes, 45.01 %, finished: false
	// 2026-03-02T13:00:00Z 2026-03-02T16:00:00Z
}

// This example shows that the duration decides if no speed is recorded. A recorded 0 is a recorded speed.
func ExampleEffective() {
	fmt.Println(reading.Effective(reading.WordsPerMinute(800), 1_000), reading.Effective(reading.WordsPerMinute(801), 1_000))
	fmt.Println(reading.Effective(reading.Speed{}, 3_000), reading.Effective(reading.Speed{}, 2_999))
	fmt.Println(reading.Effective(reading.WordsPerMinute(0), 3_000))
	// Output:
	// true false
	// true false
	// false
}

// This example shows that no decimal is lost at the bounds.
func ExampleParseSpeed() {
	for _, text := range []string{"4.9999999999", "5", "8e2", "800.0000000001", "-1"} {
		speed, err := reading.ParseSpeed(text)
		fmt.Println(text, reading.Effective(speed, 1_000), err)
	}
	// Output:
	// 4.9999999999 false <nil>
	// 5 true <nil>
	// 8e2 true <nil>
	// 800.0000000001 false <nil>
	// -1 false must not be negative
}

// This example shows that repeated reading counts once, and that intervals that touch become one.
func ExampleCoverage_Add() {
	var c reading.Coverage
	c = c.Add(reading.Interval{From: 0, To: 30})
	c = c.Add(reading.Interval{From: 50, To: 60})
	c = c.Add(reading.Interval{From: 20, To: 40})
	fmt.Println(c, c.Within(100))
	c = c.Add(reading.Interval{From: 40, To: 50})
	fmt.Println(c, c.Within(55))
	// Output:
	// [{0 40} {50 60}] 50
	// [{0 60}] 55
}

// This example shows that two books of half a tenth each make one tenth of a minute, which goes to the first.
func ExampleDayMinutes() {
	fmt.Println(reading.DayMinutes([]int64{3_000, 3_000}))
	fmt.Println(reading.DayMinutes([]int64{1_103_000, 65_000}))
	// Output:
	// [0.1 0.0]
	// [18.4 1.1]
}

func ExamplePercentOf() {
	fmt.Println(reading.PercentOf(1, 3), reading.PercentOf(49_995, 100_000), reading.PercentOf(120, 100))
	// Output: 33.33 50.00 100.00
}

// This example shows that the same days make the same record, in any order.
func ExampleRecord_Merge() {
	var r reading.Record
	for _, date := range []string{"2026-03-05", "2026-03-02", "2026-03-05"} {
		d := reading.Day{Date: calendar.MustParse(date)}
		d.Add(36_000, 60_000, reading.Interval{From: 0, To: 250})
		r.Merge(d)
	}
	for _, d := range r.Days {
		fmt.Println(d.Date, d.MS, d.Coverage)
	}
	// Output:
	// 2026-03-02 60000 [{0 250}]
	// 2026-03-05 120000 [{0 250}]
}

// This example shows that an encoded record is decoded unchanged, and that other bytes are refused.
func ExampleRecord_UnmarshalBinary() {
	d := reading.Day{Date: calendar.MustParse("2026-03-02")}
	d.Add(36_000, 60_000, reading.Interval{From: 0, To: 250})
	data := reading.Record{Days: []reading.Day{d}}.AppendBinary(nil)

	var r reading.Record
	fmt.Println(r.UnmarshalBinary(data), r.Days[0].Date, r.Days[0].Coverage, len(data), "bytes")
	fmt.Println(r.UnmarshalBinary(data[:10]))
	// Output:
	// <nil> 2026-03-02 [{0 250}] 17 bytes
	// corrupt record of 10 bytes
}
