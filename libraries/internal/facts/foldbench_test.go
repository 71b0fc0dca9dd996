package facts_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The size of a day of a network of 1,000,000 readers.
const (
	dayReaders = 67_000
	allReaders = 1_000_000
	allTitles  = 20_000
)

// fullDay returns the deltas of a day as a network of 1,000,000 readers has them.
func fullDay(random *rand.Rand) []facts.DayDelta {
	deltas := make([]facts.DayDelta, 0, dayReaders)
	for reader := int64(1); len(deltas) < dayReaders; reader += 1 + random.Int64N(2*allReaders/dayReaders-1) {
		deltas = append(deltas, someDelta(random, reader))
	}
	return deltas
}

// someDelta returns what a reader does on an ordinary day: mostly, to read one title or two.
func someDelta(random *rand.Rand, reader int64) facts.DayDelta {
	d := facts.DayDelta{Day: 20_700, Reader: reader}
	first := random.Int32N(80_000)
	d.Presence = libraries.Presence{Events: 1 + random.Int32N(8), First: first, Last: first + random.Int32N(6_000)}
	book := int64(0)
	for range 1 + random.IntN(2) {
		book += 1 + random.Int64N(allTitles/3)
		b := facts.BookDelta{Book: book, Read: random.IntN(5) > 0}
		if b.Read {
			b.Measures[metric.ReadingSeconds] = random.Int64N(4_000)
			b.Measures[metric.ListeningSessions] = random.Int64N(6) / 5
			b.Measures[metric.ListeningSeconds] = b.Measures[metric.ReadingSeconds] * b.Measures[metric.ListeningSessions]
		}
		for m, each := range map[metric.Metric]int{
			metric.Loans: 6, metric.Returns: 7, metric.Readings10: 10, metric.Readings50: 15, metric.Renewals: 20,
			metric.Reservations: 12,
		} {
			if random.IntN(each) == 0 {
				b.Measures[m] = 1
			}
		}
		d.Books = append(d.Books, b)
	}
	d.Previews = random.Int64N(10) / 8
	return d
}

func BenchmarkDayOfReaders(b *testing.B) {
	var day facts.Day
	noError(b, day.Add(fullDay(rand.New(rand.NewPCG(1, 2)))))
	data := day.Forms().Readers
	var form facts.DayOfReaders
	noError(b, packed.Open(data, &form))
	report := func(b *testing.B, values int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(values), "ns/value")
		b.ReportMetric(float64(len(data))/dayReaders, "B/reader")
	}
	for name, m := range map[string]metric.Metric{
		"Logins": metric.Logins, "ReadingSeconds": metric.ReadingSeconds, "Loans": metric.Loans, "DistinctBooks": metric.DistinctBooks,
	} {
		b.Run(name, func(b *testing.B) {
			values, sum := 0, int64(0)
			for b.Loop() {
				noError(b, form.Column(m, func(place int, value int64) { values++; sum += value }))
			}
			report(b, values)
		})
	}
	b.Run("Open", func(b *testing.B) {
		values := 0
		for b.Loop() {
			noError(b, packed.Open(data, &form))
			values += len(form.IDs)
		}
		report(b, values)
	})
	b.Run("Books", func(b *testing.B) {
		values := 0
		for b.Loop() {
			noError(b, form.Books(func(_ int, titles []int32) { values += len(titles) }))
		}
		report(b, values)
	})
	b.Run("VisitLogins", func(b *testing.B) {
		values := 0
		for b.Loop() {
			noError(b, form.VisitLogins(func(int, libraries.Presence) { values++ }))
		}
		report(b, values)
	})
}

// BenchmarkDayAdd adds a load's hour to a day that is there: of each reader in eight.
func BenchmarkDayAdd(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var first facts.Day
	noError(b, first.Add(fullDay(random)))
	forms := first.Forms()
	var deltas []facts.DayDelta
	for range dayReaders / 8 {
		deltas = append(deltas, someDelta(random, 1+random.Int64N(allReaders)))
	}
	b.ReportAllocs()
	for b.Loop() {
		day, err := facts.ParseDay(forms)
		noError(b, err)
		noError(b, day.Add(deltas))
		day.Forms()
	}
}

func BenchmarkDayFirst(b *testing.B) {
	var aside []byte
	for _, d := range fullDay(rand.New(rand.NewPCG(1, 2))) {
		aside = facts.AppendDayDelta(aside, d)
	}
	b.ReportAllocs()
	b.ReportMetric(float64(len(aside))/dayReaders, "B/delta")
	for b.Loop() {
		deltas, err := facts.DecodeDayDeltas(aside)
		noError(b, err)
		var day facts.Day
		noError(b, day.Add(deltas))
		day.Forms()
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPastFold folds a first load of 1,000 readers of 30 events each.
func BenchmarkPastFold(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	deliveries := make([]facts.ReaderFeed, 1000)
	events := 0
	for i := range deliveries {
		d := &deliveries[i]
		d.Reader = int64(i)
		for len(d.Events) < 30 {
			e := facts.Event{Kind: libraries.SessionEvent, ID: facts.EventID(random.Uint64()), Reader: d.Reader, Second: random.Int32N(86_400)}
			e.Day, e.Book, e.Seconds = libraries.HistoryStart+calendar.Date(12*random.IntN(10)), 1+random.Int64N(5), random.Int64N(4_000)
			e.Progress, e.Mode, e.Format = libraries.Progress(random.IntN(100_001)), libraries.Online, libraries.Ebook
			d.Events = append(d.Events, e)
		}
		events += len(d.Events)
	}
	b.ReportAllocs()
	var form []byte
	for b.Loop() {
		past := facts.Past{Events: map[facts.EventSetKey]*facts.EventSet{}}
		for _, d := range deliveries {
			c, err := past.Aggregate(d)
			noError(b, err)
			for _, delta := range c.Days {
				form = facts.AppendDayDelta(form[:0], delta)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}

// BenchmarkSorter sorts the events of a partition.
func BenchmarkSorter(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	events := make([]facts.Event, 120_000)
	for i := range events {
		e := &events[i]
		*e = facts.Event{Kind: libraries.SessionEvent, ID: facts.EventID(random.Uint64()), Reader: random.Int64N(1024) + 256*1024*random.Int64N(4)}
		e.Day, e.Book, e.Seconds = libraries.HistoryStart+calendar.Date(random.IntN(120)), random.Int64N(20_000), random.Int64N(4_000)
	}
	b.ReportAllocs()
	for b.Loop() {
		var sorter intake.Sorter
		for _, e := range events {
			noError(b, sorter.AddEvent(e))
		}
		readers := 0
		err := sorter.Each(0, func(run *extsort.Run) error {
			deliveries, err := intake.ReaderFeeds(run)
			readers += len(deliveries)
			return err
		})
		if err != nil || readers != 4096 {
			b.Fatal(readers, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/event")
}
