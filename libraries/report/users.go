package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Users answers one page of the readers, by identifier. Which readers pass the filter is kept; their rows are not, so that
// what is erased from the register is nowhere else (L18).
func (r *Reports) Users(ctx context.Context, a Access, q UserQuery, p paging.Page) (List[User], error) {
	var erased bool
	list, err := listed(a, func() (page[User], error) {
		var titles *Catalogue
		var readers *Readers
		err := state.Together(
			func() (err error) { titles, err = r.catalogue(ctx, a); return err },
			func() (err error) { readers, err = r.readers(ctx, a); return err },
		)
		if err != nil {
			return page[User]{}, err
		}
		ids, err := r.userIDs(ctx, a, readers, q, p)
		if err != nil || len(ids.rows) == 0 {
			return page[User]{total: ids.total}, err
		}
		var rows []User
		rows, erased, err = r.userRows(ctx, a, titles, readers, ids.rows)
		return page[User]{rows, ids.total}, err
	})
	list.Erased = erased
	return list, err
}

// userIDs returns the identifiers of a page.
func (r *Reports) userIDs(ctx context.Context, a Access, all *Readers, q UserQuery, p paging.Page) (page[int64], error) {
	if q == (UserQuery{}) {
		return pageOf(all.IDs, p)
	}
	if q.Reader != nil {
		return pageOf(all.one(q), p)
	}
	found, err := state.Load(ctx, r.Cache, key(a, "users", q), func(context.Context) (places, error) { return all.filter(q), nil })
	if err != nil {
		return page[int64]{}, err
	}
	return pick(all.IDs, found, p)
}

// userRows reads the register's rows of readers, which ascend.
func (r *Reports) userRows(ctx context.Context, a Access, titles *Catalogue, readers *Readers, ids []int64) (rows []User, erased bool, err error) {
	people, erased, err := r.Store.Named(ctx, a, ids)
	if err != nil {
		return nil, false, err
	}
	rows = make([]User, len(ids))
	for i, id := range ids {
		rank, ok := readers.Rank(id)
		if !ok || i >= len(people) || people[i].ID != id {
			return nil, false, fmt.Errorf("reader %d is missing: %w", id, packed.ErrCorrupt)
		}
		readers.fill(&people[i], rank)
		rows[i] = User{
			Reader:      &people[i],
			LibraryName: titles.Term(libraries.LibraryTerms, people[i].Library),
			AgeGroup:    titles.Term(libraries.AgeGroupTerms, people[i].AgeGroup),
			TotalLoans:  readers.loans[rank],
		}
	}
	return rows, erased, nil
}

// fill sets of a reader what the attributes have, all but the RA, which no list shows.
func (r *Readers) fill(to *libraries.Reader, rank int) {
	to.Library, to.AgeGroup = r.libraries.values[r.libraries.at[rank]], r.ageGroups.values[r.ageGroups.at[rank]]
	to.State, to.City = r.states.values[r.states.at[rank]], r.cities.values[r.cities.at[rank]]
	to.Gender, to.Status, to.Registered = r.genders[rank], r.statuses[rank], r.registered[rank]
	if i, gone := slices.BinarySearchFunc(r.gone, rank, func(g goneReader, rank int) int { return cmp.Compare(int(g.rank), rank) }); gone {
		to.DeletedAt = r.gone[i].day
	}
	to.RA = ""
}

// one returns the identifier of the reader that the query names, if there is one and it passes the query's filters.
func (r *Readers) one(q UserQuery) []int64 {
	rank, ok := r.Rank(*q.Reader)
	if !ok || !r.passes(q)(rank) {
		return nil
	}
	return r.IDs[rank : rank+1]
}

// filter returns the ranks of the readers that pass the query's filters.
func (r *Readers) filter(q UserQuery) places {
	passes := r.passes(q)
	var found places
	for rank := range r.IDs {
		if passes(rank) {
			found = append(found, int32(rank))
		}
	}
	return slices.Clone(found) // what is kept has little room to grow
}

// passes returns whether the reader of a rank passes the query's filters, all but that for one reader.
func (r *Readers) passes(q UserQuery) func(rank int) bool {
	var library uint32
	if q.Library != nil {
		code, ok := r.libraries.code(*q.Library)
		if !ok || *q.Library == libraries.None { // none matches no value (G7)
			return func(int) bool { return false }
		}
		library = code
	}
	registered := libraries.Between(q.Registered)
	return func(rank int) bool {
		return (q.Status == 0 || r.statuses[rank] == q.Status) &&
			(q.Library == nil || r.libraries.at[rank] == library) &&
			registered.Contains(r.registered[rank]) &&
			(q.UpdatedSince == nil || r.updated[rank] >= *q.UpdatedSince)
	}
}

