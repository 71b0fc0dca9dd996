package reading_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading"
)

func TestDayMinutes(t *testing.T) {
	for _, test := range []struct {
		rule string
		ms   []int64
		want []reading.Minutes
	}{
		{"no book", nil, nil},
		{"no time", []int64{0}, []reading.Minutes{0}},
		{"a tenth is 6,000 ms", []int64{6_000}, []reading.Minutes{1}},
		{"just below 2 tenths rounds up", []int64{11_999}, []reading.Minutes{2}},
		{"half a tenth rounds up", []int64{3_000}, []reading.Minutes{1}},
		{"less than half a tenth rounds down", []int64{2_999}, []reading.Minutes{0}},
		{"one and a half rounds up", []int64{9_000}, []reading.Minutes{2}},
		{"less than one and a half rounds down", []int64{8_999}, []reading.Minutes{1}},
		{"the day is rounded, not the books", []int64{2_000, 2_000}, []reading.Minutes{1, 0}},
		{"the day is rounded, not the books", []int64{3_000, 3_000}, []reading.Minutes{1, 0}},
		{"the day is rounded, not the books", []int64{5_000, 5_000, 5_000}, []reading.Minutes{1, 1, 1}},
		{"the largest remainder first", []int64{1_000, 2_001, 2_000}, []reading.Minutes{0, 1, 0}},
		{"the remainder counts, not the time", []int64{60_000, 3_000}, []reading.Minutes{10, 1}},
		{"a tie goes to the lower id", []int64{1_500, 7_500}, []reading.Minutes{1, 1}},
		{"a tie of three", []int64{8_000, 2_000, 2_000}, []reading.Minutes{2, 0, 0}},
		{"two tenths for a tie of three", []int64{4_000, 4_000, 4_000}, []reading.Minutes{1, 1, 0}},
		{"a book of a full tenth gets no more", []int64{6_000, 2_999, 1}, []reading.Minutes{1, 1, 0}},
		{"just below half a tenth together", []int64{6_000, 2_998, 1}, []reading.Minutes{1, 0, 0}},
		{"the example of the package", []int64{1_103_000, 65_000}, []reading.Minutes{184, 11}},
		{"no overflow", []int64{1<<63 - 1, 1<<63 - 1}, []reading.Minutes{1_537_228_672_809_130, 1_537_228_672_809_129}}, // 1,807 ms remain of each
	} {
		if got := reading.DayMinutes(test.ms); !slices.Equal(got, test.want) {
			t.Errorf("%s: DayMinutes(%v) = %v, want %v", test.rule, test.ms, got, test.want)
		}
	}
}

func TestAppendDayMinutes(t *testing.T) {
	dst := make([]reading.Minutes, 1, 4)
	dst[0] = 7
	got := reading.AppendDayMinutes(dst, []int64{3_000, 9_000})
	if want := []reading.Minutes{7, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("AppendDayMinutes([7], [3000 9000]) = %v, want %v", got, want)
	}
	ms := []int64{5_000, 4_000, 3_000, 2_000}
	if n := testing.AllocsPerRun(100, func() { dst = reading.AppendDayMinutes(dst[:0], ms) }); n != 0 {
		t.Errorf("AppendDayMinutes allocates %v times, want 0", n)
	}
}

// TestShow tests the text and the JSON of minutes and percentages, which answers contain.
func TestShow(t *testing.T) {
	for shown, want := range map[fmt.Stringer]string{
		reading.Minutes(0): "0.0", reading.Minutes(9): "0.9", reading.Minutes(10): "1.0", reading.Minutes(184): "18.4",
		reading.Minutes(1<<63 - 1): "922337203685477580.7",
		reading.Percent(0):         "0.00", reading.Percent(7): "0.07", reading.Percent(60_00): "60.00", reading.Percent(100_00): "100.00",
	} {
		if text, err := json.Marshal(shown); shown.String() != want || string(text) != want || err != nil {
			t.Errorf("%T: String = %v, Marshal = %s, %v, want %s", shown, shown, text, err, want)
		}
	}
}
