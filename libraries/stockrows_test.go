package libraries_test

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// slowStock makes the rows of a query, in its order.
func (n *network) slowStock(q libraries.StockQuery) []libraries.StockRow {
	c := libraries.NewCatalogue(n.terms, slices.Clone(n.books), slices.Clone(n.lines))
	var rows []libraries.StockRow
	for _, b := range n.books {
		own := libraries.OwnLines(n.linesOf(b), libraries.HistoryStart)
		fits := slices.ContainsFunc(own, func(l libraries.Line) bool {
			return (q.Filter.Collection == 0 || l.Collection == q.Filter.Collection) &&
				libraries.Between(q.Purchased).Contains(l.ShownPurchasedAt(libraries.HistoryStart))
		})
		h := n.holding(b.ID)
		possible := libraries.Capacity(own)
		if !fits || !titlePasses(b, q.Filter) || q.Band != nil && libraries.BandOf(h.Readings, possible) != *q.Band {
			continue
		}
		row := libraries.StockRow{
			Title: c.Title(b.ID), ActiveLoans: h.ActiveLoans, Readings: h.Readings, Possible: possible,
			Percentage: libraries.Ratio(h.Readings, possible), ActiveReservations: h.ActiveReservations,
		}
		left := h.Readings
		for _, l := range own {
			p := libraries.Purchase{
				Label: l.Label(), Modality: l.Modality, Model: libraries.Model(b.MaxUses), Copies: l.ShownCopies(), Possible: l.Possible(),
				Consumed: min(left, l.Possible()), PurchasedAt: l.ShownPurchasedAt(libraries.HistoryStart), ExpiresAt: l.ShownExpiresAt(),
			}
			left -= p.Consumed
			p.Percentage = libraries.Ratio(p.Consumed, p.Possible)
			p.Unit, p.Total = l.ShownPrices()
			row.Purchases = append(row.Purchases, p)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b libraries.StockRow) int {
		return byTitle(a, b, func(r libraries.StockRow) *libraries.Title { return r.Title }, stockColumns[q.Order], q.Asc)
	})
	return rows
}

// stockColumns are the columns by which stock is ordered.
var stockColumns = map[libraries.StockOrder]func(a, b libraries.StockRow) int{
	libraries.StockByPercentage: func(a, b libraries.StockRow) int { return cmp.Compare(a.Percentage, b.Percentage) },
	libraries.StockByTitle: func(a, b libraries.StockRow) int {
		return cmp.Compare(libraries.Fold(a.Title.Book.Title), libraries.Fold(b.Title.Book.Title))
	},
	libraries.StockByActiveLoans:      func(a, b libraries.StockRow) int { return cmp.Compare(a.ActiveLoans, b.ActiveLoans) },
	libraries.StockByReadings:         func(a, b libraries.StockRow) int { return cmp.Compare(a.Readings, b.Readings) },
	libraries.StockByPossibleReadings: func(a, b libraries.StockRow) int { return cmp.Compare(a.Possible, b.Possible) },
	libraries.StockByActiveReservations: func(a, b libraries.StockRow) int {
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
		q := libraries.StockQuery{Order: libraries.StockOrder(i % 6), Asc: r.IntN(2) == 0}
		if r.IntN(3) > 0 {
			q.Filter = randomTitleFilter(r)
		}
		if r.IntN(2) == 0 {
			q.Filter.Collection = pickOne(r, libraries.Additional, libraries.External, libraries.Manual)
			q.Purchased = calendar.Asked{Start: maybeDate(r), End: maybeDate(r)}
		}
		if r.IntN(4) == 0 {
			q.Band = new(libraries.Band(r.IntN(libraries.Bands)))
		}
		got := pages(t, 1+r.IntN(40), func(p paging.Page) ([]libraries.StockRow, int64) {
			list, err := reports.Stock(t.Context(), n.access(), q, p)
			if err != nil || list.Hour != n.hour {
				t.Fatal(list.Hour, err)
			}
			return list.Rows, list.Total
		})
		want := n.slowStock(q)
		if !slices.EqualFunc(got, want, func(a, b libraries.StockRow) bool { return reflect.DeepEqual(a, b) }) {
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
	var queries []libraries.StockQuery
	for _, f := range eachTitleFilter() {
		queries = append(queries, libraries.StockQuery{Filter: f})
	}
	for order := range libraries.StockByActiveReservations + 1 {
		queries = append(queries, libraries.StockQuery{Order: order}, libraries.StockQuery{Order: order, Asc: true})
	}
	for b := range libraries.Band(libraries.Bands) {
		queries = append(queries, libraries.StockQuery{Band: &b})
	}
	for at := libraries.HistoryStart; at < libraries.HistoryStart+12; at += 4 {
		queries = append(queries,
			libraries.StockQuery{Purchased: calendar.Asked{Start: &at}}, libraries.StockQuery{Purchased: calendar.Asked{End: &at}})
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
	line := func(c libraries.Collection, k libraries.Kind, at calendar.Date) libraries.BookLine {
		return libraries.BookLine{Book: 1, Line: libraries.Line{Collection: c, Kind: k, Copies: &one, PurchasedAt: at}}
	}
	start := libraries.HistoryStart
	n := &network{
		books: []libraries.Book{{ID: 1}},
		lines: []libraries.BookLine{
			line(libraries.Additional, libraries.PurchaseLine, start+5), line(libraries.External, libraries.LegacyLine, start-400),
		},
	}
	reports := n.pack(t).reports()
	for _, test := range []struct {
		name       string
		collection libraries.Collection
		from, to   calendar.Date
		want       int64
	}{
		{"the line of the collection was bought on another day", libraries.Additional, start, start, 0},
		{"it was bought on that day", libraries.Additional, start + 5, start + 5, 1},
		{"ends in the wrong order are swapped", libraries.Additional, start + 6, start + 4, 1},
		{"a legacy line shows the first day of the history", libraries.External, start, start, 1},
		{"not the day on which it was bought", libraries.External, start - 500, start - 1, 0},
		{"any collection", 0, start + 1, start + 5, 1},
		{"no line of the collection", libraries.Manual, start - 500, start + 500, 0},
	} {
		q := libraries.StockQuery{Purchased: calendar.Asked{Start: &test.from, End: &test.to}}
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
	list, err := reports.Stock(t.Context(), n.access(), libraries.StockQuery{}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reports.Summary(t.Context(), n.access(), libraries.SummaryQuery{Period: firstDays(3)}, wholePage)
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
