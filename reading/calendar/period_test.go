package calendar_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
	"pgregory.net/rapid"
)

func period(start, end string) calendar.Period {
	return calendar.Period{Start: calendar.MustParse(start), End: calendar.MustParse(end)}
}

// asked returns a period as asked for. An empty start or end is not given.
func asked(start, end string) calendar.Asked {
	var a calendar.Asked
	if start != "" {
		d := calendar.MustParse(start)
		a.Start = &d
	}
	if end != "" {
		d := calendar.MustParse(end)
		a.End = &d
	}
	return a
}

func TestPeriod(t *testing.T) {
	p := period("2026-02-09", "2026-03-10")
	for _, test := range []struct {
		day  string
		want bool
	}{{"2026-02-08", false}, {"2026-02-09", true}, {"2026-02-28", true}, {"2026-03-10", true}, {"2026-03-11", false}} {
		if got := p.Contains(calendar.MustParse(test.day)); got != test.want {
			t.Errorf("Contains(%s) = %v, want %v", test.day, got, test.want)
		}
	}
	for _, test := range []struct {
		p    calendar.Period
		want int
	}{
		{p, 30},
		{period("2026-02-08", "2026-03-10"), 31},
		{period("2026-03-10", "2026-03-10"), 1},
		{period("2026-03-11", "2026-03-10"), 0},
		{period("2026-03-12", "2026-03-10"), 0},
		{calendar.Period{Start: math.MinInt32, End: math.MaxInt32}, 1 << 32},
		{calendar.Period{Start: math.MaxInt32, End: math.MinInt32}, 0},
	} {
		if got := test.p.Days(); got != test.want {
			t.Errorf("Days(%v) = %d, want %d", test.p, got, test.want)
		}
	}
}

func TestSchools(t *testing.T) {
	for _, test := range []struct {
		rule, start, end   string
		wantStart, wantEnd string
		err                error
	}{
		{"nothing given: 30 days ending today", "", "", "2026-02-09", "2026-03-10", nil},
		{"only a start: to today", "2026-03-01", "", "2026-03-01", "2026-03-10", nil},
		{"only a start, which is today", "2026-03-10", "", "2026-03-10", "2026-03-10", nil},
		{"only a start, in the future", "2026-03-11", "", "", "", calendar.ErrStartAfterEnd},
		{"only an end: 30 days ending there", "", "2026-02-10", "2026-01-12", "2026-02-10", nil},
		{"only an end: just inside the history", "", "2026-01-30", "2026-01-01", "2026-01-30", nil},
		{"only an end: start moves up", "", "2026-01-29", "2026-01-01", "2026-01-29", nil},
		{"both given", "2026-01-15", "2026-02-15", "2026-01-15", "2026-02-15", nil},
		{"both the same day", "2026-02-15", "2026-02-15", "2026-02-15", "2026-02-15", nil},
		{"today is not in the future", "2026-02-15", "2026-03-10", "2026-02-15", "2026-03-10", nil},
		{"a future end becomes today", "2026-02-15", "2026-03-11", "2026-02-15", "2026-03-10", nil},
		{"a future end becomes today before the start is chosen", "", "2026-12-31", "2026-02-09", "2026-03-10", nil},
		{"a future start, even before its end", "2026-03-11", "2026-03-12", "", "", calendar.ErrStartAfterEnd},
		{"start after end", "2026-02-16", "2026-02-15", "", "", calendar.ErrStartAfterEnd},
		{"start after end comes before the history", "2025-02-16", "2025-02-15", "", "", calendar.ErrStartAfterEnd},
		{"an early start moves up", "2025-06-01", "2026-02-15", "2026-01-01", "2026-02-15", nil},
		{"an end on the first day of the history", "2025-06-01", "2026-01-01", "2026-01-01", "2026-01-01", nil},
		{"an end before the history", "2025-06-01", "2025-12-31", "", "", calendar.ErrBeforeHistory},
		{"only an end, before the history", "", "2025-12-31", "", "", calendar.ErrBeforeHistory},
	} {
		got, err := asked(test.start, test.end).Schools(calendar.MustParse("2026-03-10"), calendar.MustParse("2026-01-01"))
		if !errors.Is(err, test.err) {
			t.Errorf("%s: Schools(%q, %q) = %v, %v, want error %v", test.rule, test.start, test.end, got, err, test.err)
		}
		if test.err == nil && got != period(test.wantStart, test.wantEnd) {
			t.Errorf("%s: Schools(%q, %q) = %v, want %s to %s", test.rule, test.start, test.end, got, test.wantStart, test.wantEnd)
		}
	}
}

