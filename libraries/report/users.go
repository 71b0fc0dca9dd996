package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// UserQuery is what the users are asked. The zero Status is every one.
type UserQuery struct {
	Reader       *int64
	Status       libraries.ReaderStatus
	Library      *int64
	Registered   calendar.Asked // open where an end is absent, see Between
	UpdatedSince *calendar.Date
}

// User is one row of the users: the register's row, but for its RA, with the names of its terms, empty where null, and the number of loans.
type User struct {
	Reader                *libraries.Reader
	LibraryName, AgeGroup string
	TotalLoans            int64
}

// Users answers one page of the readers, by identifier. No rows are kept, so that what is erased from the
// register is nowhere else (L18).
func (r *Reports) Users(ctx context.Context, a Access, q UserQuery, p paging.Page) (paging.List[User], error) {
	t, err := r.tables(ctx, a)
	if err != nil {
		return paging.List[User]{}, err
	}
	ids, err := paging.ListOf(t.readers.filter(q), p)
	list := paging.List[User]{Total: ids.Total}
	if err == nil && len(ids.Rows) > 0 {
		list.Rows, list.Erased, err = r.userRows(ctx, a, t, ids.Rows)
	}
	return list, err
}

// userRows reads the register's rows of readers, which ascend.
func (r *Reports) userRows(ctx context.Context, a Access, t tables, ids []int64) (rows []User, erased bool, err error) {
	people, erased, err := r.Store.Named(ctx, a, ids)
	if err != nil {
		return nil, false, err
	}
	rows = make([]User, len(ids))
	for i, id := range ids {
		rank, ok := t.readers.Rank(id)
		if !ok || i >= len(people) || people[i].ID != id {
			return nil, false, fmt.Errorf("reader %d is missing: %w", id, packed.ErrCorrupt)
		}
		t.readers.fill(&people[i], rank)
		rows[i] = User{
			Reader:      &people[i],
			LibraryName: t.titles.Term(libraries.LibraryTerms, people[i].Library),
			AgeGroup:    t.titles.Term(libraries.AgeGroupTerms, people[i].AgeGroup),
			TotalLoans:  t.readers.loans[rank],
		}
	}
	return rows, erased, nil
}

// fill sets of a reader what the attributes have, all but the RA, which no list shows.
func (r *Readers) fill(to *libraries.Reader, rank int) {
	to.Library, to.AgeGroup = r.libraries.Values[r.libraries.At[rank]], r.ageGroups.Values[r.ageGroups.At[rank]]
	to.State, to.City = r.states.Values[r.states.At[rank]], r.cities.Values[r.cities.At[rank]]
	to.Gender, to.Status, to.Registered = r.genders[rank], r.statuses[rank], r.registered[rank]
	if i, gone := slices.BinarySearchFunc(r.inactive, rank, func(g inactiveReader, rank int) int { return cmp.Compare(int(g.rank), rank) }); gone {
		to.DeletedAt = r.inactive[i].day
	}
	to.RA = ""
}

// filter returns the identifiers of the readers that pass the query's filters.
func (r *Readers) filter(q UserQuery) (ids []int64) {
	if q == (UserQuery{}) {
		return r.IDs
	}
	passes := r.passes(q)
	if q.Reader != nil {
		if rank, ok := r.Rank(*q.Reader); ok && passes(rank) {
			ids = r.IDs[rank : rank+1]
		}
		return ids
	}
	for rank, id := range r.IDs {
		if passes(rank) {
			ids = append(ids, id)
		}
	}
	return ids
}

// passes returns whether the reader of a rank passes the query's filters, all but that for one reader.
func (r *Readers) passes(q UserQuery) func(rank int) bool {
	var library uint32
	if q.Library != nil {
		code, ok := r.libraries.Code(*q.Library)
		if !ok || *q.Library == libraries.None { // none matches no value (G7)
			return func(int) bool { return false }
		}
		library = code
	}
	registered := libraries.Between(q.Registered)
	return func(rank int) bool {
		return (q.Status == 0 || r.statuses[rank] == q.Status) &&
			(q.Library == nil || r.libraries.At[rank] == library) &&
			registered.Contains(r.registered[rank]) &&
			(q.UpdatedSince == nil || r.updated[rank] >= *q.UpdatedSince)
	}
}

