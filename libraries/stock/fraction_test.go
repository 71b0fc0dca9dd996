package stock_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/libraries/stock"
)

func TestRatio(t *testing.T) {
	const most = math.MaxInt64
	for _, test := range []struct {
		rule      string
		part, all int64
		want      string
	}{
		{"nothing", 0, 26, "0.0000"},
		{"no capacity", 5, 0, "0.0000"},
		{"neither", 0, 0, "0.0000"},
		{"a quarter", 1, 4, "0.2500"},
		{"all", 26, 26, "1.0000"},
		{"above 1", 70, 62, "1.1290"},
		{"rounds down", 1, 3, "0.3333"},
		{"rounds up", 2, 3, "0.6667"},
		{"half rounds up", 1, 20_000, "0.0001"},
		{"below half rounds down", 1, 20_001, "0.0000"},
		{"half of an odd number of halves", 3, 20_000, "0.0002"},
		{"just below 1", 99_994, 100_000, "0.9999"},
		{"rounds to 1", 99_995, 100_000, "1.0000"},
		{"a negative part counts as 0", -1, 3, "0.0000"},
		{"a negative capacity counts as 0", 1, -3, "0.0000"},
		{"large numbers", most, most, "1.0000"},
		{"large numbers", most / 2, most, "0.5000"},
		{"too large", most, 1, "922337203685477.5807"},
		{"too large for the division", most, 4_999, "922337203685477.5807"},
		{"too large for the division", most, 5_000, "922337203685477.5807"},
	} {
		if got := stock.Ratio(test.part, test.all).String(); got != test.want {
			t.Errorf("%s: Ratio(%d, %d) = %s, want %s", test.rule, test.part, test.all, got, test.want)
		}
	}
	for v, want := range map[any]string{stock.Ratio(1, 4): "0.2500", stock.Money(12_50): `"12.50"`, stock.Money(0): `"0"`} {
		if got, err := json.Marshal(v); string(got) != want || err != nil {
			t.Errorf("%v is %s, %v in JSON, want %s", v, got, err, want)
		}
	}
	if got := stock.Fraction(-12_345).String(); got != "-1.2345" {
		t.Errorf("Fraction(-12345) = %s, want -1.2345", got)
	}
	if got := stock.Fraction(math.MinInt64).String(); got != "-922337203685477.5808" {
		t.Errorf("the smallest Fraction = %s, want -922337203685477.5808", got)
	}
}

func TestRatioRoundsOnce(t *testing.T) {
	number := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, 200_000), rapid.Int64Range(1, 1<<48))
	rapid.Check(t, func(t *rapid.T) {
		part, all := number.Draw(t, "part"), number.Draw(t, "all")
		want := big.NewRat(part, all).FloatString(4) // rounds half away from zero
		if got := stock.Ratio(part, all).String(); got != want {
			t.Errorf("Ratio(%d, %d) = %s, want %s", part, all, got, want)
		}
	})
}

func TestMoney(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0", "0"},
		{"0.00", "0"},
		{"-0", "0"},
		{"12.5", "12.50"},
		{"12", "12.00"},
		{"0.05", "0.05"},
		{"0.005", "0.01"},
		{"0.0049999", "0"},
		{"1234567.89", "1234567.89"},
		{"1.25e2", "125.00"},
		{"0.995", "1.00"},
		{"7e-3", "0.01"},
		{"7e-4", "0"},
		{"90071992547409.91", "90071992547409.91"},
		{"90071992547409.9149", "90071992547409.91"},
	} {
		got, err := stock.ParseMoney(test.in)
		if got.String() != test.want || err != nil {
			t.Errorf("ParseMoney(%q) = %s, %v, want %s", test.in, got, err, test.want)
		}
	}
	for _, in := range []string{"", "R$ 5", "12,50", "1.234.567", "-0.001", "-1", "90071992547409.92", "90071992547409.915", "1e300"} {
		if got, err := stock.ParseMoney(in); !errors.Is(err, stock.ErrMoney) || got != 0 {
			t.Errorf("ParseMoney(%q) = %s, %v, want ErrMoney", in, got, err)
		}
	}
}
