package stock_test

import (
	"math/big"
	"regexp"
	"testing"

	"github.com/lectern-dev/lectern/libraries/stock"
)

// FuzzParseMoney compares ParseMoney with big.Rat: an amount is rounded half away from zero to cents.
func FuzzParseMoney(f *testing.F) {
	for _, s := range []string{"0", "0.005", "0.0049999", "12.5", "90071992547409.91", "90071992547409.915", "90071992547409.914", "-0", "-0.001", "1e3", "x"} {
		f.Add(s)
	}
	grammar := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	tooLong := regexp.MustCompile(`[eE][+-]?0*[0-9]{4,}$`) // for big.Rat
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
