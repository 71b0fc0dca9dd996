package libraries_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestHour(t *testing.T) {
	for _, test := range []struct{ at, of, next, day string }{
		{"2026-08-01T17:00:00Z", "2026-08-01 14:00:00", "2026-08-01 15:00:00", "2026-08-01"},
		{"2026-08-01T17:00:00.000000001Z", "2026-08-01 14:00:00", "2026-08-01 15:00:00", "2026-08-01"},
		{"2026-08-01T16:59:59.999999999Z", "2026-08-01 13:00:00", "2026-08-01 14:00:00", "2026-08-01"},
		{"2026-08-01T17:59:59Z", "2026-08-01 14:00:00", "2026-08-01 15:00:00", "2026-08-01"},
		{"2026-08-01T02:30:00Z", "2026-07-31 23:00:00", "2026-08-01 00:00:00", "2026-07-31"},
		{"2026-08-01T03:00:00Z", "2026-08-01 00:00:00", "2026-08-01 01:00:00", "2026-08-01"},
		{"2027-01-01T02:59:59Z", "2026-12-31 23:00:00", "2027-01-01 00:00:00", "2026-12-31"},
		{"2026-08-01T23:15:00+05:30", "2026-08-01 14:00:00", "2026-08-01 15:00:00", "2026-08-01"},
		{"1969-12-31T23:30:00Z", "1969-12-31 20:00:00", "", "1969-12-31"}, // the next is the zero Hour
	} {
		at := instant(t, test.at)
		if got := libraries.HourOf(at).String(); got != test.of {
			t.Errorf("HourOf(%s) = %s, want %s", test.at, got, test.of)
		}
		if got := libraries.NextHour(at).String(); got != test.next {
			t.Errorf("NextHour(%s) = %s, want %s", test.at, got, test.next)
		}
		if got := libraries.HourOf(at).Day(); got != calendar.MustParse(test.day) {
			t.Errorf("HourOf(%s).Day() = %s, want %s", test.at, got, test.day)
		}
	}
	if got := libraries.Hour(0).String(); got != "" {
		t.Errorf("the zero Hour = %q, want nothing", got)
	}
}

// TestHourProperties checks that every instant is in its hour and before the next, and that the hour of an hour is itself.
func TestHourProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-4e9, 8e9).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond"))
		h, next := libraries.HourOf(at), libraries.NextHour(at)
		if at.Before(h.Time()) || !at.Before(next.Time()) || next.Time().Sub(h.Time()) != time.Hour {
			t.Errorf("%v is not between %v and %v", at, h.Time(), next.Time())
		}
		if got := libraries.HourOf(h.Time()); got != h {
			t.Errorf("HourOf(%v) = %v, want itself", h, got)
		}
	})
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ at, want string }{
		{"2026-08-01T17:05:09Z", "2026-08-01 14:05:09"},
		{"2026-08-01T17:05:09.999999Z", "2026-08-01 14:05:09"},
		{"2026-08-01T02:59:59Z", "2026-07-31 23:59:59"},
		{"2026-08-01T03:00:00+02:00", "2026-07-31 22:00:00"},
		{"2026-01-15T12:00:00-02:00", "2026-01-15 11:00:00"}, // no daylight saving
	} {
		at := instant(t, test.at)
		if got := libraries.FormatTime(at); got != test.want {
			t.Errorf("FormatTime(%s) = %s, want %s", test.at, got, test.want)
		}
	}
}
