package reading_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// coverages returns every coverage of the positions 0 to 5. The bits of its index are the covered positions.
func coverages() (all []reading.Coverage) {
	for bits := range 1 << 6 {
		var c reading.Coverage
		for at := range int64(6) {
			if bits&(1<<at) != 0 {
				c = c.Add(reading.Interval{From: at, To: at + 1})
			}
		}
		all = append(all, c)
	}
	return all
}

// TestUnionOfAll tests the union of every two coverages of six positions, which has the bits of both.
func TestUnionOfAll(t *testing.T) {
	all := coverages()
	for i, c := range all {
		for j, d := range all {
			was := slices.Clone(d)
			if got := slices.Clone(c).Union(d); !slices.Equal(got, all[i|j]) || !slices.Equal(d, was) {
				t.Fatalf("%v.Union(%v) = %v, want %v", c, was, got, all[i|j])
			}
		}
	}
}

// TestTotalOfTwoDays totals two days with every pair of coverages of six positions, some of them from the stored form.
// The days may overlap, and the second may be earlier in the book.
func TestTotalOfTwoDays(t *testing.T) {
	all := coverages()
	period := calendar.Period{Start: 1, End: 2}
	var direct, stored reading.Totaller
	for i, c := range all {
		for j, d := range all {
			r := reading.Record{Days: []reading.Day{{Date: 1, Read: true, Coverage: c}, {Date: 2, Read: true, Coverage: d}}}
			want := reading.PercentOf(all[i|j].Within(5), 5)
			if got, ok := direct.Total(r, period, 5); got.Percent != want || !ok {
				t.Fatalf("Total of %v and %v = %v, %t, want %v", c, d, got.Percent, ok, want)
			}
			if (i+j)%16 > 0 { // the stored form takes longer
				continue
			}
			if got, ok, err := stored.TotalBinary(r.AppendBinary(nil), period, 5); got.Percent != want || !ok || err != nil {
				t.Fatalf("TotalBinary of %v and %v = %v, %t, %v, want %v", c, d, got.Percent, ok, err, want)
			}
		}
	}
}

// TestNegativeSpeed tests that a speed below 0 becomes 0.
func TestNegativeSpeed(t *testing.T) {
	for _, n := range []int64{-1, -1 << 63} {
		if reading.WordsPerMinute(n) != reading.WordsPerMinute(0) {
			t.Errorf("WordsPerMinute(%d) is not WordsPerMinute(0)", n)
		}
	}
}
