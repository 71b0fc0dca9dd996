package facts

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// EventSetKey returns the key of the event ids of a reader on a day. A set has 128 neighbouring readers and 8 days.
func EventSetKey(reader int64, day calendar.Date) snapshot.BlockKey {
	return snapshot.BlockKey{A: reader >> 7, B: int64(day >> 3)}
}

// EventSetKeys returns the keys of the sets that must be in Stored before the feed is aggregated, each once and ascending.
func EventSetKeys(d libraries.ReaderFeed) []snapshot.BlockKey {
	var keys []snapshot.BlockKey
	add := func(day calendar.Date) {
		if key := EventSetKey(d.Reader, day); len(keys) == 0 || keys[len(keys)-1] != key {
			keys = append(keys, key)
		}
	}
	for i := range d.Events {
		add(d.Events[i].Day)
	}
	for i := range d.Requests {
		add(d.Requests[i].Day())
	}
	slices.SortFunc(keys, func(a, b snapshot.BlockKey) int { return cmp.Compare(a.B, b.B) })
	return slices.Compact(keys)
}

// requestID returns the event id of a request. Its identifier counts as its digits.
func requestID(r libraries.Request) libraries.EventID {
	var room [20]byte
	return libraries.NewEventID(libraries.RequestResource, strconv.AppendInt(room[:0], r.ID, 10), r.Reader, r.Day())
}

// EventSet has the ids of the events that some readers had on some days, so that a repeated event is not counted twice (F1).
// The zero EventSet is empty.
type EventSet struct {
	ids    []libraries.EventID            // ascending
	recent map[libraries.EventID]struct{} // those that were added
}

// add adds an event, and reports whether it is new.
func (s *EventSet) add(id libraries.EventID) bool {
	if _, found := slices.BinarySearch(s.ids, id); found {
		return false
	}
	if s.recent == nil {
		s.recent = map[libraries.EventID]struct{}{}
	}
	n := len(s.recent)
	s.recent[id] = struct{}{}
	return len(s.recent) > n
}

// Changed reports whether events were added since the set was read.
func (s *EventSet) Changed() bool { return len(s.recent) > 0 }

// Columns implements [packed.Form].
func (s *EventSet) Columns(c *packed.Columns) {
	if len(s.recent) > 0 {
		s.ids = slices.AppendSeq(s.ids, maps.Keys(s.recent))
		slices.Sort(s.ids)
		s.recent = nil
	}
	c.Version(1)
	packed.Words(packed.Rows(c, &s.ids), packed.Itself)
	for i := 1; i < len(s.ids); i++ {
		c.Check(s.ids[i-1] < s.ids[i])
	}
}
