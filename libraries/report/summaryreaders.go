package report

import (
	"context"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// readerSummary has the parts of a summary that count only the readers who pass its filters.
type readerSummary struct {
	general General
	groups  []Group // the whole breakdown, in order
}

// Bytes returns about the memory that the parts take.
func (s readerSummary) Bytes() int {
	n := 200
	for _, g := range s.groups {
		n += 220 + 2*len(g.Label)
	}
	return n
}

// readerSummary returns the parts for a query. They are cached for all pages of the breakdown.
func (r *Reports) readerSummary(ctx context.Context, a Access, q SummaryQuery) (readerSummary, error) {
	q.Today = 0
	return snapshot.Load(ctx, r.Cache, key(a, "summary readers", q), func(ctx context.Context) (readerSummary, error) {
		return r.countReaders(ctx, a, q)
	})
}

// countReaders counts what the readers who pass the filters did, in one scan of the period's days. If all readers
// pass, the totals of the days have the sums already, and only logins and titles are scanned.
func (r *Reports) countReaders(ctx context.Context, a Access, q SummaryQuery) (readerSummary, error) {
	t, err := r.tables(ctx, a)
	if err != nil {
		return readerSummary{}, err
	}
	period, everyone := r.since(q.Period), q.Filter == ReaderFilter{} && !q.NewUsers && q.GroupBy == 0
	metrics := summed[:]
	if everyone {
		metrics = []metric.Metric{metric.Logins}
	}
	groupOf, groups := t.selectReaders(q)
	found, err := r.scan(ctx, a, t, period, groupOf, len(groups), metrics)
	if err != nil {
		return readerSummary{}, err
	}
	for rank, group := range groupOf {
		if group >= 0 && found.logins.has(rank) {
			groups[group].Metrics.UsersWithLogin++
		}
	}
	var s readerSummary
	var read set
	for i := range groups {
		g := &groups[i].Metrics
		g.DistinctBooks, g.Sums = found.titles[i].count(), found.sums[i]
		s.general.add(g)
		read.join(found.titles[i])
	}
	s.general.DistinctBooks = read.count()
	if everyone {
		days := t.counted.Days.In(period)
		sums := sumOf(&days)
		for _, m := range summed {
			s.general.Sums[m] = sums[m]
		}
	}
	if q.GroupBy != 0 {
		s.groups = sortGroups(slices.DeleteFunc(groups, func(g Group) bool { return g.Metrics.RegisteredUsers == 0 }))
	}
	return s, nil
}

// add adds the numbers of a group of other readers, except the titles, which groups share.
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

// selectReaders returns the group of each reader by rank, or filteredOut, and the groups. A group has only the numbers
// of its readers so far, and may have no reader. All readers are in one group if there is no GroupBy.
func (t tables) selectReaders(q SummaryQuery) (groupOf []int32, groups []Group) {
	codes, groups := t.groups(q.GroupBy)
	groupOf = make([]int32, len(t.readers.IDs))
	all, passes := q.Filter == ReaderFilter{} && !q.NewUsers, t.readers.matches(q)
	for rank := range groupOf {
		if !all && !passes(rank) {
			groupOf[rank] = filteredOut
			continue
		}
		if codes != nil {
			groupOf[rank] = int32(codes[rank])
		}
		g := &groups[groupOf[rank]].Metrics
		g.RegisteredUsers++
		g.ActiveReservations += t.readers.reservations[rank]
	}
	return groupOf, groups
}

// matches returns a function that reports whether the reader of a rank passes the filters of a summary. Texts are
// compared folded (L15).
func (r *Readers) matches(q SummaryQuery) func(rank int) bool {
	library, ageGroup := valuesThat(&r.libraries, q.Filter.Library, sameTerm), valuesThat(&r.ageGroups, q.Filter.AgeGroup, sameTerm)
	state, city := valuesThat(&r.states, q.Filter.State, sameText), valuesThat(&r.cities, q.Filter.City, sameText)
	var gender libraries.Gender
	known := true
	if q.Filter.Gender != nil {
		gender, known = libraries.ParseGender(*q.Filter.Gender)
		known = known && *q.Filter.Gender != ""
	}
	return func(rank int) bool {
		return library[r.libraries.At[rank]] && ageGroup[r.ageGroups.At[rank]] && state[r.states.At[rank]] && city[r.cities.At[rank]] &&
			(q.Filter.Gender == nil || known && r.genders[rank] == gender) &&
			(!q.NewUsers || q.Period.Contains(r.registered[rank]))
	}
}

// withoutValue is the label of the group of readers without the value (L11).
const withoutValue = "Não informado"

// groups returns the groups of a breakdown with their keys and labels, and the index of each reader's group by rank,
// nil if all readers are in one group. The key is empty for readers without the value.
func (t tables) groups(by GroupBy) (codes []uint32, groups []Group) {
	text := func(s string) Group { return Group{Key: s, Label: s} }
	term := func(v libraries.Vocabulary) func(int64) Group {
		return func(id int64) Group { return Group{Key: strconv.FormatInt(id, 10), Label: t.titles.Term(v, id)} }
	}
	r := t.readers
	switch by {
	case ByLibrary:
		return r.libraries.At, groupsByValue(r.libraries.Values, libraries.None, term(libraries.LibraryTerms))
	case ByAgeGroup:
		return r.ageGroups.At, groupsByValue(r.ageGroups.Values, libraries.None, term(libraries.AgeGroupTerms))
	case ByState:
		return r.states.At, groupsByValue(r.states.Values, "", text)
	case ByCity:
		return r.cities.At, groupsByValue(r.cities.Values, "", text)
	}
	return nil, make([]Group, 1)
}

// groupsByValue returns the group of each value of a column.
func groupsByValue[T comparable](values []T, none T, group func(T) Group) []Group {
	groups := make([]Group, len(values))
	for i, v := range values {
		groups[i] = Group{Label: withoutValue}
		if v != none {
			groups[i] = group(v)
		}
	}
	return groups
}

// sortGroups sorts the groups of a breakdown by folded label, then by key, both bytewise. The group without a key
// comes last.
func sortGroups(groups []Group) []Group {
	sortByName(groups, func(g Group) (string, string) { return g.Label, g.Key })
	if i := slices.IndexFunc(groups, func(g Group) bool { return g.Key == "" }); i >= 0 {
		groups = append(slices.Delete(slices.Clone(groups), i, i+1), groups[i])
	}
	return groups
}
