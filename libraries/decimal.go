package libraries

import (
	"strconv"
	"strings"
)

const (
	decimalTextLimit = 64     // characters of a number
	exponentMost     = 10_000 // any larger exponent gives 0 or decimalMost as well
	decimalMost      = int64(100_000_000_000_000_000)
)

// decimal is a number in units of some decimal place, exactly: the units cut off, and what is left of one.
type decimal struct {
	negative bool
	units    int64 // without the sign; decimalMost for all that is more
	half     bool  // what is left is half a unit or more
	more     bool  // anything is left
}

// below0 reports whether the number is negative; -0 is not.
func (d decimal) below0() bool { return d.negative && (d.units > 0 || d.more) }

// parseDecimal reads a number of the JSON grammar in units of 10^-places. It returns false for any other text.
func parseDecimal(text string, places int) (decimal, bool) {
	if len(text) > decimalTextLimit {
		return decimal{}, false
	}
	text, negative := strings.CutPrefix(text, "-")
	mantissa, exponent, ok := cutExponent(text)
	wholes, fraction, pointed := strings.Cut(mantissa, ".")
	if !ok || !allDigits(wholes) || wholes[0] == '0' && len(wholes) > 1 || pointed && !allDigits(fraction) {
		return decimal{}, false
	}
	d := decimal{negative: negative}
	d.shift(wholes+fraction, len(wholes)+exponent+places)
	return d, true
}

// shift takes the first point digits as the units, zeros added where they are fewer, and the others as what is left.
func (d *decimal) shift(digits string, point int) {
	kept := min(max(point, 0), len(digits))
	for _, c := range []byte(digits[:kept]) {
		d.units = min(10*d.units+int64(c-'0'), decimalMost)
	}
	for ; kept < point && d.units > 0 && d.units < decimalMost; point-- {
		d.units = min(10*d.units, decimalMost)
	}
	left := digits[kept:]
	d.more = strings.Trim(left, "0") != ""
	d.half = point >= 0 && left != "" && left[0] >= '5'
}

// cutExponent returns what stands before the exponent of a number, and the exponent, cut to exponentMost on both sides.
func cutExponent(text string) (mantissa string, exponent int, ok bool) {
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, true
	}
	digits := text[i+1:]
	sign := 1
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		digits, sign = rest, -1
	} else {
		digits = strings.TrimPrefix(digits, "+")
	}
	if !allDigits(digits) {
		return "", 0, false
	}
	for _, c := range []byte(digits) {
		exponent = min(10*exponent+int(c-'0'), exponentMost)
	}
	return text[:i], sign * exponent, true
}

// allDigits reports whether s is one digit or more, and nothing else.
func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// fixed returns a number of units of 10^-places, places above 0, as a decimal with so many places: fixed(-5, 2) is -0.05.
func fixed(units int64, places int) string {
	return string(appendFixed(make([]byte, 0, 24), units, places))
}

// appendFixed appends what fixed returns.
func appendFixed(b []byte, units int64, places int) []byte {
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
