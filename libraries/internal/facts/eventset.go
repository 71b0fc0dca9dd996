package facts

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// EventSetKey names a row of seen events: eight days of 128 neighbouring readers.
type EventSetKey struct {
	Block int32 // of days
	Group int64 // of readers
}

// Compare orders keys by group, then block.
func (k EventSetKey) Compare(o EventSetKey) int {
	return cmp.Or(cmp.Compare(k.Group, o.Group), cmp.Compare(k.Block, o.Block))
}

// EventSetKeyOf returns the key of the row that remembers the events of a reader on a day.
func EventSetKeyOf(reader int64, day calendar.Date) EventSetKey {
	return EventSetKey{Block: int32(day >> 3), Group: reader >> 7}
}

// EventSetKeys returns the keys of the rows that must be in Past.Seen before the delivery is folded, where the store has
// them: each once, by days.
func (d Delivery) EventSetKeys() []EventSetKey {
	var keys []EventSetKey
	add := func(day calendar.Date) {
		if key := EventSetKeyOf(d.Reader, day); len(keys) == 0 || keys[len(keys)-1] != key {
			keys = append(keys, key)
		}
	}
	for i := range d.Events {
		add(d.Events[i].Day)
	}
	for i := range d.Requests {
		add(d.Requests[i].Day())
	}
	slices.SortFunc(keys, func(a, b EventSetKey) int { return cmp.Compare(a.Block, b.Block) })
	return slices.Compact(keys)
}

// requestID returns what stands for the request among the events seen: its identifier is a number, and counts as its digits.
func requestID(r libraries.Request) EventID {
	var room [20]byte
	return NewEventID(RequestResource, strconv.AppendInt(room[:0], r.ID, 10), r.Reader, r.Day())
}

const (
	eventSetVersion = 1

	// maxRecent bounds what an insertion moves: past it, the recent ones are merged with all others.
	maxRecent = 256
)

// EventSet is a set of the events that some readers had on some days: what makes loading a feed twice the same as once. The
// zero EventSet is empty.
type EventSet struct {
	ids    []EventID // ascending
	recent []EventID // ascending, others than ids: those added last
}

// Len returns the number of events.
func (s *EventSet) Len() int { return len(s.ids) + len(s.recent) }

// add adds an event and reports whether it was not there.
func (s *EventSet) add(id EventID) bool {
	if _, found := slices.BinarySearch(s.ids, id); found {
		return false
	}
	i, found := slices.BinarySearch(s.recent, id)
	if found {
		return false
	}
	if s.recent = slices.Insert(s.recent, i, id); len(s.recent) >= maxRecent {
		s.merge()
	}
	return true
}

// merge moves the recent events to the others.
func (s *EventSet) merge() {
	i, j := len(s.ids)-1, len(s.recent)-1
	s.ids = append(s.ids, s.recent...)
	for k := len(s.ids) - 1; j >= 0; k-- { // from the back, where there is room
		if i >= 0 && s.ids[i] > s.recent[j] {
			s.ids[k] = s.ids[i]
			i--
		} else {
			s.ids[k] = s.recent[j]
			j--
		}
	}
	s.recent = s.recent[:0]
}

// AppendBinary appends the stored form: a byte for the version, then the events ascending, 8 bytes each, big-endian.
func (s *EventSet) AppendBinary(b []byte) []byte {
	s.merge()
	b = slices.Grow(b, 1+8*len(s.ids))
	b = append(b, eventSetVersion)
	for _, id := range s.ids {
		b = binary.BigEndian.AppendUint64(b, uint64(id))
	}
	return b
}

// UnmarshalBinary replaces s by a stored form. Of data it keeps nothing. The error is [packed.ErrCorrupt], and s is empty
// then.
func (s *EventSet) UnmarshalBinary(data []byte) error {
	*s = EventSet{}
	if len(data)%8 != 1 || data[0] != eventSetVersion {
		return packed.ErrCorrupt
	}
	ids := make([]EventID, len(data)/8)
	for i := range ids {
		ids[i] = EventID(binary.BigEndian.Uint64(data[1+8*i:]))
		if i > 0 && ids[i-1] >= ids[i] {
			return packed.ErrCorrupt
		}
	}
	s.ids = ids
	return nil
}
