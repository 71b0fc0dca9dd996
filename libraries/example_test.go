package libraries_test

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// A pair crosses 10 and 50 percent once, on the day it first reached them, even if that day's session arrives last.
func ExamplePair() {
	var p libraries.Pair
	session := func(day, progress string) {
		share, err := libraries.ParseProgress(progress)
		if err != nil {
			fmt.Println(err)
			return
		}
		p.Merge(libraries.NewPair(calendar.MustParse(day), 600, share))
		day10, ok10 := p.Reached(libraries.Reading10)
		day50, ok50 := p.Reached(libraries.Reading50)
		fmt.Println(ok10, day10, ok50, day50)
	}
	session("2026-08-01", "9.9999")
	session("2026-08-03", "55")
	session("2026-08-04", "12")
	session("2026-08-02", "10")
	fmt.Println(p.Highest, "percent in", p.Seconds, "seconds")
	loan := func(from, to string) calendar.Period {
		return calendar.Period{Start: calendar.MustParse(from), End: calendar.MustParse(to)}
	}
	fmt.Println(p.Confirms(loan("2026-08-04", "2026-08-18")), p.Confirms(loan("2026-08-05", "2026-08-19")), p.Confirms(loan("2026-07-25", "2026-07-31")))
	// Output:
	// false 1970-01-01 false 1970-01-01
	// true 2026-08-03 true 2026-08-03
	// true 2026-08-03 true 2026-08-03
	// true 2026-08-02 true 2026-08-03
	// 55.00 percent in 2400 seconds
	// true false false
}

// The expiry of a loan is not an activity of the reader.
func ExamplePresence() {
	var p libraries.Presence
	p.Add(libraries.SessionEvent, 9*3600)
	p.Add(libraries.ReturnEvent, 20*3600)
	p.Add(libraries.ExpiryEvent, 23*3600)
	fmt.Println(p.Logins(), p.Events, p.First, p.Last)
	// Output: 1 2 32400 72000
}

// A query of digits and hyphens also finds an ISBN, by its digits.
func ExampleSearch() {
	title, isbn := fold.Text("Água Viva"), libraries.Digits("978-85-325-0812-6")
	for _, query := range []string{"GUA vi", "978 85 325", "85-325-0812", "viva agua"} {
		fmt.Println(query, libraries.ParseSearch(query).Book(title, isbn))
	}
	// Output:
	// GUA vi true
	// 978 85 325 true
	// 85-325-0812 true
	// viva agua false
}

// A load that is ready within an hour becomes visible at the next full hour.
func ExampleNextHour() {
	ready := time.Date(2026, 8, 1, 2, 20, 0, 0, time.UTC)
	h := libraries.NextHour(ready)
	fmt.Println(h, h.Day())
	// Output: 2026-08-01 00:00:00 2026-08-01
}

func ExampleMonths() {
	asked := calendar.Asked{End: new(calendar.MustParse("2026-08-02"))}
	period := asked.Libraries(calendar.MustParse("2026-09-15"))
	for _, m := range libraries.Months(period, libraries.HistoryStart, calendar.MustParse("2026-09-15")) {
		fmt.Println(libraries.MonthOf(m.Start), m.Start, m.End)
	}
	// Output:
	// 2026-07 2026-07-21 2026-07-31
	// 2026-08 2026-08-01 2026-08-02
}
