package report_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/packed"
)

// village is a network of five readers and four titles whose numbers can be added up by hand. Its hour is in the last of 41 days.
func village(t *testing.T) *network {
	t.Helper()
	ten, zero, one, two, three := int64(10), int64(0), int64(1), int64(2), int64(3)
	n := &network{at: snapshot.Versions{Registers: 4, Facts: 4}, hour: libraries.HourOf((history + 40).Start())}
	n.terms = map[libraries.Vocabulary][]libraries.Term{
		libraries.LibraryTerms:   {{ID: 2, Name: "Zona Sul"}, {ID: 9, Name: "Água"}, {ID: 10, Name: "agua"}},
		libraries.AgeGroupTerms:  {{ID: 1, Name: "Infantil"}, {ID: 2, Name: "Adulto"}},
		libraries.PublisherTerms: {{ID: 1, Name: "Sol"}, {ID: 2, Name: "Lua"}},
		libraries.CategoryTerms:  {{ID: 1, Name: "Ficção"}, {ID: 2, Name: "Arte"}, {ID: 3, Name: "arte"}, {ID: 4, Name: "Vazia"}},
		libraries.SubjectTerms:   {{ID: 1, Name: "Mar"}, {ID: 2, Name: "Céu"}},
	}
	n.books = []libraries.Book{
		{ID: 1, Title: "Água", ISBN: "978-85-333-0227-3", Author: "Eça de Queirós", Publisher: 1, Year: 1990, Categories: []int64{1, 2}, Subjects: []int64{1}, MaxUses: &ten, HasEbook: true},
		{ID: 2, Title: "dom", Author: "Lia", Publisher: 2, Year: 2020, Categories: []int64{2}, HasAudiobook: true},
		{ID: 3, Title: "Mar e céu", Publisher: libraries.None, Year: libraries.None, Categories: []int64{3}, Subjects: []int64{1, 2}, HasEbook: true, HasAudiobook: true},
		{ID: 4, Title: "agua", Publisher: libraries.None, Year: libraries.None, MaxUses: &zero, HasVideo: true},
	}
	n.lines = []stock.BookLine{
		{Book: 1, Line: stock.Line{ID: 1, Collection: stock.Additional, Kind: stock.PurchaseLine, Number: 3, Copies: &two, PurchasedAt: history + 5, UnitPrice: 1250, TotalPrice: 2500}},
		{Book: 1, Line: stock.Line{ID: 2, Collection: stock.External, Kind: stock.LegacyLine, Number: 1, Copies: &three, PurchasedAt: history - 400}},
		{Book: 2, Line: stock.Line{ID: 3, Collection: stock.Manual, Kind: stock.PurchaseLine, Number: 2, Copies: &one, PurchasedAt: history + 1}},
		{Book: 3, Line: stock.Line{ID: 4, Collection: stock.Platform, Kind: stock.PurchaseLine, Number: 4, PurchasedAt: history}},
	}
	n.titleCounts = facts.CountsByTitle{
		{Book: 1, Readings: 5, ActiveLoans: 2, ActiveReservations: 1, Confirmed: 4}, {Book: 2, Readings: 30, ActiveLoans: 1, Confirmed: 27},
		{Book: 3, Readings: 7, ActiveReservations: 2, Confirmed: 7},
	}
	n.readers = []facts.Attributes{
		{ID: 5, Library: 9, AgeGroup: 1, State: "SP", City: "São Paulo", Gender: libraries.Female, Status: libraries.ReaderActive, Registered: history - 5, Loans: 3, ActiveReservations: 1},
		{ID: 1000, Library: 10, AgeGroup: 2, State: "SP", City: "sao paulo", Status: libraries.ReaderActive, Registered: history + 1, ActiveReservations: 2},
		{ID: 2000, Library: libraries.None, AgeGroup: libraries.None, State: "MG", City: "Betim", Gender: libraries.Male, Status: libraries.ReaderDeactivated, DeletedAt: history + 32, Registered: history, Loans: 1},
		{ID: 3000, Library: 9, AgeGroup: 2, Status: libraries.ReaderDeleted, DeletedAt: history + 2, Registered: history + 2},
		{ID: 9000, Library: 2, AgeGroup: libraries.None, Status: libraries.ReaderActive, Registered: history - 1},
	}
	book := func(id int64, read bool, m metric.Measures) facts.BookDelta {
		return facts.BookDelta{Book: id, Read: read, Measures: m}
	}
	presence := func(events int32) libraries.Presence { return libraries.Presence{Events: events, First: 10, Last: 90} }
	n.deltas = []facts.DayDelta{
		{Day: history, Reader: 5, Presence: presence(2), Books: []facts.BookDelta{
			book(1, true, metric.Measures{metric.Loans: 1, metric.ReadingSeconds: 600, metric.Readings10: 1, metric.Readings50: 1}),
			book(2, true, metric.Measures{metric.ReadingSeconds: 60, metric.ListeningSeconds: 60, metric.ListeningSessions: 1}),
		}, Totals: metric.DayCounts{OnlineSessions: 2, OfflineSessions: 1, OnlineSeconds: 600, OfflineSeconds: 60}},
		{Day: history, Reader: 1000, Presence: presence(2), Previews: 2},
		{Day: history + 1, Reader: 5, Returned: []int32{4000}, Books: []facts.BookDelta{book(1, false, metric.Measures{metric.Returns: 1})}},
		{Day: history + 1, Reader: 2000, Books: []facts.BookDelta{book(2, false, metric.Measures{metric.Returns: 1})}}, // an expiry
		{Day: history + 12, Reader: 2000, Presence: presence(1), Books: []facts.BookDelta{
			book(3, true, metric.Measures{metric.Loans: 2, metric.Reservations: 1, metric.ReservationsConverted: 1, metric.Renewals: 2, metric.ReadingSeconds: 30}),
		}, Totals: metric.DayCounts{OnlineSessions: 1, OnlineSeconds: 30, Cancelled: 3, Lost: 4}},
		{Day: history + 14, Reader: 2000, Books: []facts.BookDelta{book(3, false, metric.Measures{metric.ConvertedThatDay: 1})}},
	}
	n.channels = []libraries.ChannelDay{
		{Day: history, Channel: libraries.WebMobile, Sessions: 4}, {Day: history, Channel: libraries.WebTablet, Sessions: 1},
		{Day: history + 1, Channel: libraries.App, Sessions: 7, Estimated: true}, {Day: history + 12, Channel: libraries.WebDesktop, Sessions: 9},
	}
	return n.pack(t)
}

