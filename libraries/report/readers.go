package report

import (
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Readers are the attributes of all readers of a network in columns, readers ascending; a reader's rank is its index. It is
// never changed once it is read.
type Readers struct {
	IDs []int64

	libraries, ageGroups codes[int64]
	states, cities       codes[string]
	ras                  []string // present on readers, ascending
	genders              []libraries.Gender
	statuses             []libraries.ReaderStatus
	registered           []calendar.Date
	updated              []calendar.Date // the Brasilia day of the last change
	loans                []int64         // historical
	reservations         []int64         // active
	gone                 []goneReader    // by rank
}

// codes are a column of values that many readers share: values ascend, at has the index of each reader's.
type codes[T int64 | string] struct {
	values []T
	at     []uint32
}

// code returns the index of a value, or false where no reader has it.
func (c *codes[T]) code(v T) (uint32, bool) {
	i, found := slices.BinarySearch(c.values, v)
	return uint32(i), found
}

// goneReader is a reader who is deactivated or deleted.
type goneReader struct {
	rank int32
	day  calendar.Date
}

// Bytes returns about the memory that the readers hold.
func (r *Readers) Bytes() int {
	n := 8*cap(r.IDs) + cap(r.genders) + cap(r.statuses) + 4*cap(r.registered) + 4*cap(r.updated)
	n += 8*cap(r.loans) + 8*cap(r.reservations) + 8*cap(r.gone)
	n += 4*cap(r.libraries.at) + 4*cap(r.ageGroups.at) + 4*cap(r.states.at) + 4*cap(r.cities.at)
	n += 8*cap(r.libraries.values) + 8*cap(r.ageGroups.values)
	for _, texts := range [][]string{r.states.values, r.cities.values, r.ras} {
		for _, s := range texts {
			n += 16 + len(s)
		}
	}
	return n
}

// Rank returns the rank of a reader, or false for one who is not there.
func (r *Readers) Rank(id int64) (int, bool) { return slices.BinarySearch(r.IDs, id) }
