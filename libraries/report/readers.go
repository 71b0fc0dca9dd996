package report

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Readers has the attributes of all readers of a network, a column for each. Readers ascend by identifier, and the
// rank of a reader is the index in every column. A value of Readers is never changed.
type Readers struct {
	IDs []int64

	libraries, ageGroups packed.Coded[int64]
	states, cities       packed.Coded[string]
	ras                  []string // that readers have, ascending
	genders              []libraries.Gender
	statuses             []libraries.ReaderStatus
	registered           []calendar.Date
	updated              []calendar.Date         // the Brasilia day of the last change
	deleted              map[int32]calendar.Date // by the ranks of deactivated and deleted readers
	loans                []int64                 // of all time
	reservations         []int64                 // active
	// ranks has the rank of each identifier, counted from the first one, and noRank for the gaps between. It is nil
	// if identifiers are far apart. A summary of 30 days looks up all their readers: a binary search would miss its
	// budget by half.
	ranks []int32
}

// noRank is the rank of an identifier that no reader has.
const noRank = -1

// Bytes returns about the memory that the readers take.
func (r *Readers) Bytes() int {
	n := 8*cap(r.IDs) + 4*cap(r.ranks) + cap(r.genders) + cap(r.statuses) + 4*cap(r.registered) + 4*cap(r.updated)
	n += 8*cap(r.loans) + 8*cap(r.reservations) + 40*len(r.deleted)
	n += 4*cap(r.libraries.At) + 4*cap(r.ageGroups.At) + 4*cap(r.states.At) + 4*cap(r.cities.At)
	n += 8*cap(r.libraries.Values) + 8*cap(r.ageGroups.Values)
	for _, text := range slices.Concat(r.states.Values, r.cities.Values, r.ras) {
		n += 16 + len(text)
	}
	return n
}

// Rank returns the rank of a reader, or false if there is no such reader.
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

// index fills ranks, unless identifiers are more than four times as many as readers.
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

// ReadReaders decodes stored blocks, which ascend. The error is [packed.ErrCorrupt].
func ReadReaders(data [][]byte) (*Readers, error) {
	blocks := make([]facts.AttributeColumns, len(data))
	n := 0
	for i := range blocks {
		if err := packed.Open(data[i], &blocks[i]); err != nil {
			return nil, err
		}
		n += len(blocks[i].IDs)
	}
	r := &Readers{
		IDs:       make([]int64, 0, n),
		libraries: join(blocks, n, func(b *facts.AttributeColumns) *packed.Coded[int64] { return &b.Libraries }),
		ageGroups: join(blocks, n, func(b *facts.AttributeColumns) *packed.Coded[int64] { return &b.AgeGroups }),
		states:    join(blocks, n, func(b *facts.AttributeColumns) *packed.Coded[string] { return &b.States }),
		cities:    join(blocks, n, func(b *facts.AttributeColumns) *packed.Coded[string] { return &b.Cities }),
		ras:       join(blocks, n, func(b *facts.AttributeColumns) *packed.Coded[string] { return &b.RAs }).Values,
		genders:   make([]libraries.Gender, n), statuses: make([]libraries.ReaderStatus, n),
		registered: make([]calendar.Date, n), updated: make([]calendar.Date, n), deleted: map[int32]calendar.Date{},
		loans: make([]int64, n), reservations: make([]int64, n),
	}
	for i := range blocks {
		b := &blocks[i]
		if rank := len(r.IDs); rank > 0 && len(b.IDs) > 0 && b.IDs[0] <= r.IDs[rank-1] {
			return nil, packed.ErrCorrupt
		}
		r.add(b)
	}
	r.index()
	return r, nil
}

// add adds the readers of a block, except the columns that join makes.
func (r *Readers) add(b *facts.AttributeColumns) {
	rank := len(r.IDs)
	r.IDs = append(r.IDs, b.IDs...)
	packed.Unpack(r.genders[rank:], &b.Genders)
	packed.Unpack(r.statuses[rank:], &b.Statuses)
	packed.Unpack(r.registered[rank:], &b.Registered)
	packed.Unpack(r.updated[rank:], &b.Updated)
	packed.Unpack(r.loans[rank:], &b.Loans)
	packed.Unpack(r.reservations[rank:], &b.Reservations)
	deleted := 0
	for i, status := range r.statuses[rank:len(r.IDs)] {
		if status.Inactive() {
			r.deleted[int32(rank+i)] = calendar.Date(b.Deleted.At(deleted))
			deleted++
		}
	}
}

// join returns one column of all blocks, which have n readers. Each block has a dictionary of its own.
func join[T int64 | string](blocks []facts.AttributeColumns, n int, of func(*facts.AttributeColumns) *packed.Coded[T]) packed.Coded[T] {
	codes := map[T]uint32{}
	for i := range blocks {
		for _, v := range of(&blocks[i]).Values {
			codes[v] = 0
		}
	}
	all := packed.Coded[T]{Values: slices.Sorted(maps.Keys(codes)), At: make([]uint32, 0, n)}
	for code, v := range all.Values {
		codes[v] = uint32(code)
	}
	for i := range blocks {
		column := of(&blocks[i])
		local := make([]uint32, len(column.Values))
		for code, v := range column.Values {
			local[code] = codes[v]
		}
		for _, code := range column.At {
			all.At = append(all.At, local[code])
		}
	}
	return all
}

// valuesThat reports of each value of a column whether it matches. Every value does if want is nil.
func valuesThat[T int64 | string](c *packed.Coded[T], want *T, match func(value, want T) bool) []bool {
	matches := make([]bool, len(c.Values))
	for code, v := range c.Values {
		matches[code] = want == nil || match(v, *want)
	}
	return matches
}

// sameTerm reports whether a reader's term is the wanted one. None matches nothing (G7).
func sameTerm(id, want int64) bool { return id == want && id != libraries.None }

// sameText reports whether a reader's text folds as the wanted one does (L15). An empty text matches nothing (G7).
func sameText(text, want string) bool { return text != "" && fold.Text(text) == fold.Text(want) }
