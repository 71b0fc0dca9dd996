package report

import (
	"context"
	"fmt"
	"math/bits"

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

// usage is what a scan of the readers' sheets finds, by group: the sums, the readers with a login, and the titles that
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

	sheet  *facts.ReaderSheet
	ids    []int64
	ranks  []int32 // by place
	at     []int32 // groups by place
	titles []int32 // ranks, by index
}

// scan finds the usage of a selection in a period, of the given metrics, of which Logins must be one. It may wait for
// other scans.
func (r *Reports) scan(
	ctx context.Context, a Access, period calendar.Period, s *selection, metrics []metric.Metric,
) (*usage, error) {
	readers, err := r.readers(ctx, a)
	if err != nil {
		return nil, err
	}
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return nil, err
	}
	end, err := r.scans.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var scanners [visitors]scanner
	for i := range scanners {
		scanners[i] = scanner{
			readers: readers, catalogue: titles, groups: s.groups, metrics: metrics,
			found: newUsage(s.n, len(readers.IDs), len(titles.Titles)),
		}
	}
	err = r.visitSheets(ctx, a, facts.ReaderSheetKind, period, func(visitor int, day calendar.Date, data []byte) error {
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

// scan adds a stored sheet.
func (s *scanner) scan(data []byte) error {
	if err := s.open(data); err != nil {
		return err
	}
	for _, m := range s.metrics {
		visit := s.sum(m)
		if m == metric.Logins {
			visit = s.login
		}
		if err := s.sheet.Column(m, visit); err != nil {
			return err
		}
	}
	return s.read()
}

// open opens a sheet and finds the ranks and the groups of its readers.
func (s *scanner) open(data []byte) (err error) {
	if s.sheet, err = facts.OpenReaderSheet(data); err != nil {
		return err
	}
	if s.ids, err = s.sheet.AppendReaders(s.ids[:0]); err != nil {
		return err
	}
	s.ranks, s.at = facts.Resize(s.ranks, len(s.ids)), facts.Resize(s.at, len(s.ids))
	rank, all := 0, s.readers.IDs
	for place, id := range s.ids { // both ascend
		for rank < len(all) && all[rank] < id {
			rank++
		}
		if rank == len(all) || all[rank] != id {
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
func (s *scanner) read() error {
	ids, err := s.sheet.Titles()
	if err != nil {
		return err
	}
	if s.titles, err = s.catalogue.ranks(s.titles[:0], ids); err != nil {
		return err
	}
	return s.sheet.Books(func(place int, titles []int32) {
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
		var err error
		if rank, err = c.rankFrom(rank, id); err != nil {
			return nil, err
		}
		ranks = append(ranks, int32(rank))
	}
	return ranks, nil
}

// rankFrom returns the rank of a title that is at the given rank or after it, soon: for titles that ascend.
func (c *Catalogue) rankFrom(rank int, id int64) (int, error) {
	for rank < len(c.ids) && c.ids[rank] < id {
		rank++
	}
	if rank == len(c.ids) || c.ids[rank] != id {
		return 0, fmt.Errorf("title %d is missing: %w", id, packed.ErrCorrupt)
	}
	return rank, nil
}
