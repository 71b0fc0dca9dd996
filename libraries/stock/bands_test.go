package stock_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries/stock"
)

func TestBandOf(t *testing.T) {
	for _, test := range []struct {
		rule               string
		readings, possible int64
		want               string
	}{
		{"no reading", 0, 100, "0"},
		{"no capacity", 5, 0, "0"},
		{"neither", 0, 0, "0"},
		{"below 1 percent", 1, 1_000_000, "1-10"},
		{"1 percent", 1, 100, "1-10"},
		{"10 percent", 10, 100, "1-10"},
		{"just above 10 percent", 10_001, 100_000, "11-20"},
		{"above 10 percent by less than the ratio shown", 1_000_001, 10_000_000, "11-20"},
		{"a ninth: just above 11 percent", 1, 9, "11-20"},
		{"11 percent", 11, 100, "11-20"},
		{"20 percent", 20, 100, "11-20"},
		{"just above 20 percent", 201, 1000, "21-30"},
		{"30 percent", 30, 100, "21-30"},
		{"31 percent", 31, 100, "31-40"},
		{"40 percent", 40, 100, "31-40"},
		{"41 percent", 41, 100, "41-50"},
		{"50 percent", 13, 26, "41-50"},
		{"above 50 percent", 14, 26, "51-60"},
		{"60 percent", 60, 100, "51-60"},
		{"61 percent", 61, 100, "61-70"},
		{"70 percent", 70, 100, "61-70"},
		{"71 percent", 71, 100, "71-80"},
		{"80 percent", 80, 100, "71-80"},
		{"81 percent", 81, 100, "81-90"},
		{"90 percent", 90, 100, "81-90"},
		{"91 percent", 91, 100, "91-100"},
		{"100 percent", 26, 26, "91-100"},
		{"just above 100 percent", 100_000_001, 100_000_000, "101+"},
		{"101 percent", 101, 100, "101+"},
		{"far above", math.MaxInt64, 1, "101+"},
		{"large numbers", math.MaxInt64 / 10, math.MaxInt64, "1-10"},
		{"large numbers", math.MaxInt64/10 + 1, math.MaxInt64, "11-20"},
		{"large numbers", math.MaxInt64, math.MaxInt64, "91-100"},
	} {
		if got := stock.BandOf(test.readings, test.possible).String(); got != test.want {
			t.Errorf("%s: BandOf(%d, %d) = %s, want %s", test.rule, test.readings, test.possible, got, test.want)
		}
	}
}

func TestBandNames(t *testing.T) {
	var names []string
	for b := range stock.Band(stock.Bands) {
		names = append(names, b.String())
	}
	want := []string{"0", "1-10", "11-20", "21-30", "31-40", "41-50", "51-60", "61-70", "71-80", "81-90", "91-100", "101+"}
	if !slices.Equal(names, want) {
		t.Errorf("bands = %q, want %q", names, want)
	}
	if got := stock.Band(12).String(); got != "band 12" {
		t.Errorf("Band(12) = %q, want band 12", got)
	}
}
