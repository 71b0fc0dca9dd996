// Package decimal parses numbers of the JSON grammar exactly. It defines the numbers of a feed: a count, a
// duration, a position, a speed, a share or an amount of money, in NDJSON and in CSV.
//
//	n, ok := decimal.Parse("12.345", 2, 1_000_000) // in hundredths: n.Units is 1234, and n.Half and n.More are true
//
// A number may have any length and any exponent: 60000.000…0 and 6e4 are both 60000, however many zeros there are. Parse
// does not round: it tells the caller what it cut off.
//
// It does not accept what the grammar does not have: +1, .5, 5., 007, NaN, Infinity, hexadecimal digits, or blanks
// around a number.
package decimal

import "strconv"

// Number is a number in units of a decimal place.
type Number struct {
	// Negative says that the number is below 0, even by less than a unit. -0 is not negative.
	Negative bool
	// Over says that there are more units than the maximum. Then Units is the maximum, and Half and More mean nothing.
	Over bool
	// Half says that at least half a unit was cut off, and More that anything other than 0 was.
	Half, More bool
	// Units are the whole units, without the sign.
	Units int64
}

// mostUnits is the largest maximum: another digit must still fit into 63 bits.
const mostUnits = (1<<63 - 10) / 10

// Parse parses a number in units of 10^-places, up to most units. ok is false if text is not a number. places is from 0
// to 18, and most from 0 to 922,337,203,685,477,579.
func Parse[T ~string | ~[]byte](text T, places int, most int64) (n Number, ok bool) {
	most = min(most, mostUnits)
	p, ok := split(text)
	if !ok {
		return n, false
	}
	// The number is 0.DIGITS * 10^point of its unit: the first point digits are whole units.
	point, place := p.whole+p.exponent+places, 0
	for i := p.start; i < p.end; i++ {
		c := text[i]
		if c == '.' {
			continue
		}
		switch {
		case place < point:
			n.add(int64(c-'0'), most)
		case c != '0':
			n.Half = n.Half || place == point && c >= '5'
			n.More = true
		}
		place++
	}
	for ; place < point && n.Units > 0 && !n.Over; place++ {
		n.add(0, most)
	}
	n.Negative = p.negative && (n.Units > 0 || n.Over || n.More)
	return n, true
}

// add appends a digit to the units.
func (n *Number) add(digit, most int64) {
	if n.Over {
		return
	}
	if n.Units = 10*n.Units + digit; n.Units > most {
		n.Units, n.Over = most, true
	}
}

// Valid reports whether text is a number.
func Valid[T ~string | ~[]byte](text T) bool {
	_, ok := split(text)
	return ok
}

// Digits reports whether text is a number that consists of digits: 0 or 12, but neither 012 nor 1.0.
func Digits[T ~string | ~[]byte](text T) bool {
	n := skip(text, 0)
	return n == len(text) && n > 0 && (n == 1 || text[0] != '0')
}

// parts are the parts of a number in its text.
type parts struct {
	negative   bool
	start, end int // of the digits, with or without a point among them
	whole      int // number of digits before the point
	exponent   int // limited to what matters beside so many digits
}

// split splits a number. ok is false if text is not a number.
func split[T ~string | ~[]byte](text T) (p parts, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		p.negative, p.start = true, 1
	}
	p.end = skip(text, p.start)
	p.whole = p.end - p.start
	if p.whole == 0 || p.whole > 1 && text[p.start] == '0' {
		return p, false
	}
	if p.end < len(text) && text[p.end] == '.' {
		point := p.end
		if p.end = skip(text, point+1); p.end == point+1 {
			return p, false
		}
	}
	p.exponent, ok = exponent(text, p.end)
	return p, ok
}

// slack is how far an exponent may exceed the number of digits. A larger one yields only zeros, or more units than the
// largest maximum, in every decimal place.
const slack = 64

// exponent parses the rest of text from i on as an exponent. Without one it is 0.
func exponent[T ~string | ~[]byte](text T, i int) (e int, ok bool) {
	if i == len(text) {
		return 0, true
	}
	if text[i]|0x20 != 'e' {
		return 0, false
	}
	i++
	negative := false
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		negative = text[i] == '-'
		i++
	}
	if i == len(text) || skip(text, i) != len(text) {
		return 0, false
	}
	for ; i < len(text); i++ {
		e = min(10*e+int(text[i]-'0'), len(text)+slack)
	}
	if negative {
		e = -e
	}
	return e, true
}

// skip returns the index of the first byte from i on that is not a digit.
func skip[T ~string | ~[]byte](text T, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

// Fixed returns a number of units of 10^-places as a decimal with places digits after the point: Fixed(-5, 2) is -0.05.
// places must be positive.
func Fixed(units int64, places int) string {
	return string(AppendFixed(make([]byte, 0, 24), units, places))
}

// AppendFixed appends the result of Fixed.
func AppendFixed(b []byte, units int64, places int) []byte {
	magnitude := uint64(units)
	if units < 0 {
		b, magnitude = append(b, '-'), -magnitude
	}
	unit := uint64(1)
	for range places {
		unit *= 10
	}
	b = append(strconv.AppendUint(b, magnitude/unit, 10), '.')
	for rest := magnitude % unit; places > 0; places-- {
		unit /= 10
		b = append(b, '0'+byte(rest/unit%10))
	}
	return b
}
