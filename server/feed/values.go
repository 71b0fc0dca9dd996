package feed

import (
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// The functions of this file read what stands in a cell as the number that a visitor sees, or say what is wrong with it.

// maxInt is the largest integer that every reader of JSON holds exactly: 2^53 - 1 (H3).
const maxInt = 9007199254740991

const noNumber = "must be a number"

// parseInt reads the integer from 0 to maxInt that text writes as a JSON number. One with decimals or an exponent that is an
// integer all the same, such as 5.0, is taken.
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

// parseTruth reads true and false, in CSV by these words.
func parseTruth(text []byte) (n int64, wrong string) {
	switch string(text) {
	case "true":
		return 1, ""
	case "false":
		return 0, ""
	}
	return 0, "must be true or false"
}

// parseEnum reads a name of a [row.Name], as its number.
func parseEnum(f *row.Field, text []byte) (n int64, wrong string) {
	for n, name := range f.Names {
		if name == string(text) {
			return int64(n), ""
		}
	}
	if f.Parse != nil {
		return parseOwn(f, text)
	}
	return 0, row.OneOf(f.Names).Error()
}

// parseOwn reads what the field itself knows to read.
func parseOwn(f *row.Field, text []byte) (n int64, wrong string) {
	n, err := f.Parse(text)
	if err != nil {
		return 0, err.Error()
	}
	return n, ""
}
