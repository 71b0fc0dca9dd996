package libraries_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func TestParseProgress(t *testing.T) {
	for _, test := range []struct {
		in    string
		want  libraries.Progress
		shown string
	}{
		{"0", 0, "0.00"},
		{"-0", 0, "0.00"},
		{"-0.0e5", 0, "0.00"},
		{"10", libraries.Reading10, "10.00"},
		{"10.000", libraries.Reading10, "10.00"},
		{"1e1", libraries.Reading10, "10.00"},
		{"1000E-2", libraries.Reading10, "10.00"},
		{"0.1e+2", libraries.Reading10, "10.00"},
		{"9.9999", 9_999, "10.00"},
		{"9.99999999999999999999999999999999", 9_999, "10.00"},
		{"10.0000000000000000000000000000001", libraries.Reading10, "10.00"},
		{"49.995", 49_995, "50.00"},
		{"49.9949", 49_994, "49.99"},
		{"50", libraries.Reading50, "50.00"},
		{"99.32", 99_320, "99.32"},
		{"0.005", 5, "0.01"},
		{"0.0049999", 4, "0.00"},
		{"5e-05", 0, "0.00"},
		{"5e-3", 5, "0.01"},
		{"1e-9999999999999999999", 0, "0.00"},
		{"0e9999999999999999999", 0, "0.00"},
		{"100", 100_000, "100.00"},
		{"99.9999", 99_999, "100.00"},
		{"100.000", 100_000, "100.00"},
		{"10." + strings.Repeat("0", 120), libraries.Reading10, "10.00"},
	} {
		got, err := libraries.ParseProgress(test.in)
		text, _ := json.Marshal(got)
		if got != test.want || err != nil || got.String() != test.shown || string(text) != test.shown {
			t.Errorf("ParseProgress(%q) = %d, %v, shown %s, want %d, shown %s", test.in, got, err, got, test.want, test.shown)
		}
	}
	for _, in := range []string{
		"", " ", "-", "ten", "10 ", "+10", "10,5", ".5", "5.", "05", "1e", "1e+", "1e1.5", "0x10", "1_0", "--1", "NaN",
		"-0.0001", "-1e-99", "100.0000001", "101", "1e3", "1e9999999999999999999", strings.Repeat("0", 65), "100." + strings.Repeat("0", 120) + "1",
	} {
		if got, err := libraries.ParseProgress(in); !errors.Is(err, libraries.ErrProgress) || got != 0 {
			t.Errorf("ParseProgress(%q) = %d, %v, want ErrProgress", in, got, err)
		}
	}
}

type session struct {
	day      calendar.Date
	seconds  int64
	progress libraries.Progress
}

func TestPair(t *testing.T) {
	day := func(n int) calendar.Date { return calendar.Of(2026, 8, n) }
	for _, test := range []struct {
		rule         string
		sessions     []session
		day10, day50 int // of August, 0 for none
		highest      libraries.Progress
	}{
		{"no session", nil, 0, 0, 0},
		{"just below 10", []session{{day(3), 60, 9_999}}, 0, 0, 9_999},
		{"10", []session{{day(3), 60, 10_000}}, 3, 0, 10_000},
		{"just below 50", []session{{day(3), 60, 49_999}}, 3, 0, 49_999},
		{"50 at once", []session{{day(3), 60, 50_000}}, 3, 3, 50_000},
		{"one after the other", []session{{day(3), 60, 20_000}, {day(5), 60, 60_000}}, 3, 5, 60_000},
		{"never twice", []session{{day(3), 60, 20_000}, {day(5), 60, 5_000}, {day(7), 60, 20_000}}, 3, 0, 20_000},
		{"late sessions move the day back", []session{{day(5), 60, 60_000}, {day(3), 60, 20_000}}, 3, 5, 60_000},
		{"a higher share on a later day changes nothing", []session{{day(3), 60, 50_000}, {day(4), 60, 99_000}}, 3, 3, 99_000},
		{"twice on a day", []session{{day(3), 60, 5_000}, {day(3), 60, 20_000}}, 3, 0, 20_000},
		{"a day before 1970", []session{{-5, 60, 50_000}, {day(4), 60, 50_000}}, -1, -1, 50_000},
	} {
		var p, back libraries.Pair
		for i, s := range test.sessions {
			p.Merge(libraries.NewPair(s.day, s.seconds, s.progress))
			last := test.sessions[len(test.sessions)-1-i]
			back.Merge(libraries.NewPair(last.day, last.seconds, last.progress))
		}
		if !reflect.DeepEqual(p, back) || len(slices.Compact(slices.Clone(p.Days))) != len(p.Days) {
			t.Errorf("%s: %+v, merged in the opposite order %+v, want the same pair with each day once", test.rule, p, back)
		}
		check := func(share libraries.Progress, want int) {
			got, ok := p.Reached(share)
			wantDay := day(want)
			if want == -1 {
				wantDay = -5
			}
			if ok != (want != 0) || ok && got != wantDay {
				t.Errorf("%s: Reached(%s) = %v, %v, want %d August", test.rule, share, got, ok, want)
			}
		}
		check(libraries.Reading10, test.day10)
		check(libraries.Reading50, test.day50)
		if p.Highest != test.highest || p.Seconds != int64(60*len(test.sessions)) {
			t.Errorf("%s: %+v, want highest %s", test.rule, p, test.highest)
		}
	}
	if _, ok := libraries.NewPair(day(1), 60, 90_000).Reached(20_000); ok {
		t.Error("Reached(20 percent) = true, want false: only 10 and 50 percent are counted")
	}
}

func TestStockReading(t *testing.T) {
	for _, test := range []struct {
		progress libraries.Progress
		loans    int64
		want     bool
	}{{10_000, 1, true}, {9_999, 1, false}, {10_000, 0, false}, {90_000, 3, true}} {
		if got := libraries.NewPair(20_000, 60, test.progress).StockReading(test.loans); got != test.want {
			t.Errorf("a pair of %s with %d loans: StockReading = %v, want %v", test.progress, test.loans, got, test.want)
		}
	}
	if (libraries.Pair{}).StockReading(1) {
		t.Error("a pair without a session: StockReading = true, want false")
	}
}
