package facts

import (
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// seenDays is the number of days whose events are remembered together: a row a day would cost more than its content.
const seenDays = 8

// SeenBlock returns the number of the block of days that a day belongs to.
func SeenBlock(d calendar.Date) int64 { return int64(d) >> 3 }

// Seen are the events that one user had on the days of one block: what makes loading a feed twice the same as once.
type Seen struct{ days [seenDays][]schools.EventID }

// Has reports whether the event of that day was seen.
func (s *Seen) Has(d calendar.Date, id schools.EventID) bool {
	_, found := slices.BinarySearch(s.days[d&(seenDays-1)], id)
	return found
}

// Add remembers events of a day, none of which was seen; it keeps the slice, and may reorder it.
func (s *Seen) Add(d calendar.Date, ids []schools.EventID) {
	day := &s.days[d&(seenDays-1)]
	*day = append(*day, ids...)
	slices.Sort(*day)
}

// AppendBinary appends the stored form: version, then for each day with events its place in the block, their number,
// and the identifiers ascending, 8 bytes each, little-endian.
func (s *Seen) AppendBinary(b []byte) []byte {
	b = append(b, formVersion)
	for i, ids := range s.days {
		if len(ids) == 0 {
			continue
		}
		b = append(b, byte(i))
		b = binary.AppendUvarint(b, uint64(len(ids)))
		for _, id := range ids {
			b = binary.LittleEndian.AppendUint64(b, uint64(id))
		}
	}
	return b
}

// UnmarshalBinary replaces s by a stored form.
func (s *Seen) UnmarshalBinary(data []byte) error {
	*s = Seen{}
	d := packed.NewDecoder(data, formVersion)
	for place := -1; d.Len() > 0 && !d.Bad(); {
		next := int(d.Byte())
		if next <= place || next >= seenDays {
			return packed.ErrCorrupt
		}
		place = next
		ids := make([]schools.EventID, 0, d.Count(8))
		for range cap(ids) {
			id := schools.EventID(binary.LittleEndian.Uint64(d.Bytes(8)))
			if n := len(ids); n > 0 && ids[n-1] >= id {
				return packed.ErrCorrupt
			}
			ids = append(ids, id)
		}
		if len(ids) == 0 {
			return packed.ErrCorrupt
		}
		s.days[place] = ids
	}
	return d.End()
}
