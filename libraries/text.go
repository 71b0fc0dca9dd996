package libraries

import (
	"strings"

	"github.com/lectern-dev/lectern/paging/fold"
)

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
	s := Search{text: fold.Text(query)}
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
