package report

import (
	"context"
	"maps"
	"sync"
)

// bitsetBytes is the memory up to which each visitor of a scan has a bitset of all titles for each group: of the groups
// that there mostly are, libraries or states, that is the fastest. A free text, such as the city, may make one for each
// reader: then a group has a map of what was read.
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

// titleSet is a set of the ranks of titles: a bitset, or a map where there are many sets. The nil set is empty; others are made
// by newTitleSet.
type titleSet struct {
	bits bitset
	some map[int32]struct{} // where bits is nil
}

func newTitleSet(titles int, asBitset bool) *titleSet {
	if asBitset {
		return &titleSet{bits: newBitset(titles)}
	}
	return &titleSet{some: map[int32]struct{}{}}
}

func (s *titleSet) add(rank int32) {
	if s.bits != nil {
		s.bits.add(int(rank))
	} else {
		s.some[rank] = struct{}{}
	}
}

// addTo adds the numbers to a bitset that has room for them.
func (s *titleSet) addTo(b bitset) {
	if s == nil {
		return
	}
	s.bits.addTo(b)
	for rank := range s.some {
		b.add(int(rank))
	}
}

// join adds the numbers of t, a set of the same form.
func (s *titleSet) join(t *titleSet) {
	if t == nil {
		return
	}
	t.bits.addTo(s.bits)
	maps.Copy(s.some, t.some)
}

// count returns how many numbers the set has.
func (s *titleSet) count() int64 {
	if s == nil {
		return 0
	}
	return s.bits.count() + int64(len(s.some))
}
