package calendar_test

import (
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// FuzzAsked checks day by day what the rules S8 and L2 compute: a day is in the period if the rule says so.
func FuzzAsked(f *testing.F) {
	f.Add(int16(0), int16(0), true, true)
	f.Add(int16(-40), int16(3), true, false)
	f.Add(int16(10), int16(-10), true, true)
	f.Fuzz(func(t *testing.T, start, end int16, withStart, withEnd bool) {
		const today, history = calendar.Date(20_000), calendar.Date(19_700)
		var a calendar.Asked
		if withStart {
			d := today + calendar.Date(start)
			a.Start = &d
		}
		if withEnd {
			d := today + calendar.Date(end)
			a.End = &d
		}
		schools, err := a.Schools(today, history)
		libraries := a.Libraries(today)
		days := 0
		for d := today - 1<<15 - 31; d <= today+1<<15; d++ {
			// S8: no day in the future or before the history. Without a start, only the last 30 days up to the end.
			last := today
			if withEnd && *a.End < today {
				last = *a.End
			}
			in := d <= last && d >= history && (withStart && d >= *a.Start || !withStart && d > last-30)
			if in {
				days++
			}
			if err == nil && schools.Contains(d) != in {
				t.Fatalf("%+v: Schools = %+v, want %v in it: %t", a, schools, d, in)
			}
			// L2: from the earlier to the later of both ends. A missing start is 30 days before the end.
			last = today
			if withEnd {
				last = *a.End
			}
			first := last - 30
			if withStart {
				first = *a.Start
			}
			if in := first <= d && d <= last || last <= d && d <= first; libraries.Contains(d) != in {
				t.Fatalf("%+v: Libraries = %+v, want %v in it: %t", a, libraries, d, in)
			}
		}
		if (err == nil) != (days > 0) || err == nil && schools.Days() != days {
			t.Errorf("%+v: Schools has %d days, %v, want %d", a, schools.Days(), err, days)
		}
		if err != nil && !errors.Is(err, calendar.ErrStartAfterEnd) && !errors.Is(err, calendar.ErrBeforeHistory) {
			t.Errorf("%+v: Schools = %v, want ErrStartAfterEnd or ErrBeforeHistory", a, err)
		}
	})
}
