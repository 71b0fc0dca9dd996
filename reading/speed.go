package reading

import "errors"

// The errors of [ParseSpeed].
var (
	// ErrSpeed says that a text is no decimal number of at most 64 characters.
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
	// fastest is the largest number of millionths kept; all faster speeds are equal. Ten times it fits in an int64.
	fastest = 400_000_000_000 * millionths

	speedTextLimit    = 64     // characters of a number
	speedExponentMost = 10_000 // any larger exponent gives 0 or the fastest speed as well
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

// Recorded reports whether s is a recorded speed.
func (s Speed) Recorded() bool { return s.code != 0 }

// effective reports whether a recorded speed is from 5 to 800 words per minute, both included (S2).
func (s Speed) effective() bool {
	return WordsPerMinute(slowestEffective).code <= s.code && s.code <= WordsPerMinute(fastestEffective).code
}

// ParseSpeed returns the recorded speed that a number of the JSON grammar gives in words per minute: 250, 62.5, 8e2. It
// is exact as [Speed] is, up to 400,000,000,000 words per minute; all above are the same. -0 is 0. The error is [ErrNegativeSpeed] or [ErrSpeed]. A null is no number: the speed that was not recorded is Speed{}.
func ParseSpeed[T ~string | ~[]byte](text T) (Speed, error) {
	n, ok := scanNumber(text)
	if !ok {
		return Speed{}, ErrSpeed
	}
	// The number is 0.DIGITS * 10^point, and its millionths are what is before the point if that moves on by six.
	point := n.wholeDigits + n.exponent + speedDecimals
	value, more, place := int64(0), false, 0
	for i := n.start; i < n.end; i++ {
		c := text[i]
		if c == '.' {
			continue
		}
		if place < point {
			value = min(10*value+int64(c-'0'), fastest)
		} else {
			more = more || c != '0'
		}
		place++
	}
	for ; place < point && value > 0 && value < fastest; place++ {
		value = min(10*value, fastest)
	}
	if n.negative && (value > 0 || more) {
		return Speed{}, ErrNegativeSpeed
	}
	return speedOf(value, more && value < fastest), nil
}

// scanned says where the parts of a number are in its text.
type scanned struct {
	negative    bool
	start, end  int // the digits, with or without a point among them
	wholeDigits int // those before the point
	exponent    int // cut to speedExponentMost on both sides
}

// scanNumber finds the parts of a JSON number, or returns false where text is none.
func scanNumber[T ~string | ~[]byte](text T) (n scanned, ok bool) {
	if len(text) == 0 || len(text) > speedTextLimit {
		return n, false
	}
	if text[0] == '-' {
		n.negative, n.start = true, 1
	}
	n.end = skipDigits(text, n.start)
	n.wholeDigits = n.end - n.start
	if n.wholeDigits == 0 || n.wholeDigits > 1 && text[n.start] == '0' {
		return n, false
	}
	if n.end < len(text) && text[n.end] == '.' {
		point := n.end
		if n.end = skipDigits(text, point+1); n.end == point+1 {
			return n, false
		}
	}
	n.exponent, ok = scanExponent(text, n.end)
	return n, ok
}

// scanExponent reads the exponent that is the rest of text from i on; without one it is 0.
func scanExponent[T ~string | ~[]byte](text T, i int) (exponent int, ok bool) {
	if i == len(text) {
		return 0, true
	}
	if text[i] != 'e' && text[i] != 'E' {
		return 0, false
	}
	i++
	sign := 1
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		if text[i] == '-' {
			sign = -1
		}
		i++
	}
	if i == len(text) || skipDigits(text, i) != len(text) {
		return 0, false
	}
	for ; i < len(text); i++ {
		exponent = min(10*exponent+int(text[i]-'0'), speedExponentMost)
	}
	return sign * exponent, true
}

// skipDigits returns the place of the first byte from i on that is no digit.
func skipDigits[T ~string | ~[]byte](text T, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}
