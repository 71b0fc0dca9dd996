package report

import (
	"context"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/state"
)

// people are the blocks of a summary that are about the readers who pass its filters.
type people struct {
	general General
	groups  []Group // of the whole breakdown, in order
}

// Bytes returns about the memory that the blocks hold.
func (p people) Bytes() int {
	n := 200
	for _, g := range p.groups {
		n += 220 + 2*len(g.Label)
	}
	return n
}

// people returns the blocks of a query, kept for all of its pages.
func (r *Reports) people(ctx context.Context, a Access, q SummaryQuery) (people, error) {
	q.Today = 0
	return state.Load(ctx, r.Cache, key(a, "summary people", q), func(ctx context.Context) (people, error) {
		return r.countPeople(ctx, a, q)
	})
}

// countPeople counts what the readers who pass the filters did, in one pass over the period's sheets. Where all readers
// pass, the days' totals have the sums.
func (r *Reports) countPeople(ctx context.Context, a Access, q SummaryQuery) (people, error) {
	readers, err := r.readers(ctx, a)
	if err != nil {
		return people{}, err
	}
	days, err := r.daysIn(ctx, a, r.since(q.Period))
	if err != nil {
		return people{}, err
	}
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return people{}, err
	}
	chosen := readers.selectReaders(q)
	everyone := q.Filter == ReaderFilter{} && !q.NewUsers && q.GroupBy == 0
	metrics := summed[:]
	if everyone {
		metrics = []metric.Metric{metric.Logins}
	}
	found, err := r.scan(ctx, a, r.since(q.Period), chosen, metrics)
	if err != nil {
		return people{}, err
	}
	p := chosen.blocks(found, readers, titles, q.GroupBy)
	if everyone {
		sums := sumOf(&days)
		for _, m := range summed {
			p.general.Sums[m] = sums[m]
		}
	}
	return p, nil
}

// blocks makes the blocks of what was counted.
func (s *selection) blocks(found *usage, readers *Readers, titles *Catalogue, by GroupBy) people {
	logins := make([]int64, s.n)
	for rank, group := range s.groups {
		if group >= 0 && found.logins.has(rank) {
			logins[group]++
		}
	}
	var p people
	read := newBitset(len(titles.Titles))
	names := readers.grouped(by)
	for g := range s.n {
		if s.registered[g] == 0 {
			continue
		}
		metrics := General{
			RegisteredUsers: s.registered[g], UsersWithLogin: logins[g], DistinctBooks: found.titles[g].count(),
			ActiveReservations: s.reservations[g], Sums: found.sums[g],
		}
		p.general.add(&metrics)
		read.join(found.titles[g])
		if by != 0 {
			key, label := names.name(g, titles)
			p.groups = append(p.groups, Group{key, label, metrics})
		}
	}
	p.general.DistinctBooks = read.count()
	sortGroups(p.groups)
	return p
}

// add adds the numbers of a group of other readers; its titles may be the same, and are not added.
func (g *General) add(h *General) {
	g.RegisteredUsers += h.RegisteredUsers
	g.UsersWithLogin += h.UsersWithLogin
	g.ActiveReservations += h.ActiveReservations
	g.Sums.Add(&h.Sums)
}

// sumOf returns the sums of all days.
func sumOf(d *facts.Days) (sums metric.Measures) {
	for i := range d.Totals {
		sums.Add(&d.Totals[i].Sums)
	}
	return sums
}
