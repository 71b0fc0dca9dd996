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

// set is a set of the ranks of readers or titles: a bit each, in pages of 1,024 bits. A page is made when its first
// bit is set. A breakdown by city may have a group for each reader, and each group has a set of titles.
type set []*[16]uint64

// page returns a page, and makes it if it is missing.
func (s *set) page(i int) *[16]uint64 {
	for i >= len(*s) {
		*s = append(*s, nil)
	}
	if (*s)[i] == nil {
		(*s)[i] = new([16]uint64)
	}
	return (*s)[i]
}

func (s *set) add(rank int) {
	s.page(rank >> 10)[rank>>6&15] |= 1 << (rank & 63)
}

func (s set) has(rank int) bool {
	i := rank >> 10
	return i < len(s) && s[i] != nil && s[i][rank>>6&15]&(1<<(rank&63)) != 0
}

// count returns the number of ranks.
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
	for i, from := range t {
		if from != nil {
			to := s.page(i)
			for j, w := range from {
				to[j] |= w
			}
		}
	}
}

// usage is what a scan of the days of readers finds: the readers with a login, and for each group the sums and the
// titles that were read.
type usage struct {
	logins set
	sums   []metric.Measures
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

// summed are the metrics that [General] sums.
var summed = [...]metric.Metric{
	metric.Logins, metric.Loans, metric.Returns, metric.Readings10, metric.Readings50, metric.Previews, metric.ReadingSeconds, metric.Renewals, metric.Reservations, metric.ReservationsConverted,
}

// scanner finds the usage of groups of readers. Each goroutine of a scan has its own.
type scanner struct {
	readers   *Readers
	catalogue *Catalogue
	groups    []int32 // by rank
	metrics   []metric.Metric
	found     usage

	day    facts.DayOfReaders
	ranks  []int32 // of the readers of the day
	at     []int32 // their groups
	titles []int32 // the ranks of the titles of the day
}

// scans has an element for each scan that the process runs. The memory of a scan grows with the readers and titles.
var scans = make(chan struct{}, 2)

// scan finds the usage of n groups of readers in a period, in the given metrics, which must include Logins. The
// groups are those of the readers by rank, or filteredOut. It may wait for other scans.
func (r *Reports) scan(
	ctx context.Context, a Access, t tables, period calendar.Period, groups []int32, n int, metrics []metric.Metric,
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
			readers: t.readers, catalogue: t.titles, groups: groups, metrics: metrics,
			found: usage{sums: make([]metric.Measures, n), titles: make([]set, n)},
		}
	}
	err := r.scanDays(ctx, a, facts.DayOfReadersKind, period, func(worker int, _ calendar.Date, data []byte) error {
		return scanners[worker].scan(data)
	})
	all := &scanners[0].found
	for i := range scanners[1:] {
		all.join(&scanners[1+i].found)
	}
	return all, err
}

// scan adds the usage of a stored day.
func (s *scanner) scan(data []byte) error {
	if err := s.open(data); err != nil {
		return err
	}
	at, sums := s.at, s.found.sums
	for _, m := range s.metrics {
		visit := func(place int, value int64) {
			if group := at[place]; group >= 0 {
				sums[group][m] += value
			}
		}
		if m == metric.Logins {
			visit = s.login
		}
		if err := s.day.Column(m, visit); err != nil {
			return err
		}
	}
	return s.read()
}

// open decodes a day and finds the ranks and groups of its readers.
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

// login counts a day with activity.
func (s *scanner) login(place int, _ int64) {
	if group := s.at[place]; group >= 0 {
		s.found.sums[group][metric.Logins]++
		s.found.logins.add(int(s.ranks[place]))
	}
}

// read adds the titles that were read on the day.
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