// generalText returns registered readers, those with a login, titles and active reservations, then logins, loans,
// returns, readings10 and readings50, previews, reading seconds, renewals, reservations and converted ones.
func generalText(g report.General) string {
	s := g.Sums
	return fmt.Sprintf("%d %d %d %d: %d %d %d %d %d %d %d %d %d %d", g.RegisteredUsers, g.UsersWithLogin, g.DistinctBooks, g.ActiveReservations,
		s[metric.Logins], s[metric.Loans], s[metric.Returns], s[metric.Readings10], s[metric.Readings50], s[metric.Previews],
		s[metric.ReadingSeconds], s[metric.Renewals], s[metric.Reservations], s[metric.ReservationsConverted])
}

// TestSummaryOfReaders tests each filter of L11 on the village, all with one cache.
func TestSummaryOfReaders(t *testing.T) {
	n := village(t)
	reports := n.reports()
	for _, test := range []struct {
		rule string
		days int
		q    report.SummaryQuery
		want string
	}{
		{"everybody", 20, report.SummaryQuery{}, "5 3 3 3: 4 3 2 1 1 2 690 2 1 1"},
		{"a day", 1, report.SummaryQuery{}, "5 2 2 3: 2 1 0 1 1 2 660 0 0 0"},
		{"two days", 2, report.SummaryQuery{}, "5 2 2 3: 3 1 2 1 1 2 660 0 0 0"},
		{"12 days", 12, report.SummaryQuery{}, "5 2 2 3: 3 1 2 1 1 2 660 0 0 0"},
		{"13 days", 13, report.SummaryQuery{}, "5 3 3 3: 4 3 2 1 1 2 690 2 1 1"},
		{"a library", 20, report.SummaryQuery{Filter: report.ReaderFilter{Library: new(int64(9))}}, "2 1 2 1: 2 1 1 1 1 0 660 0 0 0"},
		{"no library", 20, report.SummaryQuery{Filter: report.ReaderFilter{Library: new(int64(libraries.None))}}, "0 0 0 0: 0 0 0 0 0 0 0 0 0 0"},
		{"an age group", 20, report.SummaryQuery{Filter: report.ReaderFilter{AgeGroup: new(int64(2))}}, "2 1 0 2: 1 0 0 0 0 2 0 0 0 0"},
		{"no age group", 20, report.SummaryQuery{Filter: report.ReaderFilter{AgeGroup: new(int64(libraries.None))}}, "0 0 0 0: 0 0 0 0 0 0 0 0 0 0"},
		{"a state, folded", 20, report.SummaryQuery{Filter: report.ReaderFilter{State: new("sp")}}, "2 2 2 3: 3 1 1 1 1 2 660 0 0 0"},
		{"a city, folded", 20, report.SummaryQuery{Filter: report.ReaderFilter{City: new("SAO  paulo")}}, "2 2 2 3: 3 1 1 1 1 2 660 0 0 0"},
		{"no city", 20, report.SummaryQuery{Filter: report.ReaderFilter{City: new("")}}, "0 0 0 0: 0 0 0 0 0 0 0 0 0 0"},
		{"a gender", 20, report.SummaryQuery{Filter: report.ReaderFilter{Gender: new("masculino")}}, "1 1 1 0: 1 2 1 0 0 0 30 2 1 1"},
		{"gender not informed", 20, report.SummaryQuery{Filter: report.ReaderFilter{Gender: new("não informado")}}, "3 1 0 2: 1 0 0 0 0 2 0 0 0 0"},
		{"new users", 2, report.SummaryQuery{NewUsers: true}, "2 1 0 2: 1 0 1 0 0 2 0 0 0 0"},
		{"new users of one day", 1, report.SummaryQuery{NewUsers: true}, "1 0 0 0: 0 0 0 0 0 0 0 0 0 0"},
		{"two filters", 20, report.SummaryQuery{Filter: report.ReaderFilter{State: new("SP"), AgeGroup: new(int64(1))}}, "1 1 2 1: 2 1 1 1 1 0 660 0 0 0"},
	} {
		test.q.Period = firstDays(test.days)
		s, err := reports.Summary(t.Context(), n.access(), test.q, wholePage)
		if err != nil || generalText(s.General) != test.want {
			t.Errorf("%s: general = %s, %v, want %s", test.rule, generalText(s.General), err, test.want)
		}
	}
}

