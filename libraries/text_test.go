package libraries_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/libraries"
)

func TestFold(t *testing.T) {
	for _, test := range []struct{ rule, in, want string }{
		{"nothing", "", ""},
		{"already folded", "agua viva", "agua viva"},
		{"lower case", "Agua VIVA", "agua viva"},
		{"accents", "ÁGUA é coração à noite", "agua e coracao a noite"},
		{"combining accents", "A\u0301gua", "agua"},
		{"capital with a dot", "İstanbul", "istanbul"},
		{"spaces at the ends", "  agua ", "agua"},
		{"a space at the end alone", "agua ", "agua"},
		{"a space at the start alone", " agua", "agua"},
		{"spaces between", "agua \t\n  viva", "agua viva"},
		{"a single tab", "agua\tviva", "agua viva"},
		{"a no-break space", "agua\u00a0\u2003viva", "agua viva"},
		{"a mark between spaces", "agua \u0301 viva", "agua viva"},
		{"a mark alone", "\u0301", ""},
		{"spaces alone", " \t ", ""},
		{"compatibility: ligature", "ﬁm", "fim"},
		{"compatibility: fullwidth", "ＡＢＣ１", "abc1"},
		{"compatibility: ordinal", "1ª", "1a"},
		{"only case is dropped", "Straße ΣΑΣ", "straße σασ"},
		{"plain characters", "100%_\\", "100%_\\"},
		{"no UTF-8", "a\xffb", "a\ufffdb"},
		{"more than 30 marks", "a" + strings.Repeat("\u0301", 40) + "b", "ab"},
	} {
		if got := libraries.Fold(test.in); got != test.want {
			t.Errorf("%s: Fold(%q) = %q, want %q", test.rule, test.in, got, test.want)
		}
	}
}

// slowFold follows the sentence of L15 step by step.
func slowFold(s string) string {
	var letters []rune
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.M, r) {
			letters = append(letters, r)
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(string(letters))), " ")
}

var someText = rapid.StringOf(rapid.OneOf(
	rapid.SampledFrom([]rune(" \t\u00a0\u0301áÁçéãôAZaz09-%_ßÄ\u2010\ufb01")), rapid.Rune(), rapid.RuneFrom([]rune(" abcABC"))))

func TestFoldLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someText.Draw(t, "s")
		got := libraries.Fold(s)
		if want := slowFold(s); got != want {
			t.Fatalf("Fold(%q) = %q, want %q", s, got, want)
		}
		if again := libraries.Fold(got); again != got {
			t.Errorf("Fold(%q) = %q, which folds to %q", s, got, again)
		}
		if nfc := libraries.Fold(norm.NFC.String(s)); nfc != got {
			t.Errorf("Fold(%q) = %q, but composed %q", s, got, nfc)
		}
	})
}

// TestFoldEveryCharacter: what any character folds to folds to itself.
func TestFoldEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		once := libraries.Fold(string(r))
		if again := libraries.Fold(once); again != once {
			t.Errorf("Fold(%q) = %q, which folds to %q", r, once, again)
		}
	}
}

func TestExact(t *testing.T) {
	for _, test := range []struct {
		rule, a, b string
		same       bool
	}{
		{"case", "Água Viva", "ÁGUA VIVA", true},
		{"spaces at the ends", "\u00a0Água Viva \n", "água viva", true},
		{"accents count", "Agua Viva", "Água Viva", false},
		{"inner spaces count", "Água  Viva", "Água Viva", false},
		{"a part is not the whole", "Água", "Água Viva", false},
		{"a combining accent is another text", "A\u0301gua", "Água", false},
		{"empty is whole too", " ", "", true},
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
		{"hyphens alone: no ISBN", "-", "Mil", "978-85", false},
		{"hyphens alone are text", "-", "Guarda-chuva", "", true},
		{"no ISBN to match", "978", "Mil", "", false},
		{"an X is no digit", "8535914847", "Mil", "853591484X7", true},
	} {
		s := libraries.ParseSearch(test.query)
		if got := s.Book(libraries.Fold(test.title), libraries.Digits(test.isbn)); got != test.want {
			t.Errorf("%s: ParseSearch(%q).Book(%q, %q) = %v, want %v", test.rule, test.query, test.title, test.isbn, got, test.want)
		}
	}
	if !(libraries.Search{}).Book("agua viva", "") {
		t.Error("the zero Search does not find everything")
	}
	if libraries.ParseSearch("978").Text("mil") {
		t.Error(`ParseSearch("978").Text("mil") = true, want false`)
	}
}
