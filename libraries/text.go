package libraries

import (
	"strings"

	"github.com/lectern-dev/lectern/paging/fold"
)

// Exact returns the form in which the title and author of suggestion-requests are compared (L15): trimmed and in lower
// case. Accents and inner spaces count, and a letter with a combining accent differs from the accented letter.
func Exact(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Digits returns the digits 0 to 9 of an ISBN, which a [Search] compares.
func Digits(isbn string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, isbn)
}

// Search is a search in titles (L15). The zero Search finds all.
type Search struct {
	text   string
	digits string // of a query that may be an ISBN, otherwise empty
}

// ParseSearch returns the search for a query. No character has a special meaning, not even % and _. A query of digits,
// hyphens and spaces with at least one digit also finds ISBNs.
func ParseSearch(query string) Search {
	s := Search{text: fold.Text(query)}
	if strings.Trim(s.text, "0123456789 -\u2010") == "" {
		s.digits = Digits(s.text)
	}
	return s
}

// Text reports whether the query is a part of a folded text.
func (s Search) Text(folded string) bool { return strings.Contains(folded, s.text) }

// Book reports whether the query is a part of a title's folded text or, if it may be an ISBN, of the [Digits] of the
// title's ISBN.
func (s Search) Book(folded, isbn string) bool {
	return s.Text(folded) || s.digits != "" && strings.Contains(isbn, s.digits)
}
