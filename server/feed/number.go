package feed

// maxInt is the largest integer that every reader of JSON holds exactly: 2^53 - 1 (H3).
const maxInt = 9007199254740991

// digits reports whether text is a number's digits and nothing else: 0, 12, not 012.
func digits(text []byte) bool {
	if len(text) == 0 || text[0] == '0' && len(text) > 1 {
		return false
	}
	return countDigits(text) == len(text)
}

// countDigits returns how many digits text begins with.
func countDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}

// number is the parts of a JSON number: its sign, the digits before and after the point, the exponent's sign and
// digits.
type number struct {
	negative         bool
	whole, fraction  []byte
	exponentNegative bool
	exponent         []byte
}

// scanNumber takes a JSON number apart.
func scanNumber(text []byte) (n number, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		n.negative, text = true, text[1:]
	}
	k := countDigits(text)
	n.whole, text = text[:k], text[k:]
	if !digits(n.whole) {
		return n, false
	}
	if len(text) > 0 && text[0] == '.' {
		k = countDigits(text[1:])
		n.fraction, text = text[1:1+k], text[1+k:]
		if k == 0 {
			return n, false
		}
	}
	if len(text) == 0 {
		return n, true
	}
	if text[0]|0x20 != 'e' {
		return n, false
	}
	text = text[1:]
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		n.exponentNegative, text = text[0] == '-', text[1:]
	}
	n.exponent = text
	return n, len(text) > 0 && countDigits(text) == len(text)
}

// isNumber reports whether text is a JSON number.
func isNumber(text []byte) bool {
	_, ok := scanNumber(text)
	return ok
}

// parseInt returns the integer from 0 to maxInt that text writes as a JSON number, or what is wrong with it.
func parseInt(text []byte) (n int64, wrong string) {
	if len(text) <= 15 && digits(text) { // too short to be too large
		for _, c := range text {
			n = n*10 + int64(c-'0')
		}
		return n, ""
	}
	parts, ok := scanNumber(text)
	if !ok {
		return 0, "must be an integer"
	}
	return parts.integer()
}

// integer returns the number's value, if it is an integer from 0 to maxInt.
func (n number) integer() (int64, string) {
	all := append(append(make([]byte, 0, 32), n.whole...), n.fraction...)
	end, start := len(all), 0
	for start < end && all[start] == '0' {
		start++
	}
	for end > start && all[end-1] == '0' {
		end--
	}
	if start == end {
		return 0, ""
	}
	if n.negative {
		return 0, "must not be negative"
	}
	zeros := len(n.whole) - end + n.shift(len(all)) // to append to all[start:end]
	if zeros < 0 {
		return 0, "must be an integer"
	}
	if end-start+zeros > 16 {
		return 0, "must be at most 9007199254740991"
	}
	var v int64
	for i := range end - start + zeros {
		d := int64(0)
		if start+i < end {
			d = int64(all[start+i] - '0')
		}
		v = v*10 + d
	}
	if v > maxInt {
		return 0, "must be at most 9007199254740991"
	}
	return v, ""
}

// shift returns the exponent, held within what can matter to a number of the given digits.
func (n number) shift(digits int) int {
	e := 0
	for _, c := range n.exponent {
		if e = e*10 + int(c-'0'); e > digits+20 {
			e = digits + 20
		}
	}
	if n.exponentNegative {
		return -e
	}
	return e
}
