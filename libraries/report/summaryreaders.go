package report

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/packed"
)

// people are the blocks of a summary that are about the readers who pass its filters.
type readerSummary struct {
	general General
	groups  []Group // of the whole breakdown, in order
}

// Bytes returns about the memory that the blocks hold.
func (p readerSummary) Bytes() int {
	n := 200
	for _, g := range p.groups {
		n += 220 + 2*len(g.Label)
	}
	return n
}

// people returns the blocks of a query, kept for all of its pages.
func (r *Reports) readerSummary(ctx context.Context, a Access, q SummaryQuery) (readerSummary, error) {
	q.Today = 0
	return snapshot.Load(ctx, r.Cache, key(a, "summary people", q), func(ctx context.Context) (readerSummary, error) {
		return r.countReaders(ctx, a, q)
	})
}

// countPeople counts what the readers who pass the filters did, in one pass over the period's blocks. Where all readers
// pass, the days' totals have the sums.
func (r *Reports) countReaders(ctx context.Context, a Access, q SummaryQuery) (readerSummary, error) {
	t, err := r.tables(ctx, a)
	if err != nil {
		return readerSummary{}, err
	}
	period, chosen := r.since(q.Period), t.readers.selectReaders(q)
	everyone := q.Filter == ReaderFilter{} && !q.NewUsers && q.GroupBy == 0
	metrics := summed[:]
	if everyone {
		metrics = []metric.Metric{metric.Logins}
	}
	found, err := r.scan(ctx, a, t, period, chosen, metrics)
	if err != nil {
		return readerSummary{}, err
	}
	p := chosen.blocks(found, t, q.GroupBy)
	if everyone {
		days := t.counted.Days.In(period)
		sums := sumOf(&days)
		for _, m := range summed {
			p.general.Sums[m] = sums[m]
		}
	}
	return p, nil
}

// blocks makes the blocks of what was counted.
func (s *selection) blocks(found *usage, t tables, by GroupBy) readerSummary {
	logins := make([]int64, s.n)
	for rank, group := range s.groups {
		if group >= 0 && found.logins.has(rank) {
			logins[group]++
		}
	}
	var p readerSummary
	var read set
	names := t.readers.grouped(by)
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
			key, label := names.name(g, t.titles)
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

// filteredOut is the group of the readers that a summary does not count.
const filteredOut = -1

// selection says which readers a summary counts, and in which group each of them is.
type selection struct {
	groups []int32 // by rank, or filteredOut
	n      int     // how many groups there may be; some may have no reader
	// What is counted of the readers themselves, by group.
	registered, reservations []int64
}

// selectReaders returns the readers that pass the filters, grouped by an attribute, or all in one group.
func (r *Readers) selectReaders(q SummaryQuery) *selection {
	s := &selection{groups: make([]int32, len(r.IDs))}
	at := r.grouped(q.GroupBy)
	s.n = at.n
	s.registered, s.reservations = make([]int64, s.n), make([]int64, s.n)
	passes := r.matches(q)
	for rank := range s.groups {
		if !passes(rank) {
			s.groups[rank] = filteredOut
			continue
		}
		group := int32(0)
		if at.codes != nil {
			group = int32(at.codes[rank])
		}
		s.groups[rank] = group
		s.registered[group]++
		s.reservations[group] += r.reservations[rank]
	}
	return s
}

// matches returns whether the reader of a rank passes the filters of a summary. Texts are compared folded (L15).
func (r *Readers) matches(q SummaryQuery) func(rank int) bool {
	f := q.Filter
	var tests []func(rank int) bool
	if f.Library != nil {
		tests = append(tests, isTerm(&r.libraries, *f.Library))
	}
	if f.AgeGroup != nil {
		tests = append(tests, isTerm(&r.ageGroups, *f.AgeGroup))
	}
	if f.State != nil {
		tests = append(tests, foldsTo(&r.states, *f.State))
	}
	if f.City != nil {
		tests = append(tests, foldsTo(&r.cities, *f.City))
	}
	if f.Gender != nil {
		gender, ok := libraries.ParseGender(*f.Gender)
		ok = ok && *f.Gender != ""
		tests = append(tests, func(rank int) bool { return ok && r.genders[rank] == gender })
	}
	if q.NewUsers {
		tests = append(tests, func(rank int) bool { return q.Period.Contains(r.registered[rank]) })
	}
	return allOf(tests)
}

// allOf returns the test that is passed where all of the given ones are.
func allOf(tests []func(rank int) bool) func(rank int) bool {
	if len(tests) == 1 {
		return tests[0]
	}
	return func(rank int) bool {
		for _, test := range tests {
			if !test(rank) {
				return false
			}
		}
		return true
	}
}

// isTerm returns the test whether a reader has the term; none has one below 0.
func isTerm(c *packed.Coded[int64], id int64) func(rank int) bool {
	code, ok := c.Code(id)
	ok = ok && id != libraries.None
	return func(rank int) bool { return ok && c.At[rank] == code }
}

// foldsTo returns the test whether a reader has a text that folds as the given one; a reader without any passes none.
func foldsTo(c *packed.Coded[string], text string) func(rank int) bool {
	text = fold.Text(text)
	found := make([]bool, len(c.Values))
	for code, v := range c.Values {
		found[code] = v != "" && fold.Text(v) == text
	}
	return func(rank int) bool { return found[c.At[rank]] }
}

// grouped is the column that a breakdown groups by.
type grouped struct {
	codes []uint32 // nil: all readers are one group
	n     int
	// name returns the key and the label of a code; the key is empty for readers without the value.
	name func(code int, terms *Catalogue) (key, label string)
}

// withoutValue is the label of the group of readers without the value (L11).
const withoutValue = "Não informado"

func (r *Readers) grouped(by GroupBy) grouped {
	switch by {
	case ByLibrary:
		return groupedByTerm(&r.libraries, libraries.LibraryTerms)
	case ByAgeGroup:
		return groupedByTerm(&r.ageGroups, libraries.AgeGroupTerms)
	case ByState:
		return groupedByText(&r.states)
	case ByCity:
		return groupedByText(&r.cities)
	}
	return grouped{n: 1}
}

func groupedByTerm(c *packed.Coded[int64], v libraries.Vocabulary) grouped {
	return grouped{c.At, len(c.Values), func(code int, terms *Catalogue) (key, label string) {
		id := c.Values[code]
		if id == libraries.None {
			return "", withoutValue
		}
		return strconv.FormatInt(id, 10), terms.Term(v, id)
	}}
}

func groupedByText(c *packed.Coded[string]) grouped {
	return grouped{c.At, len(c.Values), func(code int, _ *Catalogue) (key, label string) {
		text := c.Values[code]
		if text == "" {
			return "", withoutValue
		}
		return text, text
	}}
}

// sortGroups puts the groups of a breakdown in order: by folded label, then key, both bytewise; that without a key last.
func sortGroups(groups []Group) {
	folded := make(map[string]string, len(groups))
	for _, g := range groups {
		folded[g.Label] = fold.Text(g.Label)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		if a.Key == "" || b.Key == "" {
			return cmp.Compare(b.Key, a.Key) // an empty key is below all others
		}
		return cmp.Or(cmp.Compare(folded[a.Label], folded[b.Label]), cmp.Compare(a.Key, b.Key))
	})
}