// UsersSince answers one page of a round of the users.
func (r *Reports) UsersSince(ctx context.Context, a Access, since state.Versions, q UserQuery, p paging.Page) (List[User], error) {
	var erased bool
	list, err := changedSince(ctx, r, a, since, q, p, roundOf[User]{
		name:    "users",
		changed: func(ctx context.Context) (round.Rows, error) { return r.usersChanged(ctx, a, since, q) },
		read: func(ctx context.Context, kept round.Rows) (rows []User, err error) {
			titles, err := r.catalogue(ctx, a)
			if err != nil {
				return nil, err
			}
			readers, err := r.readers(ctx, a)
			if err != nil {
				return nil, err
			}
			ids := make([]int64, len(kept))
			for i, c := range kept {
				ids[i] = c.A
			}
			rows, erased, err = r.userRows(ctx, a, titles, readers, ids)
			return rows, err
		},
		gone: func(c round.Row) User { return User{Reader: &libraries.Reader{ID: c.A}} },
	})
	list.Erased = erased
	return list, err
}

// usersChanged compares the readers whose attributes stand in blocks that differ; of the others it takes those whose own row was
// replaced, or that have a term which was named anew. Rows of the register are not compared. One of whom something was erased in both
// states, also by a load that still waits for its hour or was withdrawn, is listed too: a copy has it.
func (r *Reports) usersChanged(ctx context.Context, a Access, since state.Versions, q UserQuery) (round.Rows, error) {
	loads := state.LoadsAfter(since.Facts, a.At.Facts)
	now, err := r.readers(ctx, a)
	if err != nil {
		return nil, err
	}
	blocks, err := r.Store.Changed(ctx, a, loads, facts.AttributesKind)
	if err != nil {
		return nil, err
	}
	blocks = slices.Compact(blocks)
	was, err := Folded{r.Store}.ReadersOf(ctx, a.then(since), blocks)
	if err != nil {
		return nil, err
	}
	ids, err := r.Store.ReplacedRows(ctx, a, loads, ReaderRows)
	if err != nil {
		return nil, err
	}
	erased, err := r.Store.ReplacedRows(ctx, a, state.LoadsAfter(since.Registers, a.At.Registers), ErasedReaders)
	if err != nil {
		return nil, err
	}
	ids = append(ids, erased...)
	named, err := r.Store.ReplacedRows(ctx, a, loads, NamedTerms)
	if err != nil {
		return nil, err
	}
	c := usersCompared{was: was, now: now, blocks: blocks, q: q}
	c.before, c.after = was.passes(q), now.passes(q)
	for _, id := range was.IDs {
		if _, known := now.Rank(id); !known {
			ids = append(ids, id)
		}
	}
	for rank, id := range now.IDs {
		if c.apart(rank) || now.hasTerm(rank, named) {
			ids = append(ids, id)
		}
	}
	return c.round(ids)
}

// usersCompared are the readers of two states: all of now, and those of some blocks of then.
type usersCompared struct {
	was, now      *Readers
	before, after func(rank int) bool
	blocks        []int64
	q             UserQuery
}

// apart reports whether what is shown of a reader of now, besides the own row, is not what it was.
func (c *usersCompared) apart(rank int) bool {
	id := c.now.IDs[rank]
	if _, found := slices.BinarySearch(c.blocks, facts.Block(id)); !found {
		return false
	}
	then, ok := c.was.Rank(id)
	return !ok || c.was.loans[then] != c.now.loans[rank] || c.before(then) != c.after(rank)
}

// round makes the round of readers that may differ, in any order, and of others.
func (c *usersCompared) round(ids []int64) (round.Rows, error) {
	slices.Sort(ids)
	var changed round.Rows
	for _, id := range slices.Compact(ids) {
		if c.q.Reader != nil && *c.q.Reader != id {
			continue
		}
		var err error
		rank, known := c.now.Rank(id)
		then, was := c.was.Rank(id)
		switch {
		case known && c.after(rank):
			err = changed.Add(round.Row{A: id})
		case was && c.before(then):
			err = changed.Add(round.Row{A: id, Removed: true})
		}
		if err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// hasTerm reports whether a reader's library or age group is one of the terms, which ascend.
func (r *Readers) hasTerm(rank int, terms []int64) bool {
	if len(terms) == 0 {
		return false
	}
	_, library := slices.BinarySearch(terms, r.libraries.values[r.libraries.at[rank]])
	_, group := slices.BinarySearch(terms, r.ageGroups.values[r.ageGroups.at[rank]])
	return library || group
}
