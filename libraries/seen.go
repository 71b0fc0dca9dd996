package libraries

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// SeenKey names a row of seen events: eight days of 128 neighbouring readers.
type SeenKey struct {
	Block int32 // of days
	Group int64 // of readers
}

// Compare orders keys by group, then block.
func (k SeenKey) Compare(o SeenKey) int {
	return cmp.Or(cmp.Compare(k.Group, o.Group), cmp.Compare(k.Block, o.Block))
}

// SeenKeyOf returns the key of the row that remembers the events of a reader on a day.
func SeenKeyOf(reader int64, day calendar.Date) SeenKey {
	return SeenKey{Block: int32(day >> 3), Group: reader >> 7}
}

// SeenKeys returns the keys of the rows that must be in Past.Seen before the delivery is folded, where the store has
// them: each once, by days.
func (d Delivery) SeenKeys() []SeenKey {
	var keys []SeenKey
	add := func(day calendar.Date) {
		if key := SeenKeyOf(d.Reader, day); len(keys) == 0 || keys[len(keys)-1] != key {
			keys = append(keys, key)
		}
	}
	for i := range d.Events {
		add(d.Events[i].Day)
	}
	for i := range d.Requests {
		add(d.Requests[i].Day())
	}
	slices.SortFunc(keys, func(a, b SeenKey) int { return cmp.Compare(a.Block, b.Block) })
	return slices.Compact(keys)
}

// eventID returns what stands for the request among the events seen: its identifier is a number, and counts as its digits.
func (r Request) eventID() EventID {
	var room [20]byte
	return NewEventID(RequestResource, strconv.AppendInt(room[:0], r.ID, 10), r.Reader, r.Day())
}

const (
	seenVersion = 1

	// maxRecent bounds what an insertion moves: past it, the recent ones are merged with all others.
	maxRecent = 256
)

// Seen is a set of the events that some readers had on some days: what makes loading a feed twice the same as once. The
// zero Seen is empty.
type Seen struct {
	ids    []EventID // ascending
	recent []EventID // ascending, others than ids: those added last
}

// Len returns the number of events.
func (s *Seen) Len() int { return len(s.ids) + len(s.recent) }

// add adds an event and reports whether it was not there.
func (s *Seen) add(id EventID) bool {
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
func (s *Seen) merge() {
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
func (s *Seen) AppendBinary(b []byte) []byte {
	s.merge()
	b = slices.Grow(b, 1+8*len(s.ids))
	b = append(b, seenVersion)
	for _, id := range s.ids {
		b = binary.BigEndian.AppendUint64(b, uint64(id))
	}
	return b
}

// UnmarshalBinary replaces s by a stored form. Of data it keeps nothing. The error is [packed.ErrCorrupt], and s is empty
// then.
func (s *Seen) UnmarshalBinary(data []byte) error {
	*s = Seen{}
	if len(data)%8 != 1 || data[0] != seenVersion {
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
