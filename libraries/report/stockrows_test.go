package report_test

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestStockOneLine tests that one line must meet both the collection and the days of purchase. A legacy line is found by
// the day that it shows (L9).
func TestStockOneLine(t *testing.T) {
	one := int64(1)
	line := func(c stock.Collection, k stock.Kind, at calendar.Date) stock.BookLine {
		return stock.BookLine{Book: 1, Line: stock.Line{Collection: c, Kind: k, Copies: &one, PurchasedAt: at}}
	}
	start := libraries.HistoryStart
	n := &network{
		books: []libraries.Book{{ID: 1}},
		lines: []stock.BookLine{
			line(stock.Additional, stock.PurchaseLine, start+5), line(stock.External, stock.LegacyLine, start-400),
		},
	}
	reports := n.pack(t).reports()
	for _, test := range []struct {
		name       string
		collection stock.Collection
		from, to   calendar.Date
		want       int64
	}{
		{"the line of the collection was bought on another day", stock.Additional, start, start, 0},
		{"it was bought on that day", stock.Additional, start + 5, start + 5, 1},
		{"ends in the wrong order are swapped", stock.Additional, start + 6, start + 4, 1},
		{"a legacy line shows the first day of the history", stock.External, start, start, 1},
		{"not the day on which it was bought", stock.External, start - 500, start - 1, 0},
		{"any collection", 0, start + 1, start + 5, 1},
		{"no line of the collection", stock.Manual, start - 500, start + 500, 0},
	} {
		q := report.StockQuery{Purchased: calendar.Asked{Start: &test.from, End: &test.to}}
		q.Filter.Collection = test.collection
		list, err := reports.Stock(t.Context(), n.access(), q, wholePage)
		if err != nil || list.Total != test.want {
			t.Errorf("%s: %d rows, %v, want %d", test.name, list.Total, err, test.want)
			continue
		}
		if test.want == 1 && len(list.Rows[0].Purchases) != 2 {
			t.Errorf("%s: a row with %d purchases, want both", test.name, len(list.Rows[0].Purchases))
		}
	}
}
