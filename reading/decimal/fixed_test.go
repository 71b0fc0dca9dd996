package decimal_test

import (
	"math"
	"testing"

	"github.com/lectern-dev/lectern/reading/decimal"
)

func TestFixed(t *testing.T) {
	for _, tt := range []struct {
		units  int64
		places int
		want   string
	}{
		{-5, 2, "-0.05"}, {0, 1, "0.0"}, {1, 1, "0.1"}, {-1, 4, "-0.0001"}, {12_345, 2, "123.45"}, {100, 2, "1.00"}, {907, 3, "0.907"},
		{math.MaxInt64, 18, "9.223372036854775807"}, {math.MinInt64, 3, "-9223372036854775.808"},
	} {
		if got := decimal.Fixed(tt.units, tt.places); got != tt.want {
			t.Errorf("Fixed(%d, %d) = %q, want %q", tt.units, tt.places, got, tt.want)
		}
		if got := string(decimal.AppendFixed([]byte("x"), tt.units, tt.places)); got != "x"+tt.want {
			t.Errorf("AppendFixed(x, %d, %d) = %q, want the text of Fixed after the x", tt.units, tt.places, got)
		}
	}
}

// TestBounds tests texts at the bounds of the rules, which random numbers rarely hit.
func TestBounds(t *testing.T) {
	for _, text := range []string{
		"1", "-1", "-0.0001", "0.4", "0.5", "0.04", "0.05", "2.4999", "2.5", "9", "10", "99", "0", "00", "01", "/", ":", "1/", "1:", "1e/", "1e:", "1.:", "1./",
		"1d5", "1D5", "1e5", "1E5", "1F5", "1f5", "1%5", "1-5", "7.", "7.e1", "-", "--1", "-01", "1e1", "1e+1", "1e-1", "1e,1", "1e",
	} {
		for places := range 4 {
			same(t, text, places, 1_000_000)
		}
	}
}

// TestMost tests that a larger maximum than Parse allows is lowered to the allowed one.
func TestMost(t *testing.T) {
	const most = 922_337_203_685_477_579
	for text, want := range map[string]decimal.Number{
		"922337203685477579": {Units: most},
		"922337203685477580": {Units: most, Over: true},
		"1e40":               {Units: most, Over: true},
	} {
		if got, ok := decimal.Parse(text, 0, math.MaxInt64); got != want || !ok {
			t.Errorf("Parse(%s) = %+v, %t, want %+v", text, got, ok, want)
		}
	}
}
