// Package decimal reads numbers of the JSON grammar exactly. It is the one place that says what a number is: feeds take
// counts, durations, positions, speeds, shares and amounts of money by it, in NDJSON and in CSV.
//
//	n, ok := decimal.Parse("12.345", 2, 1_000_000) // in hundredths: 1234, and something is left
//
// A number may have any length and any exponent: 60000.000…0 and 6e4 are both 60000, however many zeros there are.
// Nothing is rounded but by the caller, who is told what was cut off.
//
// It does not take what the grammar has not: +1, .5, 5., 007, NaN, Infinity, hexadecimal digits, or blanks around a number.
package decimal

import "strconv"

// Number is a number in units of some decimal place.
type Number struct {
	// Negative says that the number is below 0, be it by less than a unit; -0 is not.
	Negative bool
	// Over says that there are more units than were asked for: then Units is the most, and Half and More say nothing.
	Over bool
	// Half says that what was cut off is half a unit or more, More that it is not 0.
	Half, More bool
	// Units are the whole units, without the sign.
	Units int64
}

// mostUnits is the most that may be asked for: a digit more must still fit in 63 bits.
const mostUnits = (1<<63 - 10) / 10

// Parse returns the number that text writes, in units of 10^-places, of which most are told apart; it reports false where
// text is no number. places is from 0 to 18, most from 0 to 922,337,203,685,477,579.
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

// Digits reports whether text is a number that is written with digits alone: 0, 12, but neither 012 nor 1.0.
func Digits[T ~string | ~[]byte](text T) bool {
	n := skip(text, 0)
	return n == len(text) && n > 0 && (n == 1 || text[0] != '0')
}

// parts says where the parts of a number are in its text.
type parts struct {
	negative   bool
	start, end int // the digits, with or without a point among them
	whole      int // how many of them stand before the point
	exponent   int // held within what can matter beside so many digits
}

// split takes a number apart, or reports false where text is none.
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

// slack is by how much an exponent may exceed the number of digits: what is larger gives nothing but zeros, or more units
// than can be asked for, in every decimal place.
const slack = 64

// exponent reads the exponent that is the rest of text from i on; without one it is 0.
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

// skip returns the place of the first byte from i on that is no digit.
func skip[T ~string | ~[]byte](text T, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

// Fixed returns a number of units of 10^-places, places above 0, as a decimal with so many places: fixed(-5, 2) is -0.05.
func Fixed(units int64, places int) string {
	return string(AppendFixed(make([]byte, 0, 24), units, places))
}

// AppendFixed appends what fixed returns.
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
