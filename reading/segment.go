package reading

import "time"

// The bounds of effective reading (S2), which are effective themselves.
const (
	slowestEffective = 5     // words per minute
	fastestEffective = 800   // words per minute
	shortestUnpaced  = 3_000 // milliseconds, without a recorded speed
)

// Segment is one uninterrupted piece of reading, as it was recorded.
type Segment struct {
	Start      time.Time // it belongs to the day on which it starts (S2)
	DurationMS int64     // milliseconds
	From, To   int64     // what was read, up to but not including To, in the book's unit of length
	Speed      Speed     // zero if none was recorded
}

// Effective reports whether the segment counts in time and percentage: see the function [Effective].
func (s Segment) Effective() bool { return Effective(s.Speed, s.DurationMS) }

// Effective reports whether a segment with this speed and duration is effective reading (S2): from 5 to 800 words per
// minute, both included, whatever its duration; or, without a recorded speed, from 3,000 milliseconds on. A negative
// duration is never effective.
func Effective(speed Speed, durationMS int64) bool {
	if speed.Recorded() {
		return speed.effective() && durationMS >= 0
	}
	return durationMS >= shortestUnpaced
}
