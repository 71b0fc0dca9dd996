package libraries_test

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/fold"
)

func TestExact(t *testing.T) {
	for _, test := range []struct {
		rule, a, b string
		same       bool
	}{
		{"case", "Água Viva", "ÁGUA VIVA", true},
		{"spaces at the ends", "\u00a0Água Viva \n", "água viva", true},
		{"accents count", "Agua Viva", "Água Viva", false},
		{"inner spaces count", "Água  Viva", "Água Viva", false},
		{"a substring is not equal", "Água", "Água Viva", false},
		{"a combining accent is another text", "A\u0301gua", "Água", false},
		{"empty texts are equal", " ", "", true},
	} {
		if got := libraries.Exact(test.a) == libraries.Exact(test.b); got != test.same {
			t.Errorf("%s: Exact(%q) == Exact(%q) is %v, want %v", test.rule, test.a, test.b, got, test.same)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		rule, query, title, isbn string
		want                     bool
	}{
		{"no query", "", "Água Viva", "", true},
		{"a part of the title", "gua VI", "Água Viva", "", true},
		{"not a part", "vivas", "Água Viva", "", false},
		{"spaces collapse in both", " agua   viva ", "Água \t Viva", "", true},
		{"percent is plain", "%", "Água Viva", "", false},
		{"percent is found", "0%", "100% Água", "", true},
		{"underscore is plain", "a_ua", "Água", "", false},
		{"digits in the title", "1984", "1984", "9780000000000", true},
		{"the whole ISBN", "9788535914849", "1984", "978-85-359-1484-9", true},
		{"an ISBN with hyphens", "978-85-359-1484-9", "Mil", "9788535914849", true},
		{"an ISBN with spaces", " 978 85 359 ", "Mil", "9788535914849", true},
		{"other hyphens", "978\u201085\u2011359", "Mil", "9788535914849", true},
		{"fullwidth digits", "９７８", "Mil", "9788535914849", true},
		{"a part of an ISBN", "14849", "Mil", "9788535914849", true},
		{"not the ISBN", "14848", "Mil", "9788535914849", false},
		{"a letter: no ISBN", "978a", "Mil", "9788535914849", false},
		{"a dot: no ISBN", "978.85", "Mil", "9788535914849", false},
		{"only hyphens: no ISBN", "-", "Mil", "978-85", false},
		{"only hyphens are text", "-", "Guarda-chuva", "", true},
		{"no ISBN to match", "978", "Mil", "", false},
		{"an X is no digit", "8535914847", "Mil", "853591484X7", true},
	} {
		s := libraries.ParseSearch(test.query)
		if got := s.Book(fold.Text(test.title), libraries.Digits(test.isbn)); got != test.want {
			t.Errorf("%s: ParseSearch(%q).Book(%q, %q) = %v, want %v", test.rule, test.query, test.title, test.isbn, got, test.want)
		}
	}
	if !(libraries.Search{}).Book("agua viva", "") {
		t.Error("Search{}.Book = false, want true")
	}
	if libraries.ParseSearch("978").Text("mil") {
		t.Error(`ParseSearch("978").Text("mil") = true, want false`)
	}
}
