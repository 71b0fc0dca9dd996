package facts

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestLongVarint has the smallest and the largest number of each length, and compares the shortest form alone with what
// is made longer, cut, or too large.
func TestLongVarint(t *testing.T) {
	for bit := 7; bit < 64; bit++ {
		for _, v := range []uint64{1 << bit, 1<<bit + 1, 1<<bit - 1 | 1<<bit} {
			b := binary.AppendUvarint([]byte{9}, v)
			if got, next := longVarint(append(b, 0x85), 2); got != v || next != len(b) {
				t.Errorf("longVarint of %d = %d, which ends at %d, want %d at %d", v, got, next, v, len(b))
			}
			b[len(b)-1] |= 0x80
			if got, next := longVarint(append(b, 0), 2); got != notVarint || next != len(b)+1 {
				t.Errorf("longVarint of %d with a zero byte more = %d at %d, want none", v, got, next)
			}
			if got, _ := longVarint(b, 2); got != notVarint {
				t.Errorf("longVarint of %d without its last byte = %d, want none", v, got)
			}
		}
	}
	for _, b := range [][]byte{{0x80, 0}, {0xff}, bytes.Repeat([]byte{0xff}, 11), append(bytes.Repeat([]byte{0xff}, 9), 2)} {
		if got, next := longVarint(b, 1); got != notVarint || next != len(b) {
			t.Errorf("longVarint of %x = %d at %d, want none", b, got, next)
		}
	}
}

// TestDates has the days at both ends, and what lies behind them.
func TestDates(t *testing.T) {
	for _, day := range []calendar.Date{math.MinInt32, -1, 0, libraries.HistoryStart - 1, libraries.HistoryStart, math.MaxInt32} {
		d := packed.Bare(AppendDate(nil, day))
		if got := ReadDate(&d); got != day || d.End() != nil {
			t.Errorf("day %d read back: %d, %v", day, got, d.End())
		}
	}
	for _, v := range []int64{math.MinInt32 - int64(libraries.HistoryStart) - 1, math.MaxInt32 - int64(libraries.HistoryStart) + 1, math.MinInt64, math.MaxInt64} {
		d := packed.Bare(binary.AppendVarint(nil, v))
		if got := ReadDate(&d); d.End() == nil {
			t.Errorf("a day %d days from the history start = %d, want it corrupt", v, got)
		}
	}
}
