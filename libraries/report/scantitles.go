package report

import (
	"context"
	"slices"
	"sync"
)

// bitsetBytes is the memory up to which each visitor of a scan has a bitset of all titles for each group: of the groups
// that there mostly are, libraries or states, that is the fastest. A free text, such as the city, may make one for each
// reader: then a group has a set that follows what was read.
const bitsetBytes = 16 << 20

// scansAtOnce is how many scans of a Reports may be under way: what one needs in memory follows from the readers and the
// titles.
const scansAtOnce = 2

// scanLimit bounds the scans that are under way. The zero scanLimit has none.
type scanLimit struct {
	once  sync.Once
	scans chan struct{} // an element for each
}

// begin waits until fewer scans are under way than may be; end must be called after this one. The error is ctx's.
func (l *scanLimit) begin(ctx context.Context) (end func(), err error) {
	l.once.Do(func() { l.scans = make(chan struct{}, scansAtOnce) })
	select {
	case l.scans <- struct{}{}:
		return func() { <-l.scans }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// titleSet is a set of the ranks of titles. The nil set is empty; others are made by newTitleSet.
type titleSet struct {
	titles int     // how many there are
	bits   bitset  // nil while list has the set
	list   []int32 // in any order, some perhaps twice
}

// newTitleSet returns an empty set of some of so many titles: a bitset at once, or as soon as a list would take as much.
func newTitleSet(titles int, asBitset bool) *titleSet {
	s := &titleSet{titles: titles}
	if asBitset {
		s.bits = newBitset(titles)
	}
	return s
}

func (s *titleSet) add(rank int32) {
	if s.bits == nil && len(s.list) == cap(s.list) {
		s.makeRoom()
	}
	if s.bits != nil {
		s.bits.add(int(rank))
		return
	}
	s.list = append(s.list, rank)
}

// makeRoom drops what the list has twice, and makes room for as many again, so that each number is sorted a few times
// only. A list of twice its length takes 64 bits for each of its numbers.
func (s *titleSet) makeRoom() {
	s.tidy()
	if n := len(s.list); 64*n > s.titles {
		s.toBitset()
	} else {
		s.list = slices.Grow(s.list, n)
	}
}

// tidy puts the list in order, each number once.
func (s *titleSet) tidy() {
	slices.Sort(s.list)
	s.list = slices.Compact(s.list)
}

// toBitset makes a bitset of the list.
func (s *titleSet) toBitset() {
	bits := newBitset(s.titles)
	s.addTo(bits)
	s.bits, s.list = bits, nil
}

// addTo adds the numbers to a bitset that has room for them.
func (s *titleSet) addTo(b bitset) {
	if s == nil {
		return
	}
	s.bits.addTo(b)
	for _, rank := range s.list {
		b.add(int(rank))
	}
}

// join adds the numbers of t, a set of as many titles.
func (s *titleSet) join(t *titleSet) {
	if t == nil {
		return
	}
	if t.bits != nil {
		if s.bits == nil {
			s.toBitset()
		}
		s.bits.join(t.bits)
	}
	for _, rank := range t.list {
		s.add(rank)
	}
}

// count returns how many numbers the set has.
func (s *titleSet) count() int64 {
	switch {
	case s == nil:
		return 0
	case s.bits != nil:
		return s.bits.count()
	}
	s.tidy()
	return int64(len(s.list))
}
