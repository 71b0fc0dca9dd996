package report

import (
	"math/bits"
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

	// present and before find ranks: present has a bit for each number from the first identifier on, set where that is an
	// identifier, and before[i] is the number of bits that are set in the words before i. They are nil where identifiers
	// lie so far apart that this would take too much room.
	present bitset
	before  []int32
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
	n += 8*cap(r.loans) + 8*cap(r.reservations) + 8*cap(r.gone) + 8*cap(r.present) + 4*cap(r.before)
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
func (r *Readers) Rank(id int64) (int, bool) {
	if len(r.IDs) == 0 || id < r.IDs[0] || id > r.IDs[len(r.IDs)-1] {
		return 0, false
	}
	if r.present == nil {
		return slices.BinarySearch(r.IDs, id)
	}
	i := int(id - r.IDs[0])
	word, bit := r.present[i>>6], uint64(1)<<(i&63)
	return int(r.before[i>>6]) + bits.OnesCount64(word&(bit-1)), word&bit != 0
}

// indexMost is how many words of 64 numbers the index may have beside four for each reader.
const indexMost = 1 << 16

// index makes what Rank looks into.
func (r *Readers) index() {
	n := len(r.IDs)
	if n == 0 {
		return
	}
	first := r.IDs[0]
	width := uint64(r.IDs[n-1]) - uint64(first)
	if width/64 >= uint64(4*n+indexMost) {
		return
	}
	r.present = newBitset(int(width) + 1)
	r.before = make([]int32, len(r.present))
	for _, id := range r.IDs {
		r.present.add(int(id - first))
	}
	sum := 0
	for i, word := range r.present {
		r.before[i] = int32(sum)
		sum += bits.OnesCount64(word)
	}
}
