package report

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Readers are the attributes of all readers of a network in columns, readers ascending; a reader's rank is its index. It is
// never changed once it is read.
type Readers struct {
	IDs []int64

	libraries, ageGroups packed.Coded[int64]
	states, cities       packed.Coded[string]
	ras                  []string // present on readers, ascending
	genders              []libraries.Gender
	statuses             []libraries.ReaderStatus
	registered           []calendar.Date
	updated              []calendar.Date  // the Brasilia day of the last change
	loans                []int64          // historical
	reservations         []int64          // active
	inactive             []inactiveReader // by rank
	// ranks are by the distance of an identifier from the first one, nobody where there is no such reader; nil where identifiers are
	// far apart. A summary finds the readers of thirty days by them: half as much again would miss its budget.
	ranks []int32
}

// nobody is the rank of no reader.
const noRank = -1

// goneReader is a reader who is deactivated or deleted.
type inactiveReader struct {
	rank int32
	day  calendar.Date
}

// Bytes returns about the memory that the readers hold.
func (r *Readers) Bytes() int {
	n := 8*cap(r.IDs) + 4*cap(r.ranks) + cap(r.genders) + cap(r.statuses) + 4*cap(r.registered) + 4*cap(r.updated)
	n += 8*cap(r.loans) + 8*cap(r.reservations) + 8*cap(r.inactive)
	n += 4*cap(r.libraries.At) + 4*cap(r.ageGroups.At) + 4*cap(r.states.At) + 4*cap(r.cities.At)
	n += 8*cap(r.libraries.Values) + 8*cap(r.ageGroups.Values)
	for _, texts := range [][]string{r.states.Values, r.cities.Values, r.ras} {
		for _, s := range texts {
			n += 16 + len(s)
		}
	}
	return n
}

// Rank returns the rank of a reader, or false for one who is not there.
func (r *Readers) Rank(id int64) (int, bool) {
	if r.ranks == nil {
		return slices.BinarySearch(r.IDs, id)
	}
	i := id - r.IDs[0]
	if i < 0 || i >= int64(len(r.ranks)) {
		return 0, false
	}
	rank := r.ranks[i]
	return int(rank), rank != noRank
}

// index makes the ranks, unless they would be more than four for each reader.
func (r *Readers) index() {
	n := len(r.IDs)
	if n == 0 || uint64(r.IDs[n-1])-uint64(r.IDs[0]) >= 4*uint64(n) {
		return
	}
	r.ranks = slices.Repeat([]int32{noRank}, int(r.IDs[n-1]-r.IDs[0])+1)
	for rank, id := range r.IDs {
		r.ranks[id-r.IDs[0]] = int32(rank)
	}
}

// ReadReaders unpacks stored blocks, which ascend. The error is packed.ErrCorrupt.
func ReadReaders(blocks [][]byte) (*Readers, error) {
	count := 0
	for _, data := range blocks {
		d := packed.Bare(data)
		_ = d.Byte() // the version is checked below
		count += int(min(d.Uvarint(), facts.BlockReaders))
	}
	r := &Readers{
		IDs: make([]int64, 0, count), genders: make([]libraries.Gender, count), statuses: make([]libraries.ReaderStatus, count),
		registered: make([]calendar.Date, count), updated: make([]calendar.Date, count),
		loans: make([]int64, count), reservations: make([]int64, count),
	}
	library, ageGroup := newNumbering[int64](count), newNumbering[int64](count)
	state, city, ras := newNumbering[string](count), newNumbering[string](count), map[string]bool{}
	var f facts.AttributeColumns
	for _, data := range blocks {
		if err := packed.Open(data, &f); err != nil {
			return nil, err
		}
		library.add(&f.Libraries)
		ageGroup.add(&f.AgeGroups)
		state.add(&f.States)
		city.add(&f.Cities)
		for _, name := range f.RAs.Values {
			ras[name] = name != ""
		}
		r.add(&f)
	}
	for i := 1; i < count; i++ {
		if r.IDs[i] <= r.IDs[i-1] {
			return nil, packed.ErrCorrupt
		}
	}
	r.libraries, r.ageGroups, r.states, r.cities = library.sorted(), ageGroup.sorted(), state.sorted(), city.sorted()
	r.ras = slices.DeleteFunc(slices.Sorted(maps.Keys(ras)), func(name string) bool { return !ras[name] })
	r.index()
	return r, nil
}

// add adds the readers of a block, but for the coded columns.
func (r *Readers) add(f *facts.AttributeColumns) {
	rank := len(r.IDs)
	r.IDs = append(r.IDs, f.IDs...)
	packed.Unpack(r.genders[rank:], &f.Genders)
	packed.Unpack(r.statuses[rank:], &f.Statuses)
	packed.Unpack(r.registered[rank:], &f.Registered)
	packed.Unpack(r.updated[rank:], &f.Updated)
	packed.Unpack(r.loans[rank:], &f.Loans)
	packed.Unpack(r.reservations[rank:], &f.Reservations)
	gone := 0
	for i, status := range r.statuses[rank:len(r.IDs)] {
		if status.Inactive() {
			r.inactive = append(r.inactive, inactiveReader{int32(rank + i), calendar.Date(f.Deleted.At(gone))})
			gone++
		}
	}
}

// numbering joins a column of blocks. Values are numbered in the order in which they are met.
type numbering[T int64 | string] struct {
	packed.Coded[T]
	numbers map[T]uint32
	local   []uint32 // by the index in a block's dictionary
}

// newNumbering returns an empty column with room for n readers.
func newNumbering[T int64 | string](n int) *numbering[T] {
	return &numbering[T]{numbers: map[T]uint32{}, Coded: packed.Coded[T]{At: make([]uint32, 0, n)}}
}

// add adds the column of a block.
func (n *numbering[T]) add(c *packed.Coded[T]) {
	n.local = n.local[:0]
	for _, v := range c.Values {
		number, met := n.numbers[v]
		if !met {
			number = uint32(len(n.Values))
			n.numbers[v] = number
			n.Values = append(n.Values, v)
		}
		n.local = append(n.local, number)
	}
	for _, code := range c.At {
		n.At = append(n.At, n.local[code])
	}
}

// sorted returns the column with its values in order.
func (n *numbering[T]) sorted() packed.Coded[T] {
	met := slices.Clone(n.Values)
	slices.Sort(n.Values)
	to := make([]uint32, len(met))
	for number, v := range met {
		to[number], _ = n.Code(v)
	}
	for rank, number := range n.At {
		n.At[rank] = to[number]
	}
	return n.Coded
}
