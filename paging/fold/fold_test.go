package fold_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging/fold"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ rule, in, want string }{
		{"nothing", "", ""},
		{"already folded", "agua viva", "agua viva"},
		{"lower case", "Agua VIVA", "agua viva"},
		{"accents", "ÁGUA é coração à noite", "agua e coracao a noite"},
		{"combining accents", "A\u0301gua", "agua"},
		{"capital with a dot", "İstanbul", "istanbul"},
		{"spaces at the ends", "  agua ", "agua"},
		{"only a space at the end", "agua ", "agua"},
		{"only a space at the start", " agua", "agua"},
		{"spaces between", "agua \t\n  viva", "agua viva"},
		{"a single tab", "agua\tviva", "agua viva"},
		{"a no-break space", "agua\u00a0\u2003viva", "agua viva"},
		{"a mark between spaces", "agua \u0301 viva", "agua viva"},
		{"only a mark", "\u0301", ""},
		{"only spaces", " \t ", ""},
		{"compatibility: ligature", "ﬁm", "fim"},
		{"compatibility: fullwidth", "ＡＢＣ１", "abc1"},
		{"compatibility: ordinal", "1ª", "1a"},
		{"only case is dropped", "Straße ΣΑΣ", "straße σασ"},
		{"plain characters", "100%_\\", "100%_\\"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
		{"more than 30 marks", "a" + strings.Repeat("\u0301", 40) + "b", "ab"},
	} {
		if got := fold.Text(test.in); got != test.want {
			t.Errorf("%s: Text(%q) = %q, want %q", test.rule, test.in, got, test.want)
		}
	}
}

// slowText follows rule L15 step by step.
func slowText(s string) string {
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

func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someText.Draw(t, "s")
		got := fold.Text(s)
		if want := slowText(s); got != want {
			t.Fatalf("Text(%q) = %q, want %q", s, got, want)
		}
		if again := fold.Text(got); again != got {
			t.Errorf("Text(%q) = %q, which folds to %q", s, got, again)
		}
		if nfc := fold.Text(norm.NFC.String(s)); nfc != got {
			t.Errorf("Text(%q) = %q, but %q in composed form", s, got, nfc)
		}
	})
}

// TestTextEveryCharacter tests that folding the folded text of a character changes nothing.
func TestTextEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		once := fold.Text(string(r))
		if again := fold.Text(once); again != once {
			t.Errorf("Text(%q) = %q, which folds to %q", r, once, again)
		}
	}
}

// TestTextASCII tests each text of two ASCII bytes: it is folded to lower case, without extra spaces.
func TestTextASCII(t *testing.T) {
	for a := range rune(0x80) {
		for b := range rune(0x80) {
			text := string(a) + string(b)
			want := strings.Join(strings.Fields(strings.ToLower(text)), " ")
			if got := fold.Text(text); got != want {
				t.Fatalf("Text(%q) = %q, want %q", text, got, want)
			}
			inner := "x" + text + "x"
			if got, want := fold.Text(inner), strings.Join(strings.Fields(strings.ToLower(inner)), " "); got != want {
				t.Fatalf("Text(%q) = %q, want %q", inner, got, want)
			}
		}
	}
}

func ExampleText() {
	fmt.Printf("%q\n", fold.Text("  Água \t VIVA "))
	// Output: "agua viva"
}
