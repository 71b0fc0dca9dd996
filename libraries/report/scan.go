package report

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// bitset is a set of small numbers, such as ranks.
type bitset []uint64

// newBitset returns an empty set of numbers below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(i int) { s[i>>6] |= 1 << (i & 63) }

func (s bitset) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// count returns how many numbers the set has.
func (s bitset) count() int64 {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// join adds the numbers of another set, for which s has room.
func (s bitset) join(t interface{ addTo(bitset) }) { t.addTo(s) }

// addTo adds the numbers to a set that has room for as many. An empty s may be nil.
func (s bitset) addTo(t bitset) {
	for i, w := range s {
		t[i] |= w
	}
}

// usage is what a scan of the readers' blocks finds, by group: the sums, the readers with a login, and the titles that
// were read.
type usage struct {
	sums   []metric.Measures
	logins bitset      // of ranks
	titles []*titleSet // nil where none was read

	catalogue int  // how many titles there are
	bitsets   bool // titles are bitsets from the beginning
}

func newUsage(groups, readers, titles int) *usage {
	return &usage{
		sums: make([]metric.Measures, groups), logins: newBitset(readers), titles: make([]*titleSet, groups),
		catalogue: titles, bitsets: groups*(titles/8) <= bitsetBytes,
	}
}

// titlesOf returns the set of a group, to be added to.
func (u *usage) titlesOf(group int32) *titleSet {
	set := u.titles[group]
	if set == nil {
		set = newTitleSet(u.catalogue, u.bitsets)
		u.titles[group] = set
	}
	return set
}

// join adds what another scan found.
func (u *usage) join(v *usage) {
	u.logins.join(v.logins)
	for g := range u.sums {
		u.sums[g].Add(&v.sums[g])
		if u.titles[g] == nil {
			u.titles[g] = v.titles[g]
		} else {
			u.titles[g].join(v.titles[g])
		}
	}
}

// summed are the metrics that a general block sums.
var summed = [...]metric.Metric{
	metric.Logins, metric.Loans, metric.Returns, metric.Readings10, metric.Readings50, metric.Previews, metric.ReadingSeconds, metric.Renewals, metric.Reservations, metric.ReservationsConverted,
}

// scanner finds the usage of groups of readers. Each visitor has its own.
type scanner struct {
	readers   *Readers
	catalogue *Catalogue
	groups    []int32
	metrics   []metric.Metric
	found     *usage

	day    facts.DayOfReaders // the one that is scanned
	ranks  []int32            // by place
	at     []int32            // groups by place
	titles []int32            // ranks, by index
}

// scan finds the usage of a selection in a period, of the given metrics, of which Logins must be one. It may wait for
// other scans.
func (r *Reports) scan(
	ctx context.Context, a Access, t tables, period calendar.Period, s *selection, metrics []metric.Metric,
) (*usage, error) {
	end, err := r.scans.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var scanners [visitors]scanner
	for i := range scanners {
		scanners[i] = scanner{
			readers: t.readers, catalogue: t.titles, groups: s.groups, metrics: metrics,
			found: newUsage(s.n, len(t.readers.IDs), len(t.titles.Titles)),
		}
	}
	err = r.visitDays(ctx, a, facts.DayOfReadersKind, period, func(visitor int, day calendar.Date, data []byte) error {
		if err := scanners[visitor].scan(data); err != nil {
			return fmt.Errorf("readers of %s: %w", day, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := scanners[0].found
	for _, other := range scanners[1:] {
		all.join(other.found)
	}
	return all, nil
}

// scan adds a stored block.
func (s *scanner) scan(data []byte) error {
	if err := s.open(data); err != nil {
		return err
	}
	for _, m := range s.metrics {
		visit := s.sum(m)
		if m == metric.Logins {
			visit = s.login
		}
		if err := s.day.Column(m, visit); err != nil {
			return err
		}
	}
	return s.read()
}

// open opens a block and finds the ranks and the groups of its readers.
func (s *scanner) open(data []byte) error {
	if err := packed.Open(data, &s.day); err != nil {
		return err
	}
	n := len(s.day.IDs)
	s.ranks, s.at = slices.Grow(s.ranks[:0], n)[:n], slices.Grow(s.at[:0], n)[:n]
	for place, id := range s.day.IDs {
		rank, ok := s.readers.Rank(id)
		if !ok {
			return fmt.Errorf("reader %d is missing: %w", id, packed.ErrCorrupt)
		}
		s.ranks[place], s.at[place] = int32(rank), s.groups[rank]
	}
	return nil
}

// sum returns what adds the values of a column to the groups.
func (s *scanner) sum(m metric.Metric) func(place int, value int64) {
	at, sums := s.at, s.found.sums
	return func(place int, value int64) {
		if group := at[place]; group >= 0 {
			sums[group][m] += value
		}
	}
}

// login counts a day with activity.
func (s *scanner) login(place int, _ int64) {
	if group := s.at[place]; group >= 0 {
		s.found.sums[group][metric.Logins]++
		s.found.logins.add(int(s.ranks[place]))
	}
}

// read adds the titles of the day's sessions.
func (s *scanner) read() (err error) {
	if s.titles, err = s.catalogue.ranks(s.titles[:0], s.day.Titles); err != nil {
		return err
	}
	return s.day.Books(func(place int, titles []int32) {
		group := s.at[place]
		if group < 0 {
			return
		}
		set := s.found.titlesOf(group)
		for _, i := range titles {
			set.add(s.titles[i])
		}
	})
}

// ranks appends the ranks of titles, which ascend.
func (c *Catalogue) ranks(ranks []int32, ids []int64) ([]int32, error) {
	rank := 0
	for _, id := range ids {
		for rank < len(c.ids) && c.ids[rank] < id {
			rank++
		}
		if rank == len(c.ids) || c.ids[rank] != id {
			return nil, fmt.Errorf("title %d is missing: %w", id, packed.ErrCorrupt)
		}
		ranks = append(ranks, int32(rank))
	}
	return ranks, nil
}

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