// TestSummaryGroups tests that groups are ordered by folded label, then by key, with the group without a key last.
func TestSummaryGroups(t *testing.T) {
	n := village(t)
	reports := n.reports()
	const five, thousand, mg = "1 1 2 1: 2 1 1 1 1 0 660 0 0 0", "1 1 0 2: 1 0 0 0 0 2 0 0 0 0", "1 1 1 0: 1 2 1 0 0 0 30 2 1 1"
	const none = "0 0 0: 0 0 0 0 0 0 0 0 0 0"
	for by, want := range map[report.GroupBy][]string{
		report.ByLibrary:  {"10 agua " + thousand, "9 Água 2 1 2 1: 2 1 1 1 1 0 660 0 0 0", "2 Zona Sul 1 " + none, " Não informado " + mg},
		report.ByAgeGroup: {"2 Adulto 2 1 0 2: 1 0 0 0 0 2 0 0 0 0", "1 Infantil " + five, " Não informado 2 1 1 0: 1 2 1 0 0 0 30 2 1 1"},
		report.ByState:    {"MG MG " + mg, "SP SP 2 2 2 3: 3 1 1 1 1 2 660 0 0 0", " Não informado 2 " + none},
		report.ByCity:     {"Betim Betim " + mg, "São Paulo São Paulo " + five, "sao paulo sao paulo " + thousand, " Não informado 2 " + none},
	} {
		for size := 1; size <= 5; size++ {
			var got []string
			for number := 1; number <= len(want)+1; number++ {
				s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(20), GroupBy: by}, paging.Page{Number: number, Size: size})
				if err != nil || s.BreakdownTotal != int64(len(want)) || len(s.Breakdown) > size {
					t.Fatalf("by %s: %d groups of %d, %v, want %d", by, len(s.Breakdown), s.BreakdownTotal, err, len(want))
				}
				for _, g := range s.Breakdown {
					got = append(got, g.Key+" "+g.Label+" "+generalText(g.Metrics))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("by %s, pages of %d:\n%s, want\n%s", by, size, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestSummaryOfBase tests the parts of a summary that no filter affects (L10 to L12, L19, L20).
func TestSummaryOfBase(t *testing.T) {
	n := village(t)
	s, err := n.reports().Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(13), Filter: report.ReaderFilter{State: new("RJ")}}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	for block, pair := range map[string][2]any{
		"consumption":  {[]int64{s.Consumption.OnlineSessions, s.Consumption.OfflineSessions, s.Consumption.OnlineSeconds, s.Consumption.OfflineSeconds}, []int64{3, 1, 630, 60}},
		"channels":     {s.Channels, report.ChannelTotals{Available: true, AppEstimated: true, App: 7, Mobile: 4, Desktop: 9, Tablet: 1}},
		"formats":      {s.Formats, report.Formats{Catalogue: report.Split{EbookOnly: 1, AudiobookOnly: 1, Both: 1}, Loans: report.Split{EbookOnly: 1, Both: 2}, Listeners: 1, ListeningSeconds: 60}},
		"reservations": {s.Reservations, report.ReservationTotals{Active: 3, Cancelled: 3, Lost: 4}},
		// Title 1 has 5 readings of 23 possible ones, title 2 has 30 of 26: 31 of 49 are allocated.
		"stock":      {s.Stock, report.StockTotals{ActiveLoans: 3, Readings: 35, Possible: 49, Percentage: 6327, ActiveReservations: 3, Histogram: [stock.Bands]int64{3: 1, stock.BandOver: 1}}},
		"categories": {s.Profile.Categories, []report.ProfileItem{{Name: "Arte", Titles: 2, Loans: 1}, {Name: "arte", Titles: 1, Loans: 2}, {Name: "Ficção", Titles: 1, Loans: 1}}},
		"subjects":   {s.Profile.Subjects, []report.ProfileItem{{Name: "Mar", Titles: 2, Loans: 3}, {Name: "Céu", Titles: 1, Loans: 2}}},
		"origins":    {s.Profile.Origins, []report.ProfileItem{{Name: "external", Titles: 1, Loans: 1}, {Name: "manual", Titles: 1}, {Name: "platform", Titles: 1, Loans: 2}}},
		"materials":  {[]report.ProfileItem{s.Profile.Ebook, s.Profile.Audiobook, *s.Profile.Video}, []report.ProfileItem{{Titles: 2, Loans: 3}, {Titles: 2, Loans: 2}, {Titles: 1}}},
		"deleted":    {[]int64{s.Deleted.Total, s.Deleted.Last30Days, s.Deleted.WithLoans}, []int64{2, 1, 1}},
	} {
		if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
			t.Errorf("%s = %+v, want %+v", block, pair[0], pair[1])
		}
	}
	var months []string // the first month has 11 days
	for _, m := range s.Monthly {
		months = append(months, fmt.Sprint(m.Period.Start, m.Sums[metric.Loans], m.Sums[metric.Readings10], m.Sums[metric.Readings50], m.Sums[metric.Renewals], m.Sums[metric.ReadingSeconds]))
	}
	if want := []string{"2026-07-21 1 1 1 0 660", "2026-08-01 2 0 0 2 30"}; !slices.Equal(months, want) {
		t.Errorf("monthly = %q, want %q", months, want)
	}
	if d := s.Deleted; fmt.Sprint(d.Monthly) != "[{2026-07-21 1} {2026-08-01 1}]" || len(d.Daily) != 30 || d.Daily[21].Total != 1 || d.Daily[29].Day != history+40 {
		t.Errorf("deleted users by month %v, by day %v", d.Monthly, d.Daily)
	}
}

// titleFilters are the filters of books and stock, with the titles that they let through, by title.
var titleFilters = []struct {
	filter       report.TitleFilter
	books, stock string
}{
	{report.TitleFilter{}, "1 4 2 3", "1 2"}, {report.TitleFilter{Search: new("AGU")}, "1 4", "1"}, {report.TitleFilter{Search: new("mar  e")}, "3", ""},
	{report.TitleFilter{Search: new("8533")}, "1", "1"}, {report.TitleFilter{Search: new("978-85-33")}, "1", "1"}, {report.TitleFilter{Search: new("%")}, "", ""},
	{report.TitleFilter{Publisher: new(int64(1))}, "1", "1"}, {report.TitleFilter{Publisher: new(int64(2))}, "2", "2"}, {report.TitleFilter{Publisher: new(int64(libraries.None))}, "", ""},
	{report.TitleFilter{Category: new(int64(2))}, "1 2", "1 2"}, {report.TitleFilter{Category: new(int64(4))}, "", ""}, {report.TitleFilter{Subject: new(int64(1))}, "1 3", "1"},
	{report.TitleFilter{Year: new(int64(1990))}, "1", "1"}, {report.TitleFilter{Year: new(int64(libraries.None))}, "", ""}, {report.TitleFilter{Book: new(int64(4))}, "4", ""},
	{report.TitleFilter{Collection: stock.Additional}, "1", "1"}, {report.TitleFilter{Collection: stock.External}, "1", "1"},
	{report.TitleFilter{Collection: stock.Manual}, "2", "2"}, {report.TitleFilter{Collection: stock.Platform}, "3", ""},
	{report.TitleFilter{Search: new("a"), Category: new(int64(2)), Year: new(int64(1990))}, "1", "1"},
}

// booksText returns the numbers of the books, which must be the same by pages of each size.
func booksText(t *testing.T, n *network, r *report.Reports, q report.BookQuery) string {
	t.Helper()
	first := ""
	for size := 1; size <= 5; size++ {
		text, total := "", int64(0)
		for number := 1; number <= 5; number++ {
			list, err := r.Books(t.Context(), n.access(), q, paging.Page{Number: number, Size: size})
			if total = list.Total; err != nil {
				t.Fatal(err)
			}
			for _, row := range list.Rows {
				text += fmt.Sprint(" ", row.Title.Book.ID)
			}
		}
		if text = strings.TrimSpace(text); size == 1 {
			first = text
		}
		if text != first || int(total) != len(strings.Fields(text)) {
			t.Errorf("%+v: pages of %d = %q of %d, pages of one row = %q", q, size, text, total, first)
		}
	}
	return first
}

// TestBooks tests each filter and each order (L15), all with one cache.
func TestBooks(t *testing.T) {
	n := village(t)
	reports := n.reports()
	for _, f := range titleFilters {
		if got := booksText(t, n, reports, report.BookQuery{Period: firstDays(20), Filter: f.filter, Order: report.BooksByTitle, Asc: true}); got != f.books {
			t.Errorf("%+v: books %s, want %s", f.filter, got, f.books)
		}
	}
	for _, test := range []struct {
		q    report.BookQuery
		days int
		want string
	}{
		{report.BookQuery{Author: new("eca")}, 20, "1"}, {report.BookQuery{Author: new("IA")}, 20, "2"}, {report.BookQuery{Author: new("")}, 20, "1 2"},
		{report.BookQuery{Format: libraries.Ebook}, 20, "3 1"}, {report.BookQuery{Format: libraries.Audiobook}, 20, "3 2"},
		{report.BookQuery{}, 20, "3 1 4 2"}, {report.BookQuery{}, 12, "1 4 2 3"}, {report.BookQuery{Asc: true}, 20, "4 2 1 3"},
		{report.BookQuery{Order: report.BooksByReturns}, 20, "1 2 4 3"}, {report.BookQuery{Order: report.BooksByReturns, Asc: true}, 1, "1 4 2 3"},
		{report.BookQuery{Order: report.BooksByReadings10}, 20, "1 4 2 3"}, {report.BookQuery{Order: report.BooksByReadings50, Asc: true}, 20, "4 2 3 1"},
		{report.BookQuery{Order: report.BooksByReadingSeconds}, 20, "1 2 3 4"}, {report.BookQuery{Order: report.BooksByRenewals}, 20, "3 1 4 2"},
		{report.BookQuery{Order: report.BooksByReservations}, 20, "3 1 4 2"}, {report.BookQuery{Order: report.BooksByActiveReservations}, 20, "3 1 4 2"},
		{report.BookQuery{Order: report.BooksByConvertedReservations}, 20, "3 1 4 2"}, {report.BookQuery{Order: report.BooksByConvertedReservations, Asc: true}, 14, "1 4 2 3"},
		{report.BookQuery{Order: report.BooksByTitle}, 20, "3 2 1 4"},
	} {
		test.q.Period = firstDays(test.days)
		if got := booksText(t, n, reports, test.q); got != test.want {
			t.Errorf("%+v of %d days: books %s, want %s", test.q, test.days, got, test.want)
		}
	}
	list, err := reports.Books(t.Context(), n.access(), report.BookQuery{Period: firstDays(20), Order: report.BooksByTitle, Asc: true}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list.Rows {
		got = append(got, fmt.Sprint(r.Title.Book.ID, " ", r.Publisher, " ", r.Collection, " ", r.Own, r.Model, r.Copies, r.Available, r.Consumed, r.ActiveReservations, r.Sums[metric.ListeningSessions]))
	}
	if want := []string{"1 Sol external true 10 23 19 4 1 0", "4  collection 0 false 0 0 0 0 0 0", "2 Lua manual true 26 26 0 27 0 0", "3  platform false 0 0 0 0 2 0"}; !slices.Equal(got, want) {
		t.Errorf("books = %q, want %q", got, want)
	}
}

// TestBooksCorrupt tests that a block of titles that is cut short or has an unknown title is an error.
func TestBooksCorrupt(t *testing.T) {
	for missing := range 4 {
		n := village(t)
		if missing < 3 {
			n.books = slices.Delete(n.books, missing, missing+1)
		} else {
			for d, f := range n.forms {
				f.Titles = f.Titles[:max(len(f.Titles)-1, 0)]
				n.forms[d] = f
			}
		}
		if _, err := n.reports().Books(t.Context(), n.access(), report.BookQuery{Period: firstDays(20)}, wholePage); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("books without title %d: error %v, want ErrCorrupt", missing+1, err)
		}
	}
}

// TestStock tests each filter, band and order, and all that rows show (L9, L10).
func TestStock(t *testing.T) {
	n := village(t)
	reports := n.reports()
	ask := func(q report.StockQuery) []report.StockRow {
		t.Helper()
		list, err := reports.Stock(t.Context(), n.access(), q, wholePage)
		if err != nil || list.Total != int64(len(list.Rows)) {
			t.Fatalf("%+v: %d rows of %d, %v", q, len(list.Rows), list.Total, err)
		}
		return list.Rows
	}
	ids := func(q report.StockQuery) string {
		t.Helper()
		text := ""
		for _, r := range ask(q) {
			text += fmt.Sprint(" ", r.Title.Book.ID)
		}
		return strings.TrimSpace(text)
	}
	for _, f := range titleFilters {
		if got := ids(report.StockQuery{Filter: f.filter, Order: report.StockByTitle, Asc: true}); got != f.stock {
			t.Errorf("%+v: stock %s, want %s", f.filter, got, f.stock)
		}
	}
	for order, want := range map[report.StockOrder]string{
		report.StockByPercentage: "2 1", report.StockByTitle: "2 1", report.StockByActiveLoans: "1 2", report.StockByReadings: "2 1",
		report.StockByPossibleReadings: "2 1", report.StockByActiveReservations: "1 2",
	} {
		if got, up := ids(report.StockQuery{Order: order}), ids(report.StockQuery{Order: order, Asc: true}); got != want || up == want {
			t.Errorf("order %d: descending %s, ascending %s, want %s descending", order, got, up, want)
		}
	}
	for band := range stock.Band(stock.Bands) {
		want := map[stock.Band]string{3: "1", stock.BandOver: "2"}[band]
		if got := ids(report.StockQuery{Band: &band}); got != want {
			t.Errorf("band %s: %s, want %s", band, got, want)
		}
	}
	var got []string
	for _, r := range ask(report.StockQuery{Order: report.StockByTitle, Asc: true}) {
		got = append(got, fmt.Sprint(r.Title.Book.ID, " ", r.ActiveLoans, r.Readings, r.Possible, r.Percentage, r.ActiveReservations))
		for _, p := range r.Purchases {
			got = append(got, fmt.Sprint(p.Label, " ", stock.Model(p.Line.MaxUses), p.Possible, p.Consumed, p.Percentage, " ", p.Line.PurchasedAt, p.Line.UnitPrice, p.Line.TotalPrice, p.Line.Copies != nil))
		}
	}
	if want := []string{
		"1 2 5 23 0.2174 1", "Legado 1 10 3 3 1.0000 2026-07-21 0 0 false", "Compra 3 10 20 2 0.1000 2026-07-26 12.50 25.00 true",
		"2 1 30 26 1.1538 0", "Compra 2 26 26 26 1.0000 2026-07-22 0 0 true",
	}; !slices.Equal(got, want) {
		t.Errorf("stock = %q, want %q", got, want)
	}
	if list, err := reports.Stock(t.Context(), n.access(), report.StockQuery{}, paging.Page{Number: 2, Size: 1}); err != nil || list.Total != 2 || list.Rows[0].Title.Book.ID != 1 {
		t.Errorf("page 2 of 1 row = %+v, %v, want title 1", list, err)
	}
}
