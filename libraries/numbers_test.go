package libraries_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestNumbers tests that stored numbers of names do not change. They begin at 1.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		one   fmt.Stringer
		name  string
		parse func(string) (int, bool)
	}{
		{libraries.Mode(1), "online", func(s string) (int, bool) { m, ok := libraries.ParseMode(s); return int(m), ok }},
		{libraries.Format(1), "ebook", func(s string) (int, bool) { f, ok := libraries.ParseFormat(s); return int(f), ok }},
		{libraries.Channel(1), libraries.WebMobile.String(), func(s string) (int, bool) { c, ok := libraries.ParseChannel(s); return int(c), ok }},
	} {
		if n, ok := tt.parse(tt.name); n != 1 || !ok || tt.one.String() != tt.name {
			t.Errorf("%s is parsed as %d, %t, and number 1 is %v, want number 1 and the same name", tt.name, n, ok, tt.one)
		}
	}
	if libraries.None != -1 || libraries.InCatalogue != 1 || libraries.LibraryTerms != 1 {
		t.Errorf("None = %d, InCatalogue = %d, LibraryTerms = %d, want -1, 1, 1", libraries.None, libraries.InCatalogue, libraries.LibraryTerms)
	}
	if !libraries.App.Estimated() || libraries.WebMobile.Estimated() {
		t.Error("Estimated: want true for the app and false for the mobile web")
	}
}

// TestDigitsASCII tests that Digits keeps only the ten digits.
func TestDigitsASCII(t *testing.T) {
	for c := range rune(0x100) {
		want := ""
		if strings.ContainsRune("0123456789", c) {
			want = string(c)
		}
		if got := libraries.Digits(string(c)); got != want {
			t.Errorf("Digits(%q) = %q, want %q", c, got, want)
		}
	}
}

// TestLoanDays tests that a session confirms a loan from its first day to the day of its end, both included.
func TestLoanDays(t *testing.T) {
	noon := func(day calendar.Date) time.Time { return day.Start().Add(12 * time.Hour) }
	ended := libraries.Loan{Borrowed: noon(10), Returned: noon(12), Status: libraries.LoanReturned}
	active := libraries.Loan{Borrowed: noon(10), Returned: noon(12), Status: libraries.LoanActive}
	if got, want := ended.Days(), (calendar.Period{Start: 10, End: 12}); got != want {
		t.Errorf("Days() of an ended loan = %+v, want %+v", got, want)
	}
	if got, want := active.Days(), (calendar.Period{Start: 10, End: libraries.Unended}); got != want {
		t.Errorf("Days() of an active loan = %+v, want %+v", got, want)
	}
	for day, want := range map[calendar.Date]bool{9: false, 10: true, 11: true, 12: true, 13: false} {
		if got := libraries.NewPair(day, 60, 0).Confirms(ended.Days()); got != want {
			t.Errorf("Confirms() of a session on day %d and a loan from 10 to 12 = %t, want %t", day, got, want)
		}
	}
}

// TestHourBounds tests that an hour begins at its full hour, also before 1970.
func TestHourBounds(t *testing.T) {
	for _, h := range []libraries.Hour{-2, -1, 0, 1, 490_000} {
		at := time.Unix(int64(h)*3600, 0)
		if !h.Time().Equal(at) || libraries.HourOf(at) != h || libraries.HourOf(at.Add(time.Second)) != h || libraries.HourOf(at.Add(-time.Second)) != h-1 {
			t.Errorf("hour %d: Time() = %v, HourOf around it = %d, %d, %d", h, h.Time(), libraries.HourOf(at.Add(-time.Second)), libraries.HourOf(at), libraries.HourOf(at.Add(time.Second)))
		}
	}
}

// TestAddCounts tests that Add counts only events that are activity.
func TestAddCounts(t *testing.T) {
	for kind := libraries.EventKind(0); kind < 20; kind++ {
		var p libraries.Presence
		if p.Add(kind, 5); p.Logins() == 1 != kind.Activity() {
			t.Errorf("Add(%v) makes the presence %+v", kind, p)
		}
	}
}
