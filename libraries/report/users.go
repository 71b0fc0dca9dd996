package report

import (
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Users answers one page of the readers, by identifier. Which readers pass the filter is kept; their rows are not, so that
// what is erased from the register is nowhere else (L18).
func (r *Reports) Users(ctx context.Context, a Access, q UserQuery, p paging.Page) (List[User], error) {
	return listed(a, func() (page[User], error) {
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
		rows, err := r.userRows(ctx, a, titles, readers, ids.rows)
		return page[User]{rows, ids.total}, err
	})
}

// userIDs returns the identifiers of a page.
func (r *Reports) userIDs(ctx context.Context, a Access, all *Readers, q UserQuery, p paging.Page) (page[int64], error) {
	if q == (UserQuery{}) {
		return pageOf(all.IDs, p), nil
	}
	if q.Reader != nil {
		return pageOf(all.one(q), p), nil
	}
	found, err := state.Load(ctx, r.Cache, key(a, "users", q), func(context.Context) (places, error) { return all.filter(q), nil })
	if err != nil {
		return page[int64]{}, err
	}
	return pick(all.IDs, pageOf(found, p)), nil
}

// userRows reads the register's rows of readers, which ascend.
func (r *Reports) userRows(ctx context.Context, a Access, titles *Catalogue, readers *Readers, ids []int64) ([]User, error) {
	people, err := r.Store.People(ctx, a, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]User, len(ids))
	for i, id := range ids {
		rank, ok := readers.Rank(id)
		if !ok || i >= len(people) || people[i].ID != id {
			return nil, fmt.Errorf("reader %d is missing: %w", id, packed.ErrCorrupt)
		}
		rows[i] = User{
			Reader:      &people[i],
			LibraryName: titles.Term(libraries.LibraryTerms, people[i].Library),
			AgeGroup:    titles.Term(libraries.AgeGroupTerms, people[i].AgeGroup),
			TotalLoans:  readers.loans[rank],
		}
	}
	return rows, nil
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
	n := 0
	for rank := range r.IDs {
		if passes(rank) {
			n++
		}
	}
	found := make(places, 0, n) // what is kept has no room to grow
	for rank := range r.IDs {
		if len(found) < n && passes(rank) {
			found = append(found, int32(rank))
		}
	}
	return found
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
