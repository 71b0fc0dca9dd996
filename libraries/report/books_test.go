package report_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// counts returns what is counted now of a title.
func (n *network) holding(book int64) facts.TitleCounts {
	for _, h := range n.held {
		if h.Book == book {
			return h
		}
	}
	return facts.TitleCounts{Book: book}
}

// slowBook makes the row of a title.
func (n *network) slowBook(c *report.Catalogue, b libraries.Book, period calendar.Period) report.BookRow {
	lines, h := n.linesOf(b), n.holding(b.ID)
	row := report.BookRow{
		Title: c.Title(b.ID), Publisher: c.Term(libraries.PublisherTerms, b.Publisher), ActiveReservations: h.ActiveReservations,
		Collection: stock.CollectionOf(lines, libraries.HistoryStart),
	}
	for _, l := range lines {
		if l.Own() {
			row.Own = true
			row.Model, row.Consumed = stock.Model(b.MaxUses), h.Confirmed
			row.Copies += l.Possible()
			row.Available = max(row.Copies-h.Confirmed, 0)
		}
	}
	for _, d := range n.deltas {
		for _, part := range d.Books {
			if part.Book == b.ID && period.Contains(d.Day) {
				row.Sums.Add(&part.Measures)
				row.Sums[metric.ListeningSessions] = 0 // titles do not have them
			}
		}
	}
	return row
}

// titlePasses says whether a title passes a filter, without its collection.
func titlePasses(b libraries.Book, f report.TitleFilter) bool {
	is := func(want *int64, v int64) bool { return want == nil || *want == v && v != libraries.None }
	has := func(want *int64, list []int64) bool { return want == nil || slices.Contains(list, *want) }
	return is(f.Book, b.ID) && is(f.Publisher, b.Publisher) && is(f.Year, b.Year) && has(f.Category, b.Categories) &&
		has(f.Subject, b.Subjects) &&
		(f.Search == nil || libraries.ParseSearch(*f.Search).Book(fold.Text(b.Title), libraries.Digits(b.ISBN)))
}

// bookPasses says whether a title passes a query.
func (n *network) bookPasses(b libraries.Book, q report.BookQuery) bool {
	return titlePasses(b, q.Filter) &&
		(q.Author == nil || b.Author != "" && strings.Contains(fold.Text(b.Author), fold.Text(*q.Author))) &&
		(q.Format == 0 || q.Format == libraries.Ebook && b.HasEbook || q.Format == libraries.Audiobook && b.HasAudiobook) &&
		(q.Filter.Collection == 0 || stock.InCollection(n.linesOf(b), q.Filter.Collection))
}

// byTitle orders titles: by a column, up or down, then by folded title and identifier, up.
func byTitle[T any](a, b T, title func(T) *report.Title, column func(a, b T) int, asc bool) int {
	by := column(a, b)
	if !asc {
		by = -by
	}
	s, t := title(a).Book, title(b).Book
	return cmp.Or(by, cmp.Compare(fold.Text(s.Title), fold.Text(t.Title)), cmp.Compare(s.ID, t.ID))
}

// bookColumns are the columns by which books are ordered.
var bookColumns = map[report.BookOrder]func(r report.BookRow) int64{
	report.BooksByLoans:                 func(r report.BookRow) int64 { return r.Sums[metric.Loans] },
	report.BooksByReturns:               func(r report.BookRow) int64 { return r.Sums[metric.Returns] },
	report.BooksByReadings10:            func(r report.BookRow) int64 { return r.Sums[metric.Readings10] },
	report.BooksByReadings50:            func(r report.BookRow) int64 { return r.Sums[metric.Readings50] },
	report.BooksByReadingSeconds:        func(r report.BookRow) int64 { return r.Sums[metric.ReadingSeconds] },
	report.BooksByRenewals:              func(r report.BookRow) int64 { return r.Sums[metric.Renewals] },
	report.BooksByReservations:          func(r report.BookRow) int64 { return r.Sums[metric.Reservations] },
	report.BooksByActiveReservations:    func(r report.BookRow) int64 { return r.ActiveReservations },
	report.BooksByConvertedReservations: func(r report.BookRow) int64 { return r.Sums[metric.ConvertedThatDay] },
}

