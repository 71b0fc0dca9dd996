package report

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// set is a set of the ranks of readers, or of titles: a bit each, in pages of 1,024 that are made when they are first needed. A
// breakdown by a free text, such as the city, may have a group for each reader, and each group has a set of titles.
type set []*[16]uint64

func (s *set) add(rank int) {
	i := rank >> 10
	if i >= len(*s) || (*s)[i] == nil {
		s.make(i)
	}
	(*s)[i][rank>>6&15] |= 1 << (rank & 63)
}

// make makes a page, which is empty.
func (s *set) make(i int) {
	for i >= len(*s) {
		*s = append(*s, nil)
	}
	(*s)[i] = new([16]uint64)
}

func (s set) has(rank int) bool {
	i := rank >> 10
	return i < len(s) && s[i] != nil && s[i][rank>>6&15]&(1<<(rank&63)) != 0
}

// count returns how many ranks the set has.
func (s set) count() (n int64) {
	for _, page := range s {
		if page != nil {
			for _, w := range page {
				n += int64(bits.OnesCount64(w))
			}
		}
	}
	return n
}

// join adds the ranks of another set.
func (s *set) join(t set) {
	for i, page := range t {
		if page == nil {
			continue
		}
		if i >= len(*s) || (*s)[i] == nil {
			s.make(i)
		}
		for j, w := range page {
			(*s)[i][j] |= w
		}
	}
}

// usage is what a scan of the readers' blocks finds, by group: the sums, the readers with a login, and the titles that
// were read.
type usage struct {
	sums   []metric.Measures
	logins set // of readers
	titles []set
}

// join adds what another scan found.
func (u *usage) join(v *usage) {
	u.logins.join(v.logins)
	for g := range u.sums {
		u.sums[g].Add(&v.sums[g])
		u.titles[g].join(v.titles[g])
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
	found     usage

	day    facts.DayOfReaders // the one that is scanned
	ranks  []int32            // by place
	at     []int32            // groups by place
	titles []int32            // ranks, by index
}

// scans has an element for each scan of the process that is under way: the memory of a scan grows with the readers and the titles.
var scans = make(chan struct{}, 2)

// scan finds the usage of a selection in a period, of the given metrics, of which Logins must be one. It may wait for
// other scans.
func (r *Reports) scan(
	ctx context.Context, a Access, t tables, period calendar.Period, s *selection, metrics []metric.Metric,
) (*usage, error) {
	select {
	case scans <- struct{}{}:
		defer func() { <-scans }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var scanners [scanWorkers]scanner
	for i := range scanners {
		scanners[i] = scanner{
			readers: t.readers, catalogue: t.titles, groups: s.groups, metrics: metrics,
			found: usage{sums: make([]metric.Measures, s.n), titles: make([]set, s.n)},
		}
	}
	err := r.visitDays(ctx, a, facts.DayOfReadersKind, period, func(visitor int, day calendar.Date, data []byte) error {
		if err := scanners[visitor].scan(data); err != nil {
			return fmt.Errorf("readers of %s: %w", day, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := &scanners[0].found
	for i := range scanners[1:] {
		all.join(&scanners[1+i].found)
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
		read := &s.found.titles[group]
		for _, i := range titles {
			read.add(int(s.titles[i]))
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
