package report

import (
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ReadReaders unpacks stored blocks, which ascend. The error is packed.ErrCorrupt.
func ReadReaders(blocks [][]byte) (*Readers, error) {
	count := 0
	for _, data := range blocks {
		d := packed.NewDecoder(data, facts.AttributesVersion)
		n := d.Uvarint()
		if d.Bad() || n > facts.BlockReaders {
			return nil, packed.ErrCorrupt
		}
		count += int(n)
	}
	r := newReaders(count)
	u := newUnpacker(r)
	rank := 0
	for _, data := range blocks {
		if err := u.form.Open(data); err != nil {
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
	form                 facts.AttributesForm
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
	unpackCodes(r.libraries.at[rank:end], &f.Libraries, u.libraries, numberInteger)
	unpackCodes(r.ageGroups.at[rank:end], &f.AgeGroups, u.ageGroups, numberInteger)
	unpackCodes(r.states.at[rank:end], &f.States, u.states, numberText)
	unpackCodes(r.cities.at[rank:end], &f.Cities, u.cities, numberText)
	for _, name := range f.RAs.Values {
		numberText(u.ras, name)
	}
	u.unpackKinds(rank)
	facts.Unpack(r.registered[rank:end], &f.Registered)
	facts.Unpack(r.updated[rank:end], &f.Updated)
	facts.Unpack(r.loans[rank:end], &f.Loans)
	facts.Unpack(r.reservations[rank:end], &f.Reservations)
}

// unpackKinds unpacks the genders, the statuses, and the days on which readers went.
func (u *unpacker) unpackKinds(rank int) {
	r, f := u.to, &u.form
	gone := 0
	for i, kind := range f.Kinds {
		status := libraries.ReaderStatus(kind >> 3)
		r.genders[rank+i], r.statuses[rank+i] = libraries.Gender(kind&7), status
		if status.Gone() {
			r.gone = append(r.gone, goneReader{int32(rank + i), calendar.Date(f.Deleted.At(gone))})
			gone++
		}
	}
}

// numbering numbers the values of a column in the order in which they are met.
type numbering[T comparable] struct {
	numbers map[T]uint32
	values  []T
	local   []uint32 // by the index in a block's dictionary
}

func newNumbering[T comparable]() *numbering[T] { return &numbering[T]{numbers: map[T]uint32{}} }

// add numbers a value that was not met before.
func (n *numbering[T]) add(v T) uint32 {
	number := uint32(len(n.values))
	n.numbers[v] = number
	n.values = append(n.values, v)
	return number
}

func numberInteger(n *numbering[int64], v int64) uint32 {
	if number, met := n.numbers[v]; met {
		return number
	}
	return n.add(v)
}

func numberText(n *numbering[string], v []byte) uint32 {
	if number, met := n.numbers[string(v)]; met {
		return number
	}
	return n.add(string(v))
}

// unpackCodes unpacks a column with a block's dictionary to the numbers of a numbering.
func unpackCodes[T comparable, V any](to []uint32, c *facts.Coded[V], n *numbering[T], number func(*numbering[T], V) uint32) {
	n.local = n.local[:0]
	for _, v := range c.Values {
		n.local = append(n.local, number(n, v))
	}
	for i, code := range c.At {
		to[i] = n.local[code]
	}
}
