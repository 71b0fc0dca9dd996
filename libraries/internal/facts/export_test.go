package facts

import (
	"slices"

	"github.com/lectern-dev/lectern/reading/packed"
)

// DecodeDayDeltas unpacks what AppendDayDelta appended, one after the other. Of b it keeps nothing. The error is
// [packed.ErrCorrupt].
func DecodeDayDeltas(b []byte) ([]DayDelta, error) {
	var deltas []DayDelta
	r := packed.Bare(b)
	for r.Len() > 0 && !r.Bad() {
		if deltas = append(deltas, ReadDayDelta(&r)); len(deltas) == 64 { // their size tells about how many there are
			deltas = slices.Grow(deltas, len(deltas)*r.Len()/(len(b)-r.Len()))
		}
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	return deltas, nil
}

// Len returns the number of events.
func (s *EventSet) Len() int { return len(s.ids) + len(s.recent) }
