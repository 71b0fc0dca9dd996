package report

import (
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
	// ranks are by the distance of an identifier from the first one, nobody where there is no such reader; nil where identifiers are
	// far apart. A summary finds the readers of thirty days by them: half as much again would miss its budget.
	ranks []int32
}

// nobody is the rank of no reader.
const nobody = -1

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
	n := 8*cap(r.IDs) + 4*cap(r.ranks) + cap(r.genders) + cap(r.statuses) + 4*cap(r.registered) + 4*cap(r.updated)
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
func (r *Readers) Rank(id int64) (int, bool) {
	if r.ranks == nil {
		return slices.BinarySearch(r.IDs, id)
	}
	i := id - r.IDs[0]
	if i < 0 || i >= int64(len(r.ranks)) {
		return 0, false
	}
	rank := r.ranks[i]
	return int(rank), rank != nobody
}

// index makes the ranks, unless they would be more than four for each reader.
func (r *Readers) index() {
	n := len(r.IDs)
	if n == 0 || uint64(r.IDs[n-1])-uint64(r.IDs[0]) >= 4*uint64(n) {
		return
	}
	r.ranks = slices.Repeat([]int32{nobody}, int(r.IDs[n-1]-r.IDs[0])+1)
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
	r := newReaders(count)
	u := newUnpacker(r)
	rank := 0
	for _, data := range blocks {
		if err := packed.Open(data, &u.form); err != nil {
			return nil, err
		}
		u.block(rank, rank+len(u.form.IDs))
		rank += len(u.form.IDs)
	}
	for i := 1; i < count; i++ {
		if r.IDs[i] <= r.IDs[i-1] {
			return nil, packed.ErrCorrupt
		}
	}
	sortCodes(&r.libraries, u.libraries)
	sortCodes(&r.ageGroups, u.ageGroups)
	sortCodes(&r.states, u.states)
	sortCodes(&r.cities, u.cities)
	r.ras = slices.DeleteFunc(slices.Sorted(slices.Values(u.ras.values)), func(name string) bool { return name == "" })
	r.index()
	return r, nil
}

// newReaders returns the empty columns of n readers.
func newReaders(n int) *Readers {
	return &Readers{
		IDs:       make([]int64, n),
		libraries: codes[int64]{at: make([]uint32, n)}, ageGroups: codes[int64]{at: make([]uint32, n)},
		states: codes[string]{at: make([]uint32, n)}, cities: codes[string]{at: make([]uint32, n)},
		genders: make([]libraries.Gender, n), statuses: make([]libraries.ReaderStatus, n),
		registered: make([]calendar.Date, n), updated: make([]calendar.Date, n),
		loans: make([]int64, n), reservations: make([]int64, n),
	}
}

// sortCodes puts the values of a column in order, which are numbered as they were met.
func sortCodes[T int64 | string](c *codes[T], n *numbering[T]) {
	c.values = slices.Sorted(slices.Values(n.values))
	to := make([]uint32, len(n.values))
	for number, v := range n.values {
		to[number], _ = c.code(v)
	}
	for rank, number := range c.at {
		c.at[rank] = to[number]
	}
}

// unpacker unpacks blocks one after the other. It numbers values as it meets them.
type unpacker struct {
	to                   *Readers
	libraries, ageGroups *numbering[int64]
	states, cities, ras  *numbering[string]
	form                 facts.AttributeColumns
}

func newUnpacker(to *Readers) *unpacker {
	return &unpacker{
		to: to, libraries: newNumbering[int64](), ageGroups: newNumbering[int64](),
		states: newNumbering[string](), cities: newNumbering[string](), ras: newNumbering[string](),
	}
}

// block unpacks the open form to the ranks from rank up to but without end.
func (u *unpacker) block(rank, end int) {
	r, f := u.to, &u.form
	copy(r.IDs[rank:end], f.IDs)
	u.libraries.unpack(r.libraries.at[rank:end], &f.Libraries)
	u.ageGroups.unpack(r.ageGroups.at[rank:end], &f.AgeGroups)
	u.states.unpack(r.states.at[rank:end], &f.States)
	u.cities.unpack(r.cities.at[rank:end], &f.Cities)
	for _, name := range f.RAs.Values {
		u.ras.number(name)
	}
	packed.Unpack(r.genders[rank:end], &f.Genders)
	packed.Unpack(r.statuses[rank:end], &f.Statuses)
	packed.Unpack(r.registered[rank:end], &f.Registered)
	packed.Unpack(r.updated[rank:end], &f.Updated)
	packed.Unpack(r.loans[rank:end], &f.Loans)
	packed.Unpack(r.reservations[rank:end], &f.Reservations)
	gone := 0
	for i, status := range r.statuses[rank:end] {
		if status.Gone() {
			r.gone = append(r.gone, goneReader{int32(rank + i), calendar.Date(f.Deleted.At(gone))})
			gone++
		}
	}
}

// numbering numbers the values of a column in the order in which they are met.
type numbering[T int64 | string] struct {
	numbers map[T]uint32
	values  []T
	local   []uint32 // by the index in a block's dictionary
}

func newNumbering[T int64 | string]() *numbering[T] { return &numbering[T]{numbers: map[T]uint32{}} }

// number returns the number of a value.
func (n *numbering[T]) number(v T) uint32 {
	number, met := n.numbers[v]
	if !met {
		number = uint32(len(n.values))
		n.numbers[v] = number
		n.values = append(n.values, v)
	}
	return number
}

// unpack unpacks a column of a block to the numbers of its values.
func (n *numbering[T]) unpack(to []uint32, c *packed.Coded[T]) {
	n.local = n.local[:0]
	for _, v := range c.Values {
		n.local = append(n.local, n.number(v))
	}
	for i, code := range c.At {
		to[i] = n.local[code]
	}
}