// slowBooks makes the rows of a query, in its order.
func (n *network) slowBooks(q report.BookQuery) []report.BookRow {
	c := report.NewCatalogue(n.terms, slices.Clone(n.books), slices.Clone(n.lines))
	var rows []report.BookRow
	for _, b := range n.books {
		if n.bookPasses(b, q) {
			rows = append(rows, n.slowBook(c, b, q.Period))
		}
	}
	column := func(a, b report.BookRow) int {
		if q.Order == report.BooksByTitle {
			return cmp.Compare(fold.Text(a.Title.Book.Title), fold.Text(b.Title.Book.Title))
		}
		of := bookColumns[q.Order]
		return cmp.Compare(of(a), of(b))
	}
	slices.SortFunc(rows, func(a, b report.BookRow) int {
		return byTitle(a, b, func(r report.BookRow) *report.Title { return r.Title }, column, q.Asc)
	})
	return rows
}

func maybe[T any](r *rand.Rand, of ...T) *T {
	if r.IntN(3) > 0 {
		return nil
	}
	return new(pickOne(r, of...))
}

func randomTitleFilter(r *rand.Rand) report.TitleFilter {
	f := report.TitleFilter{
		Search:    maybe(r, "AGU", "mar  e", "8533", "978-85-35", "%", "nada"),
		Publisher: maybe[int64](r, 1, 2, libraries.None), Category: maybe[int64](r, 1, 2, 9), Subject: maybe[int64](r, 1, 2),
		Year: maybe[int64](r, 1990, 2020, libraries.None),
	}
	if r.IntN(8) == 0 {
		f.Book = new(pickOne[int64](r, 1, 4, 5))
	}
	return f
}

// TestBooks compares all pages of many queries with rows made one by one.
func TestBooks(t *testing.T) {
	const days = 30
	n := randomNetwork(t, 21, days)
	reports, r := n.reports(), rand.New(rand.NewPCG(5, 6))
	found := 0
	for i := range 400 {
		q := report.BookQuery{
			Period: randomPeriod(r, days), Author: maybe(r, "EÇA", "a", "nobody", ""), Format: libraries.Format(r.IntN(3)),
			Order: report.BookOrder(i % 10), Asc: r.IntN(2) == 0,
		}
		if r.IntN(3) > 0 {
			q.Filter, q.Filter.Collection = randomTitleFilter(r), stock.Collection(max(0, r.IntN(9)-4))
		} else {
			q.Author, q.Format = nil, 0
		}
		got := pages(t, 1+r.IntN(40), func(p paging.Page) ([]report.BookRow, int64) {
			list, err := reports.Books(t.Context(), n.access(), q, p)
			if err != nil {
				t.Fatal(err)
			}
			return list.Rows, list.Total
		})
		want := n.slowBooks(q)
		if !slices.EqualFunc(got, want, func(a, b report.BookRow) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%+v:\n%s, want\n%s", q, showBooks(got), showBooks(want))
		}
		found += len(want)
	}
	if found < 2000 {
		t.Errorf("the queries find %d rows: too few to tell anything", found)
	}
}

