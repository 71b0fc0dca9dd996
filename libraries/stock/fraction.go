package stock

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// Fraction is a share in ten-thousandths, where 10,000 is all of it. It may be more.
type Fraction int64

// Ratio returns part / all, rounded once, half away from zero, to four decimals. It is 0 where all or part is not above
// 0 (L9), and the largest Fraction where the true one is larger.
func Ratio(part, all int64) Fraction {
	if part <= 0 || all <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(part), 10_000)
	lo, carry := bits.Add64(lo, uint64(all)/2, 0)
	hi += carry
	if hi >= uint64(all) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(all))
	return Fraction(min(q, math.MaxInt64))
}

// String returns the fraction as an answer shows it, with four decimals: 0.2500.
func (f Fraction) String() string { return decimal.Fixed(int64(f), 4) }

// MarshalJSON returns the number that String shows. It implements [json.Marshaler].
func (f Fraction) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// ErrMoney is the error of [ParseMoney].
var ErrMoney = errors.New("must be an amount of money from 0 to 90071992547409.91")

// Money is an amount in cents of a real.
type Money int64

// moneyMost is the largest amount that is taken, in cents: a number that JSON clients keep exactly.
const moneyMost = 1<<53 - 1

// ParseMoney returns the amount that a number of the JSON grammar (see package decimal) gives in reais, rounded half away
// from zero to cents. The error is [ErrMoney] for any other text, a number below 0, and one that is rounded to more than
// 90,071,992,547,409.91.
func ParseMoney[T ~string | ~[]byte](text T) (Money, error) {
	n, ok := decimal.Parse(text, 2, moneyMost)
	if n.Half {
		n.Units++
	}
	if !ok || n.Negative || n.Over || n.Units > moneyMost {
		return 0, fmt.Errorf("%.40q: %w", text, ErrMoney)
	}
	return Money(n.Units), nil
}

// String returns the amount as an answer shows it (L18): 12.50, and 0 where it is zero.
func (m Money) String() string {
	if m == 0 {
		return "0"
	}
	return decimal.Fixed(int64(m), 2)
}

// MarshalText returns what String does: amounts are texts in JSON. It implements [encoding.TextMarshaler].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
