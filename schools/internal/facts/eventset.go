package facts

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// EventBlock returns the number of the block of 32 days that a day belongs to. A row for each day would take
// more space than its content.
func EventBlock(d calendar.Date) int64 { return int64(d) >> 5 }

// EventSetKey returns the key of the event ids of a user in a block of days.
func EventSetKey(user directory.UserID, block int64) snapshot.BlockKey {
	return snapshot.BlockKey{A: int64(user), B: block}
}

// EventSet has the event ids of one user on the days of one block. It makes loading a feed twice the same as
// loading it once (F1).
type EventSet struct {
	hashes []eventDay    // of the events without a series
	series []eventSeries // ascending
}

// eventSeries is a series of identifiers and its numbers.
type eventSeries struct {
	id   uint64
	days []eventDay
}

// eventDay has the numbers or hashes of a day, ascending.
type eventDay struct {
	place   int8 // of the day in the block, 0 to 31
	numbers []uint64
}

// Columns declares the stored form. The numbers of a series mostly count up, so that each takes one to three
// bytes. It implements [packed.Form].
func (s *EventSet) Columns(c *packed.Columns) {
	place := func(d *eventDay) *int8 { return &d.place }
	numbers := func(d *eventDay) *[]uint64 { return &d.numbers }
	c.Version(formVersion)
	days := packed.Rows(c, &s.hashes)
	packed.Ascending(days, 0, place)
	packed.Words(packed.Lists(days, numbers), packed.Itself)
	series := packed.Rows(c, &s.series)
	packed.Words(series, func(s *eventSeries) *uint64 { return &s.id })
	days = packed.Lists(series, func(s *eventSeries) *[]eventDay { return &s.days })
	packed.Ascending(days, 0, place)
	packed.Onward(packed.Lists(days, numbers), packed.Itself)
	if c.Reading() {
		c.Check(slices.IsSortedFunc(s.series, func(a, b eventSeries) int { return cmp.Compare(a.id, b.id) }))
	}
}

// Has reports whether the set has an event of a day.
func (s *EventSet) Has(d calendar.Date, id schools.EventID) bool {
	days := s.hashes
	if id.Series != 0 {
		i, found := s.search(id.Series)
		if !found {
			return false
		}
		days = s.series[i].days
	}
	i, found := searchDay(days, d)
	if found {
		_, found = slices.BinarySearch(days[i].numbers, numberOf(id))
	}
	return found
}

// Add adds events of a day. None of them may be in the set, and their ids must ascend.
func (s *EventSet) Add(d calendar.Date, events []schools.Event) {
	for len(events) > 0 {
		series, days, n := events[0].ID.Series, &s.hashes, 1
		for n < len(events) && events[n].ID.Series == series {
			n++
		}
		if series != 0 {
			i, found := s.search(series)
			if !found {
				s.series = slices.Insert(s.series, i, eventSeries{id: series})
			}
			days = &s.series[i].days
		}
		i, found := searchDay(*days, d)
		if !found {
			*days = slices.Insert(*days, i, eventDay{place: placeOf(d)})
		}
		numbers := slices.Grow((*days)[i].numbers, n)
		for _, e := range events[:n] {
			numbers = append(numbers, numberOf(e.ID))
		}
		slices.Sort(numbers)
		(*days)[i].numbers, events = numbers, events[n:]
	}
}

// search returns the place of a series, and whether it is there.
func (s *EventSet) search(series uint64) (int, bool) {
	return slices.BinarySearchFunc(s.series, series, func(s eventSeries, id uint64) int { return cmp.Compare(s.id, id) })
}

func searchDay(days []eventDay, d calendar.Date) (int, bool) {
	return slices.BinarySearchFunc(days, placeOf(d), func(s eventDay, place int8) int { return cmp.Compare(s.place, place) })
}

// placeOf returns the place of a day in its block.
func placeOf(d calendar.Date) int8 { return int8(d & 31) }

// numberOf returns the number that tells an event from the others of its series, or of those without a
// series.
func numberOf(id schools.EventID) uint64 {
	if id.Series == 0 {
		return id.Hash
	}
	return uint64(id.Number)
}
