package stock

import "github.com/lectern-dev/lectern/paging/row"

// Fields declares the fields of a line of stock.
func (b *BookLine) Fields(w *row.Walk) {
	l := &b.Line
	row.Int(w, "lineId", &l.ID, row.Required)
	row.Int(w, "bookId", &b.Book, row.Required)
	row.Enum(w, "collection", &l.Collection, collections[:])
	row.Enum(w, "kind", &l.Kind, kinds[:])
	row.Int(w, "number", &l.Number, row.Required)
	row.OptionalText(w, "modality", &l.Modality)
	row.OptionalInt(w, "copies", &l.Copies)
	row.Decimal(w, "unitPrice", &l.UnitPrice, price)
	row.Decimal(w, "totalPrice", &l.TotalPrice, price)
	row.Day(w, "purchasedAt", &l.PurchasedAt, row.Required)
	row.OptionalDay(w, "expiresAt", &l.ExpiresAt)
}

// price is ParseMoney with the error that a feed shows beside the value.
func price(text []byte) (Money, error) {
	m, err := ParseMoney(text)
	if err != nil {
		return 0, ErrMoney
	}
	return m, nil
}
