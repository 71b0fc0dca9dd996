package libraries

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// ErrProgress is the error of [ParseProgress].
var ErrProgress = errors.New("must be a number from 0 to 100")

// Progress is a share of a title in thousandths of a percent, from 0 to 100,000. Further digits are cut off. So it
// compares exactly with every whole percent, and rounds to two decimals as the full number does: 9.9999 has not reached
// 10, although it shows as 10.00.
type Progress int32

// The shares at which a reading is counted (L4).
const (
	Reading10 Progress = 10_000 // the reader has begun: a confirmed reading
	Reading50 Progress = 50_000 // the book counts as finished

	MaxProgress Progress = 100_000
)

// ParseProgress parses a share in percent, a JSON number (see package decimal): 50, 9.9999, 5e-05. The error is
// [ErrProgress] for any other text, and for a number below 0 or above 100.
func ParseProgress[T ~string | ~[]byte](text T) (Progress, error) {
	n, ok := decimal.Parse(text, 3, int64(MaxProgress))
	if !ok || n.Negative || n.Over || n.Units == int64(MaxProgress) && n.More {
		return 0, fmt.Errorf("%.40q: %w", text, ErrProgress)
	}
	return Progress(n.Units), nil
}

// Hundredths returns the share in hundredths of a percent, rounded half away from zero, as an answer shows it.
func (p Progress) Hundredths() int64 { return (int64(p) + 5) / 10 }

// String returns the share as an answer shows it, in percent with two decimals: 99.32.
func (p Progress) String() string { return decimal.Fixed(p.Hundredths(), 2) }

// MarshalJSON returns the number that String shows. It implements [json.Marshaler].
func (p Progress) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// Pair has what the sessions of one reader tell about one title. The zero Pair has no session. The order in which
// sessions are added does not matter.
type Pair struct {
	Seconds int64    // read or listened, as recorded (L5)
	Highest Progress // the highest share that any session reached
	// Days are the days with a session, ascending, each once. Day10 and Day50 are the days on which the highest share
	// first reached 10 and 50. They are 0 before; use [Pair.Reached], since 0 is also the day 1970-01-01.
	Days         []calendar.Date
	Day10, Day50 calendar.Date
}

// NewPair returns the pair of one session: the day of its start, its seconds, and the share at its end.
func NewPair(day calendar.Date, seconds int64, progress Progress) Pair {
	p := Pair{Seconds: seconds, Highest: progress, Days: []calendar.Date{day}}
	if progress >= Reading10 {
		p.Day10 = day
	}
	if progress >= Reading50 {
		p.Day50 = day
	}
	return p
}

// Merge adds the sessions of q, which must be other sessions of the same reader and title. It shares no memory with q.
func (p *Pair) Merge(q Pair) {
	p.Day10 = earlier(*p, q, Reading10)
	p.Day50 = earlier(*p, q, Reading50)
	p.Seconds += q.Seconds
	p.Highest = max(p.Highest, q.Highest)
	for _, day := range q.Days {
		if i, found := slices.BinarySearch(p.Days, day); !found {
			p.Days = slices.Insert(p.Days, i, day)
		}
	}
}

// earlier returns the earlier of the days on which p and q reached a share, or 0 if neither has.
func earlier(p, q Pair, share Progress) calendar.Date {
	a, okA := p.Reached(share)
	b, okB := q.Reached(share)
	switch {
	case okA && okB:
		return min(a, b)
	case okA:
		return a
	}
	return b
}

// Reached returns the day on which the pair counts in readings10 or readings50 (L4): when the highest share first reached
// Reading10 or Reading50. It returns false if it has not, and for any other share.
func (p Pair) Reached(share Progress) (calendar.Date, bool) {
	switch {
	case share == Reading10 && p.Highest >= share:
		return p.Day10, true
	case share == Reading50 && p.Highest >= share:
		return p.Day50, true
	}
	return 0, false
}

// Confirms reports whether the sessions confirm a loan of the title by the reader: one is on a day of the loan, given as
// [Loan.Days] (L7).
func (p Pair) Confirms(loan calendar.Period) bool {
	i, _ := slices.BinarySearch(p.Days, loan.Start)
	return i < len(p.Days) && p.Days[i] <= loan.End
}

// StockReading reports whether the pair is a reading that the title's stock serves: the share has reached 10, and the
// reader has had at least one loan of the title (L9).
func (p Pair) StockReading(loans int64) bool { return p.Highest >= Reading10 && loans > 0 }
