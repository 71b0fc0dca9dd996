package reading

import (
	"errors"
	"strings"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// The errors of [ParseSpeed].
var (
	// ErrSpeed says that a text is no number.
	ErrSpeed = errors.New("must be a number")
	// ErrNegativeSpeed says that a number is below 0.
	ErrNegativeSpeed = errors.New("must not be negative")
)

// Speed is a reading speed in words per minute, or that none was recorded, which is the zero Speed. A recorded 0 is a
// recorded speed (S2).
//
// A Speed keeps six decimals, and whether anything remains after them: so it can be compared exactly with any number of
// at most six decimals, 5 and 800 among them, although 4.9999999999 and 4.9999998 have become one Speed.
type Speed struct {
	// code is 0 for no recorded speed. A recorded x is 1 + 2*floor(x * 1,000,000), plus 1 if x has more decimals.
	code int64
}

const (
	speedDecimals = 6
	millionths    = 1_000_000
	// fastest is the largest number of millionths kept; all faster speeds are equal.
	fastest = 400_000_000_000 * millionths
)

// WordsPerMinute returns the recorded speed of n words per minute; a negative n counts as 0.
func WordsPerMinute(n int64) Speed {
	return speedOf(min(max(n, 0), fastest/millionths)*millionths, false)
}

func speedOf(millionths int64, more bool) Speed {
	s := Speed{1 + 2*millionths}
	if more {
		s.code++
	}
	return s
}

// String returns the speed in words per minute with the decimals that are kept, 62.5, followed by … where there were more; it
// is "none" where no speed was recorded.
func (s Speed) String() string {
	if !s.Recorded() {
		return "none"
	}
	text := decimal.Fixed((s.code-1)/2, speedDecimals)
	if s.code%2 == 0 {
		return text + "…"
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Recorded reports whether s is a recorded speed.
func (s Speed) Recorded() bool { return s.code != 0 }

// effective reports whether a recorded speed is from 5 to 800 words per minute, both included (S2).
func (s Speed) effective() bool {
	return WordsPerMinute(slowestEffective).code <= s.code && s.code <= WordsPerMinute(fastestEffective).code
}

// ParseSpeed returns the recorded speed that a number of the JSON grammar (see package decimal) gives in words per minute:
// 250, 62.5, 8e2. It is exact as [Speed] is, up to 400,000,000,000 words per minute; all above are the same. -0 is 0. The
// error is [ErrNegativeSpeed] or [ErrSpeed]. A null is no number: the speed that was not recorded is Speed{}.
func ParseSpeed[T ~string | ~[]byte](text T) (Speed, error) {
	n, ok := decimal.Parse(text, speedDecimals, fastest)
	switch {
	case !ok:
		return Speed{}, ErrSpeed
	case n.Negative:
		return Speed{}, ErrNegativeSpeed
	}
	return speedOf(n.Units, n.More && n.Units < fastest), nil
}
