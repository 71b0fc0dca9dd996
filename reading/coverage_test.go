package reading_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading"
)

func TestCoverageAdd(t *testing.T) {
	base := reading.Coverage{{10, 20}, {30, 40}, {50, 60}}
	for _, test := range []struct {
		rule string
		add  reading.Interval
		want reading.Coverage
	}{
		{"after the last", reading.Interval{70, 80}, reading.Coverage{{10, 20}, {30, 40}, {50, 60}, {70, 80}}},
		{"touches the last", reading.Interval{60, 80}, reading.Coverage{{10, 20}, {30, 40}, {50, 80}}},
		{"one unit after the last", reading.Interval{61, 80}, reading.Coverage{{10, 20}, {30, 40}, {50, 60}, {61, 80}}},
		{"inside the last", reading.Interval{52, 55}, base},
		{"the last itself", reading.Interval{50, 60}, base},
		{"before the first", reading.Interval{0, 9}, reading.Coverage{{0, 9}, {10, 20}, {30, 40}, {50, 60}}},
		{"touches the first", reading.Interval{0, 10}, reading.Coverage{{0, 20}, {30, 40}, {50, 60}}},
		{"inside the first", reading.Interval{11, 12}, base},
		{"in a gap", reading.Interval{22, 25}, reading.Coverage{{10, 20}, {22, 25}, {30, 40}, {50, 60}}},
		{"fills a gap", reading.Interval{20, 30}, reading.Coverage{{10, 40}, {50, 60}}},
		{"touches the one before the gap", reading.Interval{20, 29}, reading.Coverage{{10, 29}, {30, 40}, {50, 60}}},
		{"touches the one after the gap", reading.Interval{21, 30}, reading.Coverage{{10, 20}, {21, 40}, {50, 60}}},
		{"bridges all", reading.Interval{15, 55}, reading.Coverage{{10, 60}}},
		{"swallows all", reading.Interval{0, 100}, reading.Coverage{{0, 100}}},
		{"swallows the middle", reading.Interval{25, 45}, reading.Coverage{{10, 20}, {25, 45}, {50, 60}}},
		{"without extent", reading.Interval{25, 25}, base},
		{"reversed", reading.Interval{45, 25}, base},
		{"the largest interval", reading.Interval{math.MinInt64, math.MaxInt64}, reading.Coverage{{math.MinInt64, math.MaxInt64}}},
	} {
		if got := slices.Clone(base).Add(test.add); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v.Add(%v) = %v, want %v", test.rule, base, test.add, got, test.want)
		}
		if got := slices.Clone(base).Union(reading.Coverage{}.Add(test.add)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v.Union(%v) = %v, want %v", test.rule, base, test.add, got, test.want)
		}
	}
}

func TestCoverageWithin(t *testing.T) {
	c := reading.Coverage{{-5, 5}, {10, 20}, {30, 40}}
	for _, test := range []struct{ length, want int64 }{
		{40, 25}, {41, 25}, {39, 24}, {31, 16}, {30, 15}, {29, 15}, {20, 15}, {10, 5}, {5, 5}, {4, 4}, {1, 1}, {0, 0}, {-1, 0},
		{math.MaxInt64, 25}, {math.MinInt64, 0},
	} {
		if got := c.Within(test.length); got != test.want {
			t.Errorf("%v.Within(%d) = %d, want %d", c, test.length, got, test.want)
		}
	}
	all := reading.Coverage{{math.MinInt64, math.MaxInt64}}
	if got := all.Within(math.MaxInt64); got != math.MaxInt64 {
		t.Errorf("%v.Within(MaxInt64) = %d, want MaxInt64", all, got)
	}
}

func TestUnionSharesNothing(t *testing.T) {
	d := reading.Coverage{{1, 2}, {5, 6}}
	for _, c := range []reading.Coverage{nil, {}, {{0, 1}}, {{8, 9}}, {{3, 4}, {8, 9}}} {
		u := c.Union(d)
		u[0].From, u[len(u)-1].To = -1, 100
		if want := (reading.Coverage{{1, 2}, {5, 6}}); !slices.Equal(d, want) {
			t.Errorf("changing the result of %v.Union(d) changed d to %v", c, d)
		}
	}
}