func TestSchoolsTodayBeforeHistory(t *testing.T) {
	_, err := asked("", "").Schools(calendar.MustParse("2025-12-31"), calendar.MustParse("2026-01-01"))
	if !errors.Is(err, calendar.ErrBeforeHistory) {
		t.Errorf("Schools before the history's first day: %v, want ErrBeforeHistory", err)
	}
}

func TestLibraries(t *testing.T) {
	for _, test := range []struct{ rule, start, end, wantStart, wantEnd string }{
		{"nothing given: 30 days ago to today", "", "", "2026-02-08", "2026-03-10"},
		{"only a start: to today", "2026-03-01", "", "2026-03-01", "2026-03-10"},
		{"only a start, in the future: swapped with today", "2026-03-12", "", "2026-03-10", "2026-03-12"},
		{"only an end: from 30 days before", "", "2026-02-10", "2026-01-11", "2026-02-10"},
		{"only an end: a future one stays", "", "2027-01-01", "2026-12-02", "2027-01-01"},
		{"both given", "2026-01-15", "2026-02-15", "2026-01-15", "2026-02-15"},
		{"a future end stays", "2026-01-15", "2027-02-15", "2026-01-15", "2027-02-15"},
		{"start after end: swapped", "2026-03-09", "2026-03-02", "2026-03-02", "2026-03-09"},
		{"both the same day", "2026-03-09", "2026-03-09", "2026-03-09", "2026-03-09"},
		{"long ago", "2020-01-01", "2020-01-02", "2020-01-01", "2020-01-02"},
	} {
		got := asked(test.start, test.end).Libraries(calendar.MustParse("2026-03-10"))
		if got != period(test.wantStart, test.wantEnd) {
			t.Errorf("%s: Libraries(%q, %q) = %v, want %s to %s", test.rule, test.start, test.end, got, test.wantStart, test.wantEnd)
		}
	}
	if got := asked("", "").Libraries(calendar.MustParse("2026-03-10")).Days(); got != 31 {
		t.Errorf("Libraries without dates has %d days, want 31", got)
	}
}

// TestPeriodsLie tests that a schools period is between the history's first day and today, and keeps an end that is
// there too. Asking for a returned period returns it again. A libraries period includes the days that were asked for.
func TestPeriodsLie(t *testing.T) {
	day := rapid.Map(rapid.IntRange(20300, 20700), func(n int) calendar.Date { return calendar.Date(n) })
	rapid.Check(t, func(t *rapid.T) {
		today, history := day.Draw(t, "today"), day.Draw(t, "history")
		a := calendar.Asked{Start: rapid.Ptr(day, true).Draw(t, "start"), End: rapid.Ptr(day, true).Draw(t, "end")}
		p, err := a.Schools(today, history)
		if err == nil {
			if p.Start < history || p.End > today || p.Days() < 1 {
				t.Errorf("Schools = %v, want a period within %v to %v", p, history, today)
			}
			if a.Start != nil && *a.Start >= history && p.Start != *a.Start {
				t.Errorf("Schools = %v, want the requested start %v", p, *a.Start)
			}
			if a.End != nil && *a.End <= today && p.End != *a.End {
				t.Errorf("Schools = %v, want the requested end %v", p, *a.End)
			}
			if again, err := (calendar.Asked{Start: &p.Start, End: &p.End}).Schools(today, history); again != p || err != nil {
				t.Errorf("Schools of %v = %v, %v, want the same", p, again, err)
			}
		}
		l := a.Libraries(today)
		if l.Days() < 1 || a.Start != nil && !l.Contains(*a.Start) || a.End != nil && !l.Contains(*a.End) {
			t.Errorf("Libraries = %v, want a period that includes the requested days", l)
		}
	})
}
