package decimal_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading/decimal"
)

// grammar is the number grammar of RFC 8259.
var grammar = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// exact returns what Parse must return, computed with fractions. text must be a number.
func exact(text string, places int, most int64) (n decimal.Number) {
	x, _ := new(big.Rat).SetString(text)
	n.Negative = x.Sign() < 0
	x.Abs(x).Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	units, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if units.Cmp(big.NewInt(most)) > 0 {
		return decimal.Number{Negative: n.Negative, Over: true, Units: most}
	}
	n.Units, n.More = units.Int64(), rest.Sign() > 0
	n.Half = new(big.Int).Lsh(rest, 1).Cmp(x.Denom()) >= 0
	return n
}

// same checks Parse and Valid of text, as a string and as bytes, against the grammar and fractions.
func same(t interface{ Fatalf(string, ...any) }, text string, places int, most int64) {
	got, ok := decimal.Parse(text, places, most)
	inBytes, okBytes := decimal.Parse([]byte(text), places, most)
	if inBytes != got || okBytes != ok || decimal.Valid(text) != ok {
		t.Fatalf("Parse(%q) = %+v, %t, of bytes %+v, %t, Valid = %t, want no difference", text, got, ok, inBytes, okBytes, decimal.Valid(text))
	}
	if ok != grammar.MatchString(text) {
		t.Fatalf("Parse(%q) = %t, want %t", text, ok, !ok)
	}
	if !ok {
		return
	}
	if got.Over {
		got.Half, got.More = false, false
	}
	if want := exact(text, places, most); got != want {
		t.Fatalf("Parse(%q, %d, %d) = %+v, want %+v", text, places, most, got, want)
	}
}

// TestParse compares random numbers, and random texts that are almost numbers, with package math/big.
func TestParse(t *testing.T) {
	text := rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`),
		rapid.StringMatching(`(9007199254740991|9007199254740992|100|99\.9995|0\.005|90071992547409\.915)(\.?0{0,3})(e-?[0-3])?`),
		rapid.StringMatching(`[-+]?[0-9]{0,3}\.?[0-9]{0,3}[eE]?[-+]?[0-9]{0,2}[ x]?`),
	)
	most := rapid.SampledFrom([]int64{0, 1, 100_000, 1<<53 - 1, 922_337_203_685_477_579})
	rapid.Check(t, func(t *rapid.T) {
		same(t, text.Draw(t, "text"), rapid.IntRange(0, 6).Draw(t, "places"), most.Draw(t, "most"))
	})
}

// FuzzParse is TestParse for any text whose exponent is small enough for fractions.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"5", "-0", "-0.0", "1e-3", "0.8E+3", "", "-", "5.", ".5", "05", "NaN", "1e", "9007199254740992", "٥"} {
		f.Add(seed)
	}
	long := regexp.MustCompile(`[eE][+-]?0*[0-9]{4,}$`)
	f.Fuzz(func(t *testing.T, text string) {
		if !long.MatchString(text) {
			same(t, text, 3, 1<<53-1)
		}
	})
}

// TestLong tests that numbers of any length and exponents of any size are exact.
func TestLong(t *testing.T) {
	zeros := strings.Repeat("0", 100_000)
	for name, test := range map[string]struct {
		text string
		want decimal.Number
	}{
		"zeros after the point":               {"60000." + zeros, decimal.Number{Units: 60_000}},
		"a one after the zeros":               {"60000." + zeros + "1", decimal.Number{Units: 60_000, More: true}},
		"zeros that the exponent shifts away": {"0." + zeros + "5e100001", decimal.Number{Units: 5}},
		"half a unit":                         {"0." + zeros + "5e100000", decimal.Number{Half: true, More: true}},
		"less than half a unit":               {"0." + zeros + "5e99999", decimal.Number{More: true}},
		"zeros that the exponent removes":     {"7" + zeros + "e-100000", decimal.Number{Units: 7}},
		"zero with a huge exponent":           {"-0e" + strings.Repeat("9", 100_000), decimal.Number{}},
		"a huge negative exponent":            {"-1e-" + strings.Repeat("9", 100_000), decimal.Number{Negative: true, More: true}},
		"a huge exponent":                     {"1e" + strings.Repeat("9", 100_000), decimal.Number{Over: true, Units: 60_000}},
		"an exponent with leading zeros":      {"6e" + zeros + "4", decimal.Number{Units: 60_000}},
	} {
		if got, ok := decimal.Parse(test.text, 0, 60_000); !ok || got != test.want {
			t.Errorf("%s: Parse = %+v, %t, want %+v", name, got, ok, test.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "12": true, strings.Repeat("9", 65): true,
		"": false, "012": false, "00": false, "-1": false, "1.0": false, "1e1": false, " 1": false, "٥": false,
	} {
		if got := decimal.Digits(text); got != want {
			t.Errorf("Digits(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	text := []byte("-123.456e-1")
	if n := testing.AllocsPerRun(100, func() { _, _ = decimal.Parse(text, 6, 1<<53-1) }); n != 0 {
		t.Errorf("Parse of bytes allocates %v times, want 0", n)
	}
}
