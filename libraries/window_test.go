package libraries_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func period(start, end string) calendar.Period {
	return calendar.Period{Start: calendar.MustParse(start), End: calendar.MustParse(end)}
}

func TestHistoryStart(t *testing.T) {
	if got := libraries.HistoryStart.String(); got != "2026-07-21" {
		t.Errorf("HistoryStart = %s, want 2026-07-21", got)
	}
}

func TestWindow(t *testing.T) {
	for _, test := range []struct {
		rule, start, end string
		want             error
	}{
		{"one day", "2026-08-01", "2026-08-01", nil},
		{"31 days", "2026-08-01", "2026-08-31", nil},
		{"32 days", "2026-08-01", "2026-09-01", libraries.ErrWindow},
		{"31 days over a short month", "2027-02-01", "2027-03-03", nil},
		{"32 days over a short month", "2027-02-01", "2027-03-04", libraries.ErrWindow},
		{"start after end", "2026-08-02", "2026-08-01", calendar.ErrStartAfterEnd},
		{"start long after end", "2026-12-02", "2026-08-01", calendar.ErrStartAfterEnd},
	} {
		p := period(test.start, test.end)
		got, err := libraries.Window(p.Start, p.End)
		if !errors.Is(err, test.want) || err == nil && got != p {
			t.Errorf("%s: Window(%s, %s) = %v, %v, want error %v", test.rule, test.start, test.end, got, err, test.want)
		}
		if err := libraries.CheckWindow(p); errors.Is(err, libraries.ErrWindow) != errors.Is(test.want, libraries.ErrWindow) {
			t.Errorf("%s: CheckWindow(%v) = %v", test.rule, p, err)
		}
	}
}

// TestDefaultFitsWindow tests that a query without dates has 31 days, which CheckWindow accepts.
func TestDefaultFitsWindow(t *testing.T) {
	p := calendar.Asked{}.Libraries(calendar.MustParse("2026-08-31"))
	if err := libraries.CheckWindow(p); err != nil || p.Days() != 31 {
		t.Errorf("the default period has %d days, CheckWindow = %v, want 31 and no error", p.Days(), err)
	}
}

func TestBetween(t *testing.T) {
	for _, test := range []struct {
		rule, from, to string
		in, out        []string
	}{
		{"open", "", "", []string{"1500-01-01", "9999-12-31"}, nil},
		{"open at its end", "2026-08-01", "", []string{"2026-08-01", "9999-12-31"}, []string{"2026-07-31"}},
		{"open at its start", "", "2026-08-01", []string{"1500-01-01", "2026-08-01"}, []string{"2026-08-02"}},
		{"both", "2026-08-01", "2026-08-03", []string{"2026-08-01", "2026-08-03"}, []string{"2026-07-31", "2026-08-04"}},
		{"swapped", "2026-08-03", "2026-08-01", []string{"2026-08-01", "2026-08-03"}, []string{"2026-07-31", "2026-08-04"}},
		{"one day", "2026-08-01", "2026-08-01", []string{"2026-08-01"}, []string{"2026-07-31", "2026-08-02"}},
	} {
		var asked calendar.Asked
		if test.from != "" {
			asked.Start = new(calendar.MustParse(test.from))
		}
		if test.to != "" {
			asked.End = new(calendar.MustParse(test.to))
		}
		p := libraries.Between(asked)
		for _, day := range test.in {
			if !p.Contains(calendar.MustParse(day)) {
				t.Errorf("%s: Between(%q, %q) does not contain %s", test.rule, test.from, test.to, day)
			}
		}
		for _, day := range test.out {
			if p.Contains(calendar.MustParse(day)) {
				t.Errorf("%s: Between(%q, %q) contains %s", test.rule, test.from, test.to, day)
			}
		}
	}
}

func TestLastDays(t *testing.T) {
	got := libraries.LastDays(calendar.MustParse("2026-08-30"))
	if want := period("2026-08-01", "2026-08-30"); got != want || got.Days() != 30 {
		t.Errorf("LastDays(2026-08-30) = %v, want %v", got, want)
	}
}

func TestMonths(t *testing.T) {
	for _, test := range []struct {
		rule, start, end, history, now string
		want                           []calendar.Period
	}{
		{"inside a month", "2026-08-05", "2026-08-09", "2026-07-21", "2026-12-31", []calendar.Period{period("2026-08-05", "2026-08-09")}},
		{"a whole month", "2026-08-01", "2026-08-31", "2026-07-21", "2026-12-31", []calendar.Period{period("2026-08-01", "2026-08-31")}},
		{"the first day of the next", "2026-08-01", "2026-09-01", "2026-07-21", "2026-12-31",
			[]calendar.Period{period("2026-08-01", "2026-08-31"), period("2026-09-01", "2026-09-01")}},
		{"over the year's end", "2026-11-30", "2027-01-02", "2026-07-21", "2027-12-31",
			[]calendar.Period{period("2026-11-30", "2026-11-30"), period("2026-12-01", "2026-12-31"), period("2027-01-01", "2027-01-02")}},
		{"cut to the history", "2026-01-01", "2026-08-02", "2026-07-21", "2026-12-31",
			[]calendar.Period{period("2026-07-21", "2026-07-31"), period("2026-08-01", "2026-08-02")}},
		{"cut to now", "2026-08-30", "2026-12-31", "2026-07-21", "2026-09-01",
			[]calendar.Period{period("2026-08-30", "2026-08-31"), period("2026-09-01", "2026-09-01")}},
		{"on the first day of the history", "2026-01-01", "2026-07-21", "2026-07-21", "2026-12-31", []calendar.Period{period("2026-07-21", "2026-07-21")}},
		{"before the history", "2026-01-01", "2026-07-20", "2026-07-21", "2026-12-31", nil},
		{"after now", "2027-01-01", "2027-01-31", "2026-07-21", "2026-12-31", nil},
	} {
		got := libraries.Months(period(test.start, test.end), calendar.MustParse(test.history), calendar.MustParse(test.now))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: Months(%s, %s) = %v, want %v", test.rule, test.start, test.end, got, test.want)
		}
	}
	if got := libraries.MonthOf(calendar.MustParse("2026-08-31")); got != "2026-08" {
		t.Errorf("MonthOf(2026-08-31) = %s, want 2026-08", got)
	}
}