// TestBooksEachParameter asks with one parameter after the other, so that none may be forgotten in what is kept.
func TestBooksEachParameter(t *testing.T) {
	n := randomNetwork(t, 23, 5)
	reports := n.reports()
	var queries []report.BookQuery
	for _, f := range eachTitleFilter() {
		queries = append(queries, report.BookQuery{Filter: f})
	}
	for order := range report.BooksByConvertedReservations + 1 {
		queries = append(queries, report.BookQuery{Order: order}, report.BookQuery{Order: order, Asc: true})
	}
	queries = append(queries,
		report.BookQuery{Author: new("eca")}, report.BookQuery{Author: new("lia")},
		report.BookQuery{Format: libraries.Ebook}, report.BookQuery{Format: libraries.Audiobook},
		report.BookQuery{Filter: report.TitleFilter{Collection: stock.Platform}},
		report.BookQuery{Period: firstDays(1)}, report.BookQuery{Period: firstDays(2)},
	)
	for _, q := range queries {
		if q.Period.End == 0 {
			q.Period = firstDays(5)
		}
		list, err := reports.Books(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		if want := n.slowBooks(q); !reflect.DeepEqual(list.Rows, want) && len(want) > 0 || len(list.Rows) != len(want) {
			t.Errorf("%+v:\n%s, want\n%s", q, showBooks(list.Rows), showBooks(want))
		}
	}
}

// eachTitleFilter are filters of one parameter, two of each.
func eachTitleFilter() []report.TitleFilter {
	return []report.TitleFilter{
		{}, {Search: new("agua")}, {Search: new("dom")}, {Publisher: new(int64(1))}, {Publisher: new(int64(2))},
		{Category: new(int64(1))}, {Category: new(int64(2))}, {Subject: new(int64(1))}, {Subject: new(int64(2))},
		{Collection: stock.Additional}, {Collection: stock.External}, {Collection: stock.Manual},
		{Book: new(int64(1))}, {Book: new(int64(4))}, {Year: new(int64(1990))}, {Year: new(int64(2020))},
	}
}

func showBooks(rows []report.BookRow) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%d %q %s %t %v; ", r.Title.Book.ID, r.Title.Book.Title, r.Collection, r.Own, r.Sums)
	}
	return b.String()
}

// TestBooksOrderOfTies holds that orderDir turns the chosen column alone (L15).
func TestBooksOrderOfTies(t *testing.T) {
	n := &network{books: []libraries.Book{{ID: 1, Title: "B"}, {ID: 2, Title: "á"}, {ID: 3, Title: "b"}, {ID: 4, Title: "A"}}}
	reports := n.pack(t).reports()
	for _, test := range []struct {
		order report.BookOrder
		asc   bool
		want  []int64
	}{
		{report.BooksByLoans, false, []int64{2, 4, 1, 3}},
		{report.BooksByLoans, true, []int64{2, 4, 1, 3}},
		{report.BooksByTitle, true, []int64{2, 4, 1, 3}},
		{report.BooksByTitle, false, []int64{1, 3, 2, 4}},
	} {
		list, err := reports.Books(t.Context(), n.access(), report.BookQuery{Order: test.order, Asc: test.asc}, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, row := range list.Rows {
			got = append(got, row.Title.Book.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("order %d, ascending %t: %v, want %v", test.order, test.asc, got, test.want)
		}
	}
}

// TestBooksCorrupt holds that a block of titles that does not fit the catalogue is an error, wherever in it the title stands.
func TestBooksCorrupt(t *testing.T) {
	const titles = 30
	for missing := range titles + 1 {
		n := randomNetwork(t, 24, 10)
		if missing < titles {
			n.books = slices.Delete(n.books, missing, missing+1)
		} else {
			for d, f := range n.forms {
				f.Titles = f.Titles[:len(f.Titles)-1]
				n.forms[d] = f
			}
		}
		if _, err := n.reports().Books(t.Context(), n.access(), report.BookQuery{Period: firstDays(10)}, wholePage); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("books without title %d of %d: error %v, want ErrCorrupt", missing, titles, err)
		}
	}
}

// TestBooksTotals holds that what titles sum to over a period is what summary says.
func TestBooksTotals(t *testing.T) {
	n := randomNetwork(t, 22, 20)
	reports := n.reports()
	list, err := reports.Books(t.Context(), n.access(), report.BookQuery{Period: firstDays(20)}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(20)}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	var sums metric.Measures
	active := int64(0)
	for _, row := range list.Rows {
		sums.Add(&row.Sums)
		active += row.ActiveReservations
	}
	want := s.General.Sums
	want[metric.Logins], want[metric.Previews] = 0, 0 // titles have none
	want[metric.ListeningSeconds], want[metric.ConvertedThatDay] = s.Formats.ListeningSeconds, s.Reservations.Converted
	if sums != want || active != s.Reservations.Active || want[metric.Loans] == 0 {
		t.Errorf("titles sum to %v and %d active reservations, summary has %v and %d", sums, active, want, s.Reservations.Active)
	}
}
