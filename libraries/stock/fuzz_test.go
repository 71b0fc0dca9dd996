package stock_test

import (
	"math/big"
	"regexp"
	"testing"

	"github.com/lectern-dev/lectern/libraries/stock"
)

// FuzzParseMoney holds an amount to fractions: rounded half away from zero to cents.
func FuzzParseMoney(f *testing.F) {
	for _, s := range []string{"0", "0.005", "0.0049999", "12.5", "90071992547409.91", "90071992547409.915", "90071992547409.914", "-0", "-0.001", "1e3", "x"} {
		f.Add(s)
	}
	grammar := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	tooLong := regexp.MustCompile(`[eE][+-]?0*[0-9]{4,}$`) // for fractions
	most := big.NewInt(1<<53 - 1)
	f.Fuzz(func(t *testing.T, text string) {
		if tooLong.MatchString(text) {
			return
		}
		got, err := stock.ParseMoney(text)
		x, ok := new(big.Rat), grammar.MatchString(text)
		if ok {
			x.SetString(text)
		}
		ok = ok && x.Sign() >= 0
		x.Mul(x, big.NewRat(100, 1)).Add(x, big.NewRat(1, 2))
		cents := new(big.Int).Quo(x.Num(), x.Denom())
		if ok = ok && cents.Cmp(most) <= 0; (err == nil) != ok {
			t.Fatalf("ParseMoney(%q) = %v, %v, want an amount: %t", text, got, err, ok)
		}
		if ok && cents.Int64() != int64(got) {
			t.Errorf("ParseMoney(%q) = %d cents, want %v", text, got, cents)
		}
	})
}

// FuzzRatio holds a share to fractions.
func FuzzRatio(f *testing.F) {
	f.Add(int64(1), int64(3))
	f.Add(int64(1<<63-1), int64(1))
	f.Add(int64(0), int64(0))
	f.Add(int64(1), int64(20_000))
	f.Fuzz(func(t *testing.T, part, all int64) {
		want := int64(0)
		if part > 0 && all > 0 {
			x := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(part), big.NewInt(10_000)), big.NewInt(all))
			x.Add(x, big.NewRat(1, 2))
			if n := new(big.Int).Quo(x.Num(), x.Denom()); n.IsInt64() {
				want = n.Int64()
			} else {
				want = 1<<63 - 1
			}
		}
		if got := stock.Ratio(part, all); int64(got) != want {
			t.Errorf("Ratio(%d, %d) = %d, want %d", part, all, got, want)
		}
	})
}
