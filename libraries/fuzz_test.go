package libraries_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/fold"
)

// tooLong matches numbers with an exponent that is too long for big.Rat.
var tooLong = regexp.MustCompile(`[eE][+-]?0*[0-9]{4,}$`)

// FuzzParseProgress compares ParseProgress with big.Rat: a share is a number from 0 to 100, truncated to thousandths.
func FuzzParseProgress(f *testing.F) {
	for _, s := range []string{"0", "-0", "100", "100.0000", "100.00001", "9.9999", "5e-05", "1e2", "", "NaN", "+1"} {
		f.Add(s)
	}
	grammar := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		if tooLong.MatchString(text) {
			return
		}
		got, err := libraries.ParseProgress(text)
		x, ok := new(big.Rat), grammar.MatchString(text)
		if ok {
			x.SetString(text)
			ok = x.Sign() >= 0 && x.Cmp(big.NewRat(100, 1)) <= 0
		}
		if (err == nil) != ok {
			t.Fatalf("ParseProgress(%q) = %v, %v, want a valid share: %t", text, got, err, ok)
		}
		x.Mul(x, big.NewRat(1000, 1))
		if want := new(big.Int).Quo(x.Num(), x.Denom()); ok && want.Int64() != int64(got) {
			t.Errorf("ParseProgress(%q) = %d thousandths, want %v", text, got, want)
		}
	})
}

// FuzzFold checks that folding twice changes nothing, and that a text is found by itself, by its end and by its digits.
func FuzzFold(f *testing.F) {
	f.Add("  Ção  ÉTÉ\t", 3)
	f.Add("ǅ\xffẞ İ", 1)
	f.Add("978-85-359", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		folded := fold.Text(text)
		if again := fold.Text(folded); again != folded {
			t.Errorf("fold.Text(%q) = %q, which folds to %q, want no change", text, folded, again)
		}
		if strings.TrimSpace(folded) != folded || strings.Contains(folded, "  ") {
			t.Errorf("fold.Text(%q) = %q, want no extra spaces", text, folded)
		}
		if s := libraries.ParseSearch(text); !s.Text(folded) || !s.Book(folded, "") {
			t.Errorf("%q is not found by itself", text)
		}
		runes := []rune(folded)
		if at >= 0 && at < len(runes) {
			if part := string(runes[at:]); !libraries.ParseSearch(part).Text(folded) {
				t.Errorf("%q is not found by its part %q", folded, part)
			}
		}
		digits := libraries.Digits(text)
		if s := libraries.ParseSearch(digits); digits != "" && !s.Book("", digits) {
			t.Errorf("the ISBN %q is not found by its digits", digits)
		}
	})
}
