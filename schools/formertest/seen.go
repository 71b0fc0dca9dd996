package formertest

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Seen is the seen events of a user and eight days as they were while each was remembered by its hash, by the day's place from 0 to 7.
func Seen(days map[calendar.Date][]uint64) []byte {
	b := []byte{1}
	for _, place := range slices.Sorted(maps.Keys(days)) {
		b = append(b, byte(place))
		b = binary.AppendUvarint(b, uint64(len(days[place])))
		for _, hash := range slices.Sorted(slices.Values(days[place])) {
			b = binary.LittleEndian.AppendUint64(b, hash)
		}
	}
	return b
}
