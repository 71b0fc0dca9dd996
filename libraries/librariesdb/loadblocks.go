package librariesdb

import (
	"cmp"
	"errors"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
)

// blocks are the attributes of readers by the number of their block.
type blocks map[int64]*block

// block is a block of attributes. A reader is in one of the two lists, both of which ascend.
type block struct {
	readers []libraries.Attributes // those of the store
	fresh   []libraries.Attributes
	stored  bool // whether the store has the block
	changed bool
}

// errNoReader says that a load has something of a reader who does not exist.
var errNoReader = errors.New("there is no such reader")

// find returns a reader's attributes, or nil. Of the fresh ones only the last can be asked for: readers come in order.
func (b *block) find(reader int64) *libraries.Attributes {
	i, found := slices.BinarySearchFunc(b.readers, reader, func(a libraries.Attributes, id int64) int { return cmp.Compare(a.ID, id) })
	if found {
		return &b.readers[i]
	}
	if n := len(b.fresh); n > 0 && b.fresh[n-1].ID == reader {
		return &b.fresh[n-1]
	}
	return nil
}

// put sets the attributes of a reader, who keeps the counters.
func (bs blocks) put(a libraries.Attributes) {
	b := bs[libraries.Block(a.ID)]
	if b == nil {
		b = &block{}
		bs[libraries.Block(a.ID)] = b
	}
	b.changed = true
	was := b.find(a.ID)
	if was == nil {
		b.fresh = append(b.fresh, a)
		return
	}
	a.Loans, a.ActiveReservations = was.Loans, was.ActiveReservations
	*was = a
}

// count adds to the counters of a reader.
func (bs blocks) count(reader, loans, activeReservations int64) error {
	b := bs[libraries.Block(reader)]
	if b == nil {
		return errNoReader
	}
	a := b.find(reader)
	if a == nil {
		return errNoReader
	}
	if loans != 0 || activeReservations != 0 {
		a.Loans += loans
		a.ActiveReservations += activeReservations
		b.changed = true
	}
	return nil
}

// pack returns the stored form.
func (b *block) pack() []byte {
	all := append(b.readers, b.fresh...)
	slices.SortFunc(all, func(a, b libraries.Attributes) int { return cmp.Compare(a.ID, b.ID) })
	return libraries.AppendAttributes(nil, all)
}
