package report_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

const cityDays = 4

// cityNetwork returns a network whose readers each live in a city of their own. On every other day a reader reads the
// title with the same number, on the days between the next title.
func cityNetwork(tb testing.TB, readers, titles int64) *network {
	n := &network{forms: map[calendar.Date]facts.DayForms{}, totals: map[calendar.Date]facts.DayTotals{}, hour: libraries.HourOf((libraries.HistoryStart + 40).Start())}
	for id := range titles {
		n.books = append(n.books, libraries.Book{ID: id, Title: fmt.Sprint("Livro ", id), HasEbook: true, Publisher: libraries.None, Year: libraries.None})
	}
	for id := range readers {
		n.readers = append(n.readers, facts.Attributes{
			ID: id, Library: libraries.None, AgeGroup: libraries.None, City: fmt.Sprint("Cidade ", id), Status: libraries.ReaderActive,
			Registered: libraries.HistoryStart,
		})
	}
	n.blocks = packBlocks(n.readers)
	for i := range int64(cityDays) {
		day := libraries.HistoryStart + calendar.Date(i)
		var deltas []facts.DayDelta
		for id := range readers {
			d := facts.DayDelta{Day: day, Reader: id, Presence: libraries.Presence{Events: 1, First: 5, Last: 5}}
			d.Books = []facts.BookDelta{{Book: (id + i%2) % titles, Read: true}}
			d.Books[0].Measures[metric.ReadingSeconds] = 60
			deltas = append(deltas, d)
		}
		n.packDay(tb, day, deltas)
	}
	n.packTotals(tb)
	return n
}

// TestManyCities groups by a text that differs for each reader. Memory must depend on what was read, not on groups times
// titles: bitsets would take 150 MB for each goroutine.
func TestManyCities(t *testing.T) {
	const readers, titles, limit = 60_000, 20_000, 120 << 20
	n := cityNetwork(t, readers, titles)
	cache := &keepAll{}
	reports := &report.Reports{Store: n, Cache: cache}
	q := report.SummaryQuery{Period: firstDays(cityDays)}
	if _, err := reports.Summary(t.Context(), n.access(), q, wholePage); err != nil { // fills the cache
		t.Fatal(err)
	}
	q.GroupBy = report.ByCity
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := reports.Summary(t.Context(), n.access(), q, paging.Page{Number: 1, Size: readers})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > limit {
		t.Errorf("%d groups of %d titles take %d MB, want at most %d", readers, titles, taken>>20, limit>>20)
	}
	want := report.General{RegisteredUsers: 1, UsersWithLogin: 1, DistinctBooks: 2}
	want.Sums[metric.Logins], want.Sums[metric.ReadingSeconds] = cityDays, 60*cityDays
	cities := map[string]bool{}
	for _, g := range s.Breakdown {
		if cities[g.Label] = true; g.Metrics != want {
			t.Fatalf("%s = %+v, want %+v", g.Label, g.Metrics, want)
		}
	}
	if len(cities) != readers || s.BreakdownTotal != readers || s.General.DistinctBooks != titles {
		t.Errorf("%d cities of %d, and %d titles, want all", len(cities), s.BreakdownTotal, s.General.DistinctBooks)
	}
}

// TestListeners tests that readers who listened, however briefly, are listeners, and others are not (L20).
func TestListeners(t *testing.T) {
	for _, test := range []struct {
		name     string
		sessions []libraries.Event
		want     report.Formats
	}{
		{"an audiobook for 0 seconds", []libraries.Event{{Format: libraries.Audiobook}}, report.Formats{Listeners: 1}},
		{"an audiobook for a second", []libraries.Event{{Format: libraries.Audiobook, Seconds: 1}}, report.Formats{Listeners: 1, ListeningSeconds: 1}},
		{"an e-book for 0 seconds", []libraries.Event{{Format: libraries.Ebook}}, report.Formats{}},
		{"an e-book for a minute", []libraries.Event{{Format: libraries.Ebook, Seconds: 60}}, report.Formats{}},
		{"both", []libraries.Event{{Format: libraries.Ebook, Seconds: 60}, {Format: libraries.Audiobook}}, report.Formats{Listeners: 1}},
		{"one twice", []libraries.Event{{Format: libraries.Audiobook}, {Format: libraries.Audiobook}}, report.Formats{Listeners: 1}},
	} {
		n := &network{at: snapshot.Versions{Facts: 1}, forms: map[calendar.Date]facts.DayForms{}, totals: map[calendar.Date]facts.DayTotals{}, hour: libraries.HourOf((libraries.HistoryStart + 9).Start())}
		n.books = []libraries.Book{{ID: 10, Publisher: libraries.None, Year: libraries.None}}
		n.blocks = packBlocks([]facts.Attributes{{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive}})
		d := libraries.ReaderFeed{Reader: 1}
		for i, e := range test.sessions {
			e.Kind, e.Reader, e.Book, e.Day, e.Mode, e.ID = libraries.SessionEvent, 1, 10, libraries.HistoryStart, libraries.Online, libraries.EventID(i+1)
			d.Events = append(d.Events, e)
		}
		change, err := facts.Stored{Events: map[snapshot.BlockKey]*facts.EventSet{}}.Aggregate(d)
		noError(t, err)
		n.packDay(t, libraries.HistoryStart, change.Days)
		n.packTotals(t)
		s, err := n.reports().Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(1)}, wholePage)
		if err != nil || s.Formats != test.want {
			t.Errorf("%s: formats = %+v, %v, want %+v", test.name, s.Formats, err, test.want)
		}
	}
}
