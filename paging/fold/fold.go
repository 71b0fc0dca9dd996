// Package fold folds texts, so that they are searched, filtered and ordered without regard to case and accents.
package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text returns the form in which texts are searched, filtered and ordered (L15): Unicode NFKD without marks, in lower
// case, with every run of spaces as one space and none at the ends. Folded texts are compared bytewise, so that both
// engines order alike. Folding a folded text changes nothing. A byte that is not UTF-8 counts as U+FFFD.
//
// Only the case is dropped, not the letter: ß stays ß, and a final ς differs from σ.
func Text(s string) string {
	if folded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false // before the next letter
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // NFKD does not decompose a letter after an invalid byte
	}
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case unicode.IsMark(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// folded reports whether s is ASCII that folding does not change.
func folded(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return s == "" || before != ' '
}
