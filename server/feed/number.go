package feed

import "github.com/lectern-dev/lectern/reading/decimal"

// maxInt is the largest integer that every reader of JSON holds exactly: 2^53 - 1 (H3).
const maxInt = 9007199254740991

// parseInt returns the integer from 0 to maxInt that text writes as a JSON number, or what is wrong with it.
func parseInt(text []byte) (n int64, wrong string) {
	if len(text) <= 15 && decimal.Digits(text) { // most are written so, and are too short to be too large
		for _, c := range text {
			n = n*10 + int64(c-'0')
		}
		return n, ""
	}
	d, ok := decimal.Parse(text, 0, maxInt)
	switch {
	case ok && d.Negative:
		return 0, "must not be negative"
	case !ok || d.More:
		return 0, "must be an integer"
	case d.Over:
		return 0, "must be from 0 to 9007199254740991"
	}
	return d.Units, ""
}
