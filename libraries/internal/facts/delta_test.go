package facts_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// someDeltas returns an ordinary day of a reader, a correction, an empty delta, and one with the largest numbers.
func someDeltas() []facts.DayDelta {
	ordinary := facts.DayDelta{Day: libraries.HistoryStart, Reader: 5, Presence: libraries.Presence{Events: 3, First: 0, Last: 86_399}, Previews: 2}
	ordinary.Books = []facts.BookDelta{{Book: 0, Read: true}, {Book: 9, Read: true}, {Book: 300}}
	ordinary.Books[1].Measures[metric.ReadingSeconds] = 86_400
	ordinary.Books[2].Measures[metric.ConvertedThatDay] = 1
	ordinary.Totals.OnlineSessions, ordinary.Totals.ReservationsByStatus[libraries.Lost] = 1, 1
	correction := facts.DayDelta{Day: -1, Returned: []int32{7, 86_399}, Unreturned: []int32{0}, Previews: math.MinInt64}
	correction.Totals = someTotals().Counts
	correction.Totals.Lost = -1
	large := facts.DayDelta{Day: math.MaxInt32, Reader: math.MaxInt64, Presence: libraries.Presence{Events: math.MaxInt32}}
	large.Books = []facts.BookDelta{{Book: math.MaxInt64}}
	for m := range large.Books[0].Measures {
		large.Books[0].Measures[m] = math.MaxInt64 - int64(m)
	}
	return []facts.DayDelta{ordinary, correction, {Day: math.MinInt32}, large}
}

// TestSpilledDelta tests that a delta is read as it was appended, and that one that is cut short is corrupt.
func TestSpilledDelta(t *testing.T) {
	for _, want := range someDeltas() {
		b := facts.AppendDayDelta(nil, &want)
		for n := range len(b) + 1 {
			d := packed.Bare(b[:n])
			got := facts.ReadDayDelta(want.Day, &d)
			if err := d.End(); n < len(b) && !errors.Is(err, packed.ErrCorrupt) || n == len(b) && (err != nil || !reflect.DeepEqual(got, want)) {
				t.Errorf("%d bytes of %d: %+v, %v, want %+v", n, len(b), got, err, want)
			}
		}
	}
}
