package facts_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// stored has one user's aggregated data in stored form, as a database has them between loads.
type stored struct {
	index    facts.UserIndex
	events   map[int64][]byte
	records  map[int64][]byte
	days     map[calendar.Date]int64
	added    int
	repeated int
}

func newStored() *stored {
	return &stored{events: map[int64][]byte{}, records: map[int64][]byte{}, days: map[calendar.Date]int64{}}
}

// load aggregates events as a load does. It reads only the records that Needed names.
func (s *stored) load(t *rapid.T, events []schools.Event) {
	a := facts.Stored{Index: s.index, Events: map[snapshot.BlockKey]*facts.EventSet{}, Records: map[facts.RecordKey]*reading.Record{}}
	for block, data := range s.events {
		set := &facts.EventSet{}
		must(t, packed.Open(data, set))
		a.Events[facts.EventSetKey(7, block)] = set
	}
	for _, book := range facts.Needed(s.index, events) {
		r, err := facts.ParseRecord(s.records[book])
		must(t, err)
		a.Records[facts.RecordKey{User: 7, Book: book}] = r
	}
	c, err := facts.Aggregate(a, 7, events)
	must(t, err)
	s.index = c.Index
	for block, set := range c.Events {
		s.events[block] = packed.Append(nil, set)
	}
	for book, r := range c.Records {
		s.records[book] = r.AppendBinary(nil)
	}
	for _, d := range c.Days {
		if d.Tenths != facts.Keep || s.days[d.Date] == 0 {
			s.days[d.Date] = max(0, d.Tenths)
		}
	}
	s.added += c.New
	s.repeated += c.Repeated
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// someID returns the i-th of some identifiers. Some are numbers, some have a series, and some have neither.
func someID(i int) schools.EventID {
	return schools.NewEventID('s', fmt.Appendf(nil, [...]string{"%d", "s-ana-%d", "%dx", "%d00000000"}[i%4], i))
}

// someEvents draws events on few days and of few books. Each has its own identifier.
func someEvents(t *rapid.T) []schools.Event {
	n := rapid.IntRange(1, 60).Draw(t, "events")
	events := make([]schools.Event, n)
	for i := range events {
		e := schools.Event{
			ID: someID(i), User: 7, Day: calendar.Date(20000 + rapid.IntRange(0, 20).Draw(t, "day")),
			Effect: schools.Effect(rapid.IntRange(0, 2).Draw(t, "effect")),
		}
		if e.Effect == schools.EffectiveReading {
			e.Book = int64(rapid.IntRange(0, 3).Draw(t, "book"))
			e.At = int32(rapid.IntRange(0, 86399).Draw(t, "at"))
			e.MS = int64(rapid.SampledFrom([]int{0, 1, 2999, 3000, 5999, 6000, 20000, 61234}).Draw(t, "ms"))
			e.Extent.From = int64(rapid.IntRange(0, 50).Draw(t, "from"))
			e.Extent.To = e.Extent.From + int64(rapid.IntRange(0, 9).Draw(t, "units"))
		}
		events[i] = e
	}
	return events
}

// TestFoldTakesPiecesInAnyOrder tests F1 and F2: whatever the order, the parts and the repetitions, the stored forms are
// those of one load.
func TestFoldTakesPiecesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := someEvents(t)
		whole := newStored()
		whole.load(t, slices.Clone(events))

		batches := newStored()
		shuffled := rapid.Permutation(events).Draw(t, "order")
		shuffled = append(shuffled, rapid.SliceOfN(rapid.SampledFrom(events), 0, 20).Draw(t, "repeats")...)
		for len(shuffled) > 0 {
			n := rapid.IntRange(1, len(shuffled)).Draw(t, "batch")
			batches.load(t, slices.Clone(shuffled[:n]))
			shuffled = shuffled[n:]
		}
		if batches.added != len(events) {
			t.Fatalf("loads in batches counted %d new events, want %d", batches.added, len(events))
		}
		whole.added, whole.repeated, batches.added, batches.repeated = 0, 0, 0, 0
		if !reflect.DeepEqual(whole, batches) {
			t.Fatalf("in batches: %+v\nwant, as in one load: %+v", batches, whole)
		}
	})
}

// TestAggregateAgreesWithTheRules compares an aggregation with the rules S3 to S6, applied event by event.
func TestAggregateAgreesWithTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := someEvents(t)
		s := newStored()
		s.load(t, slices.Clone(events))
		if want := presentDays(events); !slices.Equal(slices.Sorted(maps.Keys(s.days)), want) {
			t.Fatalf("days with access = %v, want %v", slices.Sorted(maps.Keys(s.days)), want)
		}
		for date, tenths := range s.days {
			shares := sharesOf(events, date)
			sum := int64(0)
			for book, share := range shares {
				sum += share
				r, err := facts.ParseRecord(s.records[book])
				must(t, err)
				i := slices.IndexFunc(r.Days, func(d reading.Day) bool { return d.Date == date })
				if i < 0 || r.Days[i].Minutes != reading.Minutes(share) {
					t.Fatalf("book %d on %s: record %+v, want %d tenths", book, date, r, share)
				}
			}
			if tenths != sum {
				t.Fatalf("tenths of %s = %d, want the books' sum %d", date, tenths, sum)
			}
		}
		p := calendar.Period{Start: calendar.Date(20000 + rapid.IntRange(-1, 21).Draw(t, "start")), End: calendar.Date(20000 + rapid.IntRange(-1, 21).Draw(t, "end"))}
		want := booksIn(events, p)
		if got := indexOf(t, s.index).Books(7, p); !slices.Equal(got, want) {
			t.Fatalf("Books in %v = %v, want %v", p, got, want)
		}
	})
}

