package libraries

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which texts are searched, filtered and ordered (L15): Unicode NFKD, its positions removed, in lower
// case, every run of spaces one space, none at the ends. Folded texts are compared bytewise, so that every store orders
// alike. What is folded folds to itself. A byte that is no UTF-8 counts as U+FFFD.
//
// Only the case is dropped, not the letter: ß stays ß, and a final ς differs from σ.
func Fold(s string) string {
	if folded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false // a space is due before the next letter
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // behind a byte that is none, a letter is not decomposed
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

// folded reports whether s is its own fold for a plain reason: it is ASCII without capitals, control characters and
// spaces to drop.
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

// Exact returns the form in which the title and author of suggestion-requests are compared whole (L15): trimmed and in
// lower case, no more. Accents and inner spaces count, and a letter written with a combining accent differs from the
// accented letter.
func Exact(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Digits returns the digits 0 to 9 of an ISBN: what a [Search] compares it by.
func Digits(isbn string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, isbn)
}

// Search is what a client looks for in titles (L15). The zero Search finds everything.
type Search struct {
	text   string
	digits string // of a query that may be an ISBN, otherwise empty
}

// ParseSearch returns the search for a query. Every character of it is plain, % and _ too. A query that is made, when
// folded, of digits, hyphens and spaces alone, with one digit at least, also finds ISBNs.
func ParseSearch(query string) Search {
	s := Search{text: Fold(query)}
	if strings.Trim(s.text, "0123456789 -\u2010") == "" {
		s.digits = Digits(s.text)
	}
	return s
}

// String returns the query, folded.
func (s Search) String() string { return s.text }

// Text reports whether the query is a part of a folded text, such as a title's.
func (s Search) Text(folded string) bool { return strings.Contains(folded, s.text) }

// Book reports whether the query is a part of a title's folded text or, where it may be an ISBN, of its ISBN's digits,
// given as [Digits] returns them.
func (s Search) Book(folded, isbn string) bool {
	return s.Text(folded) || s.digits != "" && strings.Contains(isbn, s.digits)
}
