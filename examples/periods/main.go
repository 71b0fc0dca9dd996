// Periods prints which days a report is about when a client asks for some dates, or none, under the rules of the schools
// API and under those of the libraries API.
package main

import (
	"cmp"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

func main() {
	today := calendar.MustParse("2026-08-10") // in earnest: calendar.Day(time.Now())
	for _, asked := range []struct{ start, end string }{
		{"", ""},
		{"2026-08-01", ""},
		{"", "2026-07-31"},
		{"2025-12-01", "2026-01-31"},
		{"2026-08-09", "2026-08-02"},
		{"2026-08-01", "2026-12-31"},
		{"", "2025-12-31"},
	} {
		a := calendar.Asked{Start: date(asked.start), End: date(asked.end)}
		fmt.Printf("from %s to %s\n", cmp.Or(asked.start, "-"), cmp.Or(asked.end, "-"))
		if p, err := a.Schools(today, schools.HistoryStart()); err != nil {
			fmt.Println("\tschools:  ", err) // the API's 400
		} else {
			fmt.Println("\tschools:  ", p.Start, "to", p.End, "days:", p.Days())
		}
		p := a.Libraries(today)
		fmt.Println("\tlibraries:", p.Start, "to", p.End, "days:", p.Days(), daily(p))
	}
}

// date returns the day that a text names, nil where it is empty.
func date(text string) *calendar.Date {
	if text == "" {
		return nil
	}
	return new(calendar.MustParse(text))
}

// daily says what the routes with a row for each day say to a period (L2).
func daily(p calendar.Period) string {
	if libraries.CheckWindow(p) != nil {
		return "(too long for rows by day)"
	}
	return ""
}
