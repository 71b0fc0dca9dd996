package calendar_test

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// This example shows that a day begins at midnight in Brasilia, which is 03:00 UTC.
func ExampleDay() {
	midnight := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	fmt.Println(calendar.Day(midnight.Add(-time.Second)))
	fmt.Println(calendar.Day(midnight))
	// Output:
	// 2026-02-28
	// 2026-03-01
}

// This example shows that Parse accepts only days that exist in the calendar.
func ExampleParse() {
	d, err := calendar.Parse("2028-02-29")
	fmt.Println(d, err)
	_, err = calendar.Parse("2026-02-30")
	fmt.Println(err)
	// Output:
	// 2028-02-29 <nil>
	// "2026-02-30": not a day of the calendar in the form YYYY-MM-DD
}

// This example shows that the operators of the language work on dates.
func ExampleDate() {
	d := calendar.MustParse("2026-03-01")
	fmt.Println(d-1, int(d-calendar.MustParse("2026-01-01")), d > calendar.MustParse("2026-02-28"))
	fmt.Println(d.Start())
	// Output:
	// 2026-02-28 59 true
	// 2026-03-01 03:00:00 +0000 UTC
}

// This example shows a period without an end, which ends today, and a start before the history, which moves up to it.
func ExampleAsked_Schools() {
	today, history := calendar.MustParse("2026-03-10"), calendar.MustParse("2026-01-01")
	p, err := calendar.Asked{}.Schools(today, history)
	fmt.Println(p.Start, p.End, p.Days(), err)

	start := calendar.MustParse("2025-06-01")
	p, err = calendar.Asked{Start: &start}.Schools(today, history)
	fmt.Println(p.Start, p.End, p.Days(), err)

	_, err = calendar.Asked{End: &start}.Schools(today, history)
	fmt.Println(err)
	// Output:
	// 2026-02-09 2026-03-10 30 <nil>
	// 2026-01-01 2026-03-10 69 <nil>
	// the period ends before the history starts
}

// This example shows that the libraries count back 30 days from the end, and include both.
func ExampleAsked_Libraries() {
	p := calendar.Asked{}.Libraries(calendar.MustParse("2026-03-10"))
	fmt.Println(p.Start, p.End, p.Days())
	// Output:
	// 2026-02-08 2026-03-10 31
}
