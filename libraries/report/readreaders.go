package report

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// unpackers is the number of goroutines that unpack readers.
const unpackers = 4

// ReadReaders unpacks stored blocks, which ascend, on several goroutines. The error is packed.ErrCorrupt.
func ReadReaders(blocks [][]byte) (*Readers, error) {
	starts := make([]int, len(blocks)+1) // the rank of each block's first reader
	for i, data := range blocks {
		d := packed.NewDecoder(data, facts.AttributesVersion)
		n := d.Uvarint()
		if d.Bad() || n > facts.BlockReaders {
			return nil, packed.ErrCorrupt
		}
		starts[i+1] = starts[i] + int(n)
	}
	r := newReaders(starts[len(blocks)])
	parts := make([]*unpacker, unpackers)
	work := make([]func() error, unpackers)
	for i := range work {
		from, to := len(blocks)*i/unpackers, len(blocks)*(i+1)/unpackers
		parts[i] = newUnpacker(r, starts[from], starts[to])
		work[i] = func() error { return parts[i].unpack(blocks[from:to]) }
	}
	if err := state.Together(work...); err != nil {
		return nil, err
	}
	for i := 1; i < len(r.IDs); i++ {
		if r.IDs[i] <= r.IDs[i-1] {
			return nil, packed.ErrCorrupt
		}
	}
	r.join(parts)
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

// join makes of the numberings of all parts one, in which values ascend.
func (r *Readers) join(parts []*unpacker) {
	joinCodes(&r.libraries, parts, func(u *unpacker) *numbering[int64] { return u.libraries })
	joinCodes(&r.ageGroups, parts, func(u *unpacker) *numbering[int64] { return u.ageGroups })
	joinCodes(&r.states, parts, func(u *unpacker) *numbering[string] { return u.states })
	joinCodes(&r.cities, parts, func(u *unpacker) *numbering[string] { return u.cities })
	ras := map[string]bool{}
	for _, u := range parts {
		for _, name := range u.ras.values {
			ras[name] = name != ""
		}
		r.gone = append(r.gone, u.gone...)
	}
	maps.DeleteFunc(ras, func(_ string, present bool) bool { return !present })
	r.ras = slices.Sorted(maps.Keys(ras))
}

// joinCodes replaces the numbers that each part gave to the values of a column.
func joinCodes[T int64 | string](c *codes[T], parts []*unpacker, of func(*unpacker) *numbering[T]) {
	for _, u := range parts {
		c.values = append(c.values, of(u).values...)
	}
	slices.Sort(c.values)
	c.values = slices.Clip(slices.Compact(c.values))
	work := make([]func() error, len(parts))
	for i, u := range parts {
		work[i] = func() error {
			values := of(u).values
			to := make([]uint32, len(values))
			for code, v := range values {
				to[code], _ = c.code(v)
			}
			at := c.at[u.from:u.end]
			for rank, code := range at {
				at[rank] = to[code]
			}
			return nil
		}
	}
	_ = state.Together(work...) // none fails
}

// unpacker unpacks some neighbouring blocks. It numbers values as it meets them.
type unpacker struct {
	to                   *Readers
	from, end            int // its ranks
	libraries, ageGroups *numbering[int64]
	states, cities, ras  *numbering[string]
	gone                 []goneReader
	form                 facts.AttributesForm
}

func newUnpacker(to *Readers, from, end int) *unpacker {
	return &unpacker{
		to: to, from: from, end: end,
		libraries: newNumbering[int64](), ageGroups: newNumbering[int64](),
		states: newNumbering[string](), cities: newNumbering[string](), ras: newNumbering[string](),
	}
}

// unpack unpacks the blocks, one after the other, from the unpacker's first rank on.
func (u *unpacker) unpack(blocks [][]byte) error {
	rank := u.from
	for _, data := range blocks {
		if err := u.form.Open(data); err != nil {
			return err
		}
		u.block(rank, rank+len(u.form.IDs))
		rank += len(u.form.IDs)
	}
	return nil
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
			u.gone = append(u.gone, goneReader{int32(rank + i), calendar.Date(f.Deleted.At(gone))})
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
