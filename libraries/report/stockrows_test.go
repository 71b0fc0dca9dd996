package report_test

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// slowStock makes the rows of a query, in its order.
func (n *network) slowStock(q report.StockQuery) []report.StockRow {
	c := report.NewCatalogue(n.terms, slices.Clone(n.books), slices.Clone(n.lines))
	var rows []report.StockRow
	for _, b := range n.books {
		own := stock.OwnLines(n.linesOf(b), libraries.HistoryStart).Lines()
		fits := slices.ContainsFunc(own, func(l stock.Line) bool {
			return (q.Filter.Collection == 0 || l.Collection == q.Filter.Collection) &&
				libraries.Between(q.Purchased).Contains(l.ShownPurchasedAt(libraries.HistoryStart))
		})
		h := n.holding(b.ID)
		possible := stock.Capacity(own)
		if !fits || !titlePasses(b, q.Filter) || q.Band != nil && stock.BandOf(h.Readings, possible) != *q.Band {
			continue
		}
		row := report.StockRow{
			Title: c.Title(b.ID), ActiveLoans: h.ActiveLoans, Readings: h.Readings, Possible: possible,
			Percentage: stock.Ratio(h.Readings, possible), ActiveReservations: h.ActiveReservations,
		}
		left := h.Readings
		for _, l := range own {
			p := report.Purchase{
				Label: l.Label(), Modality: l.Modality, Model: stock.Model(b.MaxUses), Copies: l.ShownCopies(), Possible: l.Possible(),
				Consumed: min(left, l.Possible()), PurchasedAt: l.ShownPurchasedAt(libraries.HistoryStart), ExpiresAt: l.ShownExpiresAt(),
			}
			left -= p.Consumed
			p.Percentage = stock.Ratio(p.Consumed, p.Possible)
			p.Unit, p.Total = l.ShownPrices()
			row.Purchases = append(row.Purchases, p)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b report.StockRow) int {
		return byTitle(a, b, func(r report.StockRow) *report.Title { return r.Title }, stockColumns[q.Order], q.Asc)
	})
	return rows
}

// stockColumns are the columns by which stock is ordered.
var stockColumns = map[report.StockOrder]func(a, b report.StockRow) int{
	report.StockByPercentage: func(a, b report.StockRow) int { return cmp.Compare(a.Percentage, b.Percentage) },
	report.StockByTitle: func(a, b report.StockRow) int {
		return cmp.Compare(fold.Text(a.Title.Book.Title), fold.Text(b.Title.Book.Title))
	},
	report.StockByActiveLoans:      func(a, b report.StockRow) int { return cmp.Compare(a.ActiveLoans, b.ActiveLoans) },
	report.StockByReadings:         func(a, b report.StockRow) int { return cmp.Compare(a.Readings, b.Readings) },
	report.StockByPossibleReadings: func(a, b report.StockRow) int { return cmp.Compare(a.Possible, b.Possible) },
	report.StockByActiveReservations: func(a, b report.StockRow) int {
		return cmp.Compare(a.ActiveReservations, b.ActiveReservations)
	},
}

func maybeDate(r *rand.Rand) *calendar.Date {
	return maybe(r, libraries.HistoryStart-2, libraries.HistoryStart, libraries.HistoryStart+3, libraries.HistoryStart+10)
}

// TestStock compares all pages of many queries with rows made one by one.
func TestStock(t *testing.T) {
	n := randomNetwork(t, 31, 3)
	reports, r := n.reports(), rand.New(rand.NewPCG(7, 8))
	found := 0
	for i := range 400 {
		q := report.StockQuery{Order: report.StockOrder(i % 6), Asc: r.IntN(2) == 0}
		if r.IntN(3) > 0 {
			q.Filter = randomTitleFilter(r)
		}
		if r.IntN(2) == 0 {
			q.Filter.Collection = pickOne(r, stock.Additional, stock.External, stock.Manual)
			q.Purchased = calendar.Asked{Start: maybeDate(r), End: maybeDate(r)}
		}
		if r.IntN(4) == 0 {
			q.Band = new(stock.Band(r.IntN(stock.Bands)))
		}
		got := pages(t, 1+r.IntN(40), func(p paging.Page) ([]report.StockRow, int64) {
			list, err := reports.Stock(t.Context(), n.access(), q, p)
			if err != nil {
				t.Fatal(err)
			}
			return list.Rows, list.Total
		})
		want := n.slowStock(q)
		if !slices.EqualFunc(got, want, func(a, b report.StockRow) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%+v:\n%+v, want\n%+v", q, got, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("the queries find %d rows: too few to tell anything", found)
	}
}

// TestStockEachParameter asks with one parameter after the other, so that none may be forgotten in what is kept.
func TestStockEachParameter(t *testing.T) {
	n := randomNetwork(t, 33, 3)
	reports := n.reports()
	var queries []report.StockQuery
	for _, f := range eachTitleFilter() {
		queries = append(queries, report.StockQuery{Filter: f})
	}
	for order := range report.StockByActiveReservations + 1 {
		queries = append(queries, report.StockQuery{Order: order}, report.StockQuery{Order: order, Asc: true})
	}
	for b := range stock.Band(stock.Bands) {
		queries = append(queries, report.StockQuery{Band: &b})
	}
	for at := libraries.HistoryStart; at < libraries.HistoryStart+12; at += 4 {
		queries = append(queries,
			report.StockQuery{Purchased: calendar.Asked{Start: &at}}, report.StockQuery{Purchased: calendar.Asked{End: &at}})
	}
	for _, q := range queries {
		list, err := reports.Stock(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		if want := n.slowStock(q); !reflect.DeepEqual(list.Rows, want) && len(want) > 0 || len(list.Rows) != len(want) {
			t.Errorf("%+v:\n%+v, want\n%+v", q, list.Rows, want)
		}
	}
}

// TestStockOneLine holds that one line has to meet both the collection and the days of purchase, and that the days of a
// legacy line are those shown (L9).
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

// TestStockAddsUp holds that purchases add up to their row, none consumes more than it can serve, and the rows add up to
// data.stock.
func TestStockAddsUp(t *testing.T) {
	n := randomNetwork(t, 32, 3)
	reports := n.reports()
	list, err := reports.Stock(t.Context(), n.access(), report.StockQuery{}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(3)}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	var readings, possible, bands int64
	for _, row := range list.Rows {
		sum := int64(0)
		for _, p := range row.Purchases {
			sum += p.Possible
			if p.Consumed > p.Possible || p.Percentage > 10_000 {
				t.Errorf("title %d, %s: consumed %d of %d", row.Title.Book.ID, p.Label, p.Consumed, p.Possible)
			}
		}
		if sum != row.Possible || len(row.Purchases) == 0 {
			t.Errorf("title %d: %d purchases add up to %d, want %d", row.Title.Book.ID, len(row.Purchases), sum, row.Possible)
		}
		readings, possible = readings+row.Readings, possible+row.Possible
	}
	for _, n := range s.Stock.Histogram {
		bands += n
	}
	if readings != s.Stock.Readings || possible != s.Stock.Possible || bands != list.Total || s.Stock.Percentage > 10_000 {
		t.Errorf("%d rows with %d of %d, data.stock is %+v", list.Total, readings, possible, s.Stock)
	}
}