// UsersSince answers one page of a round of the users.
func (r *Reports) UsersSince(ctx context.Context, a Access, since snapshot.Versions, q UserQuery, p paging.Page) (paging.List[User], error) {
	k := sinceKey(a, since, "users", q)
	changed, err := snapshot.Load(ctx, r.Cache, k, func(ctx context.Context) (incremental.Rows, error) { return r.usersChanged(ctx, a, since, q) })
	if err != nil {
		return paging.List[User]{}, err
	}
	var erased bool
	list, err := incremental.Page(changed, p, func(kept incremental.Rows) (rows []User, err error) {
		t, err := r.tables(ctx, a)
		if err != nil {
			return nil, err
		}
		ids := make([]int64, len(kept))
		for i, c := range kept {
			ids[i] = c.A
		}
		rows, erased, err = r.userRows(ctx, a, t, ids)
		return rows, err
	}, func(c incremental.Row) User { return User{Reader: &libraries.Reader{ID: c.A}} })
	list.Erased = erased
	return list, err
}

// usersChanged compares the readers whose attributes stand in blocks that differ; of the others it takes those whose own row was
// replaced, or that have a term which was named anew. Rows of the register are not compared. One of whom something was erased in both
// states, also by a load that still waits for its hour or was withdrawn, is listed too: a copy has it.
func (r *Reports) usersChanged(ctx context.Context, a Access, since snapshot.Versions, q UserQuery) (incremental.Rows, error) {
	loads := snapshot.LoadsAfter(since.Facts, a.At.Facts)
	now, err := r.Readers(ctx, a)
	if err != nil {
		return nil, err
	}
	blocks, err := r.Store.Changed(ctx, a, loads, facts.AttributesKind)
	if err != nil {
		return nil, err
	}
	blocks = slices.Compact(blocks)
	was, err := r.readersIn(ctx, a.earlier(since), snapshot.Range{Among: append([]int64{}, blocks...)}) // nil would be all
	if err != nil {
		return nil, err
	}
	ids, err := r.Store.ReplacedRows(ctx, a, loads, ReaderRows)
	if err != nil {
		return nil, err
	}
	erased, err := r.Store.ReplacedRows(ctx, a, snapshot.LoadsAfter(since.Registers, a.At.Registers), ErasedReaders)
	if err != nil {
		return nil, err
	}
	ids = append(ids, erased...)
	named, err := r.Store.ReplacedRows(ctx, a, loads, NamedTerms)
	if err != nil {
		return nil, err
	}
	c := userDiff{was: was, now: now, blocks: blocks, q: q}
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
	return c.pull(ids)
}

// usersCompared are the readers of two states: all of now, and those of some blocks of then.
type userDiff struct {
	was, now      *Readers
	before, after func(rank int) bool
	blocks        []int64
	q             UserQuery
}

// apart reports whether what is shown of a reader of now, besides the own row, is not what it was.
func (c *userDiff) apart(rank int) bool {
	id := c.now.IDs[rank]
	if _, found := slices.BinarySearch(c.blocks, facts.AttributesBlock(id)); !found {
		return false
	}
	then, ok := c.was.Rank(id)
	return !ok || c.was.loans[then] != c.now.loans[rank] || c.before(then) != c.after(rank)
}

// round makes the round of readers that may differ, in any order, and of others.
func (c *userDiff) pull(ids []int64) (incremental.Rows, error) {
	slices.Sort(ids)
	var changed incremental.Rows
	for _, id := range slices.Compact(ids) {
		if c.q.Reader != nil && *c.q.Reader != id {
			continue
		}
		var err error
		rank, known := c.now.Rank(id)
		then, was := c.was.Rank(id)
		switch {
		case known && c.after(rank):
			err = changed.Add(incremental.Row{A: id})
		case was && c.before(then):
			err = changed.Add(incremental.Row{A: id, Removed: true})
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
	_, library := slices.BinarySearch(terms, r.libraries.Values[r.libraries.At[rank]])
	_, group := slices.BinarySearch(terms, r.ageGroups.Values[r.ageGroups.At[rank]])
	return library || group
}
