package intake_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
)

// TestFieldWords tests the texts that fields accept, and the errors for others.
func TestFieldWords(t *testing.T) {
	names := func(r row.Row, field string) string { return row.OneOf(row.Of(r).Field(field).Names).Error() }
	for want, got := range map[string]string{
		"must be one of platform, additional, external, manual":                 names(&stock.BookLine{}, "collection"),
		"must be one of purchase, legacy":                                       names(&stock.BookLine{}, "kind"),
		"must be one of active, deactivated, deleted":                           names(&libraries.Reader{}, "status"),
		"must be one of Não informado, Feminino, Masculino, Não-binário, Outro": names(&libraries.Reader{}, "gender"),
		"must be one of active, returned, expired":                              names(&libraries.Loan{}, "status"),
		"must be one of waiting, available, converted, cancelled, lost":         names(&libraries.Reservation{}, "status"),
		"must be one of catalog, marketplace, none":                             names(&libraries.Request{}, "availability"),
		"must be one of web-mobile, web-desktop, web-tablet, app":               names(&libraries.ChannelDay{}, "channel"),
	} {
		if got != want {
			t.Errorf("OneOf = %q, want %q", got, want)
		}
	}
	gender := row.Of(&libraries.Reader{}).Field("gender")
	if n, err := gender.Parse([]byte("NAO-BINARIO")); libraries.Gender(n) != libraries.NonBinary || err != nil {
		t.Errorf("Parse(NAO-BINARIO) of the gender = %d, %v, want NonBinary", n, err)
	}
	if _, err := gender.Parse([]byte("F")); err == nil || !slices.Contains([]string{"must be one of Não informado, Feminino, Masculino, Não-binário, Outro"}, err.Error()) {
		t.Errorf("Parse(F) of the gender: %v, want an error that lists the genders", err)
	}
	price := row.Of(&stock.BookLine{}).Field("unitPrice")
	for text, want := range map[string]string{"12.5": "12.50", "0.004": "0", "0.005": "0.01", "0": "0"} {
		if n, err := price.Parse([]byte(text)); err != nil || price.Format(n) != want {
			t.Errorf("Parse(%s) of the price = %s, %v, want %s", text, price.Format(n), err, want)
		}
	}
	if _, err := price.Parse([]byte("-0.01")); err != stock.ErrMoney {
		t.Errorf("Parse(-0.01) of the price: %v, want ErrMoney", err)
	}
}