// TestFirstOfOneLoadWins tests F1: of the events of one load that share identifier and day the first counts, whatever
// the others say.
func TestFirstOfOneLoadWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type key struct {
			id  schools.EventID
			day calendar.Date
		}
		events := someEvents(t)
		had := map[key]bool{}
		var first []schools.Event
		for i := range events {
			e := &events[i]
			e.ID = someID(rapid.IntRange(1, 5).Draw(t, "id"))
			if k := (key{e.ID, e.Day}); !had[k] {
				had[k] = true
				first = append(first, *e)
			}
		}
		got, want := newStored(), newStored()
		got.load(t, slices.Clone(events))
		want.load(t, first)
		if got.added != len(first) || got.repeated != len(events)-len(first) {
			t.Fatalf("%d new and %d repeated events, want %d and %d", got.added, got.repeated, len(first), len(events)-len(first))
		}
		if got.repeated = 0; !reflect.DeepEqual(got, want) {
			t.Fatalf("with the repeated events: %+v\nwant, as without them: %+v", got, want)
		}
	})
}

func presentDays(events []schools.Event) []calendar.Date {
	days := map[calendar.Date]bool{}
	for _, e := range events {
		if e.Effect != schools.Silent {
			days[e.Day] = true
		}
	}
	return slices.Sorted(maps.Keys(days))
}

func booksIn(events []schools.Event, p calendar.Period) []int64 {
	books := map[int64]bool{}
	for _, e := range events {
		if e.Effect == schools.EffectiveReading && e.Day >= p.Start && e.Day <= p.End {
			books[e.Book] = true
		}
	}
	return slices.Sorted(maps.Keys(books))
}

// sharesOf divides the tenths of a day among its books as S3 says.
func sharesOf(events []schools.Event, date calendar.Date) map[int64]int64 {
	ms := map[int64]int64{}
	total := int64(0)
	for _, e := range events {
		if e.Effect == schools.EffectiveReading && e.Day == date {
			ms[e.Book] += e.MS
			total += e.MS
		}
	}
	shares := map[int64]int64{}
	left := (total + 3000) / 6000
	for book, n := range ms {
		shares[book] = n / 6000
		left -= n / 6000
	}
	books := slices.SortedFunc(maps.Keys(ms), func(a, b int64) int {
		return cmp.Or(cmp.Compare(ms[b]%6000, ms[a]%6000), cmp.Compare(a, b))
	})
	for _, book := range books[:left] {
		shares[book]++
	}
	return shares
}

// TestRepeatedEventCountsOnce tests F1: of events with the same identifier, user and day the first one counts.
func TestRepeatedEventCountsOnce(t *testing.T) {
	event := schools.Event{ID: someID(1), Day: 20000, Effect: schools.EffectiveReading, Book: 1, MS: 6000}
	other := event
	other.MS = 60000
	nextDay := event
	nextDay.Day++
	c, err := facts.Aggregate(facts.Stored{}, directory.UserID(1), []schools.Event{event, other, nextDay})
	if err != nil || c.New != 2 || c.Repeated != 1 || len(c.Days) != 2 || c.Days[0].Tenths != 1 || c.Days[1].Tenths != 1 {
		t.Errorf("Aggregate of an event, its repetition, and the same id on the next day = %+v, %v, want 2 new and 1 repeated", c, err)
	}
}

// TestAggregateRefusesWithoutRecord tests that a book in the index must have a record. A new record would lose what the user
// read on other days, and would divide the minutes of the same day wrongly.
func TestAggregateRefusesWithoutRecord(t *testing.T) {
	index := facts.NewUserIndex([]facts.BookDays{{Book: 1, Days: []calendar.Date{20000}}, {Book: 2, Days: []calendar.Date{20000}}})
	day := func(date calendar.Date, ms int64) *reading.Record {
		return &reading.Record{Days: []reading.Day{{Date: date, MS: ms}}}
	}
	one, two := facts.RecordKey{User: 7, Book: 1}, facts.RecordKey{User: 7, Book: 2}
	event := schools.Event{ID: someID(1), Day: 20001, Effect: schools.EffectiveReading, Book: 1, MS: 6000}
	for _, tt := range []struct {
		rule    string
		day     calendar.Date
		book    int64
		records map[facts.RecordKey]*reading.Record
		want    error
	}{
		{"another day", 20001, 1, map[facts.RecordKey]*reading.Record{one: day(20000, 6000)}, nil},
		{"another day, without its record", 20001, 1, map[facts.RecordKey]*reading.Record{two: day(20000, 6000)}, packed.ErrCorrupt},
		{"another day, a nil record", 20001, 1, map[facts.RecordKey]*reading.Record{one: nil}, packed.ErrCorrupt},
		{"the same day", 20000, 1, map[facts.RecordKey]*reading.Record{one: day(20000, 6000), two: day(20000, 6000)}, nil},
		{"the same day, without the other book", 20000, 1, map[facts.RecordKey]*reading.Record{one: day(20000, 6000)}, packed.ErrCorrupt},
		{"the same day, the other book without the day", 20000, 1, map[facts.RecordKey]*reading.Record{one: day(20000, 6000), two: day(20003, 1)}, packed.ErrCorrupt},
		{"a new book of another day", 20001, 3, nil, nil},
		{"a new book of the same day", 20000, 3, nil, packed.ErrCorrupt},
	} {
		e := event
		e.Day, e.Book = tt.day, tt.book
		_, err := facts.Aggregate(facts.Stored{Index: index, Records: tt.records}, 7, []schools.Event{e})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: Aggregate = %v, want %v", tt.rule, err, tt.want)
		}
	}
}
