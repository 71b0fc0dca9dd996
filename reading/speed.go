package reading

import (
	"errors"
	"strings"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// The errors of [ParseSpeed].
var (
	// ErrSpeed says that a text is not a number.
	ErrSpeed = errors.New("must be a number")
	// ErrNegativeSpeed says that a number is negative.
	ErrNegativeSpeed = errors.New("must not be negative")
)

// Speed is a reading speed in words per minute. The zero Speed means that none was recorded, which differs from a
// recorded 0 (S2).
//
// A Speed has six decimals, and whether there are more. So comparing it with a number of at most six decimals, such as
// 5 or 800, is exact, although 4.9999999999 and 4.9999998 are the same Speed.
type Speed struct {
	// code is 0 if no speed was recorded. For a recorded x it is 1 + 2*floor(x * 1,000,000), plus 1 if x has more
	// decimals.
	code int64
}

const (
	speedDecimals = 6
	millionths    = 1_000_000
	// fastest is the largest number of millionths. All faster speeds are equal.
	fastest = 400_000_000_000 * millionths
)

// WordsPerMinute returns the recorded speed of n words per minute. A negative n counts as 0.
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

// String returns the speed in words per minute with up to six decimals, such as 62.5, and … if there are more. It
// returns "none" if no speed was recorded.
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

// Recorded reports whether a speed was recorded.
func (s Speed) Recorded() bool { return s.code != 0 }

// effective reports whether a recorded speed is from 5 to 800 words per minute, both included (S2).
func (s Speed) effective() bool {
	return WordsPerMinute(slowestEffective).code <= s.code && s.code <= WordsPerMinute(fastestEffective).code
}

// ParseSpeed parses a recorded speed in words per minute, a number of the JSON grammar (see package decimal): 250,
// 62.5, 8e2. It is as exact as [Speed]. All speeds from 400,000,000,000 on are equal, and -0 is 0. The error is
// [ErrNegativeSpeed] or [ErrSpeed]. It does not accept null, which is Speed{}.
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
