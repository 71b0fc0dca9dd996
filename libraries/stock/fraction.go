package stock

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// Fraction is a share in ten-thousandths. All is 10,000, and a share may be more than all.
type Fraction int64

// Ratio returns part / all, rounded once to four decimals, half away from zero. It is 0 if part or all is 0 or less
// (L9), and the largest Fraction if the exact one is larger.
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

// String returns the fraction with four decimals, as an answer shows it: 0.2500.
func (f Fraction) String() string { return decimal.Fixed(int64(f), 4) }

// MarshalJSON returns the number that String shows. It implements [json.Marshaler].
func (f Fraction) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// ErrMoney is the error of [ParseMoney].
var ErrMoney = errors.New("must be an amount of money from 0 to 90071992547409.91")

// Money is an amount in cents of a real.
type Money int64

// maxMoney is the largest amount in cents: JSON clients keep it exactly.
const maxMoney = 1<<53 - 1

// ParseMoney parses an amount in reais, a JSON number (see package decimal). It rounds to cents, half away from zero.
// The error is [ErrMoney] for any other text, for a number below 0, and for one that rounds to more than
// 90,071,992,547,409.91.
func ParseMoney[T ~string | ~[]byte](text T) (Money, error) {
	n, ok := decimal.Parse(text, 2, maxMoney)
	if n.Half {
		n.Units++
	}
	if !ok || n.Negative || n.Over || n.Units > maxMoney {
		return 0, fmt.Errorf("%.40q: %w", text, ErrMoney)
	}
	return Money(n.Units), nil
}

// price is ParseMoney without the value in its error: a feed's errors show the value already.
func price(text []byte) (Money, error) {
	m, err := ParseMoney(text)
	if err != nil {
		return 0, ErrMoney
	}
	return m, nil
}

// String returns the amount as an answer shows it (L18): 12.50, and 0 if it is zero.
func (m Money) String() string {
	if m == 0 {
		return "0"
	}
	return decimal.Fixed(int64(m), 2)
}

// MarshalText returns String: amounts are texts in JSON. It implements [encoding.TextMarshaler].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
