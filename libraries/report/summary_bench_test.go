package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// largeNetwork makes a network of a million readers, 20,000 titles, and days of 67,000 readers.
func largeNetwork(b *testing.B, days int) *network {
	const readers, books, active = 1_000_000, 20_000, 67_000
	r := rand.New(rand.NewPCG(1, 2))
	n := &network{
		blocks: million(), forms: map[calendar.Date]facts.DayForms{}, totals: map[calendar.Date]facts.DayTotals{},
		hour: libraries.HourOf((libraries.HistoryStart + 40).Start()),
	}
	for i := range books {
		n.books = append(n.books, libraries.Book{
			ID: int64(i), Title: fmt.Sprint("Livro ", r.IntN(books)), HasEbook: i%5 > 0, HasAudiobook: i%7 == 0,
			Publisher: libraries.None, Year: libraries.None,
		})
	}
	for day := libraries.HistoryStart; day < libraries.HistoryStart+calendar.Date(days); day++ {
		deltas := make([]facts.DayDelta, 0, active)
		for _, i := range r.Perm(readers)[:active] {
			deltas = append(deltas, busyDay(r, day, int64(i/4*5+i%4+1), books))
		}
		n.packDay(b, day, deltas)
	}
	n.packTotals(b)
	return n
}

// busyDay is a day of a reader who reads one or two titles, and sometimes borrows one.
func busyDay(r *rand.Rand, day calendar.Date, reader int64, books int) facts.DayDelta {
	d := facts.DayDelta{
		Day: day, Reader: reader, Presence: libraries.Presence{Events: 2, First: 5, Last: 4000}, Previews: r.Int64N(2),
	}
	titles := []int64{r.Int64N(int64(books)), r.Int64N(int64(books))}
	slices.Sort(titles)
	for _, title := range slices.Compact(titles[:1+r.IntN(2)]) {
		book := facts.BookDelta{Book: title, Read: true}
		book.Measures[metric.ReadingSeconds] = 60 + r.Int64N(5000)
		if r.IntN(10) == 0 {
			book.Measures[metric.ListeningSeconds] = book.Measures[metric.ReadingSeconds]
			book.Measures[metric.ListeningSessions] = 1
		}
		for _, m := range []metric.Metric{metric.Loans, metric.Returns, metric.Readings10, metric.Readings50} {
			if r.IntN(4) == 0 {
				book.Measures[m] = 1
			}
		}
		d.Books = append(d.Books, book)
	}
	return d
}

// BenchmarkSummary asks for 30 days: again; for a period never asked for, with what was read in the cache (cold); and with
// nothing in the cache (restart), though the store costs nothing here.
func BenchmarkSummary(b *testing.B) {
	n := largeNetwork(b, 30)
	period := calendar.Period{Start: libraries.HistoryStart, End: libraries.HistoryStart + 29}
	sp := "sp"
	queries := map[string]report.SummaryQuery{
		"all":            {Period: period},
		"state":          {Period: period, Filter: report.ReaderFilter{State: &sp}},
		"cities":         {Period: period, GroupBy: report.ByCity},
		"new by library": {Period: period, NewUsers: true, GroupBy: report.ByLibrary},
	}
	for name, q := range queries {
		for _, c := range []struct {
			name string
			keep func(state.Value) bool
		}{
			{"again", func(state.Value) bool { return true }},
			{"cold", func(v state.Value) bool {
				switch v.(type) {
				case *report.Readers, *report.Catalogue, *facts.Network:
					return true
				}
				return false
			}},
			{"restart", func(state.Value) bool { return false }},
		} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				cache := &keepAll{}
				reports := report.Reports{Store: n, Cache: cache}
				ask := func() {
					if _, err := reports.Summary(b.Context(), n.access(), q, wholePage); err != nil {
						b.Fatal(err)
					}
					cache.drop(c.keep)
				}
				ask()
				for b.Loop() {
					ask()
				}
			})
		}
	}
}
