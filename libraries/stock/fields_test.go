package stock_test

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
)

// TestNumbers tests that the stored numbers of collections and kinds do not change. They begin at 1.
func TestNumbers(t *testing.T) {
	for got, want := range map[stock.Collection]string{1: "platform", 2: "additional", 3: "external", 4: "manual"} {
		if got.String() != want {
			t.Errorf("collection %d is %v, want %s", uint8(got), got, want)
		}
	}
	for got, want := range map[stock.Kind]string{1: "purchase", 2: "legacy"} {
		if got.String() != want {
			t.Errorf("kind %d is %v, want %s", uint8(got), got, want)
		}
	}
}

// TestLabelOfManyDigits tests that a label has its number without separators.
func TestLabelOfManyDigits(t *testing.T) {
	for kind, want := range map[stock.Kind]string{stock.PurchaseLine: "Compra 1234567890", stock.LegacyLine: "Legado 1234567890"} {
		if got := (stock.Line{Kind: kind, Number: 1234567890}).Label(); got != want {
			t.Errorf("Label = %q, want %q", got, want)
		}
	}
}

// TestPriceField tests that a price in a feed is an amount, and that any other text gives ErrMoney.
func TestPriceField(t *testing.T) {
	f := row.Of(&stock.BookLine{}).Field("unitPrice")
	if n, err := f.Parse([]byte("12.5")); n != 1250 || err != nil {
		t.Errorf("Parse(12.5) = %d, %v, want 1250", n, err)
	}
	if n, err := f.Parse([]byte("-1")); err != stock.ErrMoney {
		t.Errorf("Parse(-1) = %d, %v, want only ErrMoney", n, err)
	}
}
