package report

import (
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

// UserQuery has the parameters of the users. The zero Status selects all.
type UserQuery struct {
	Reader       *int64
	Status       libraries.ReaderStatus
	Library      *int64
	Registered   calendar.Asked // open at an end that is nil
	UpdatedSince *calendar.Date
}

// User is one row of the users: a reader without the RA, the names of the reader's terms, and the number of loans of
// all time. Empty names are null.
type User struct {
	Reader                *libraries.Reader
	LibraryName, AgeGroup string
	TotalLoans            int64
}

// Users answers one page of the readers, by identifier. Rows are never cached, so that erasing a person takes effect
// at once (L18).
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

// userRows returns the rows of readers, who ascend.
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

// fill sets the attributes of a reader, except the RA, which no list shows.
func (r *Readers) fill(to *libraries.Reader, rank int) {
	to.Library, to.AgeGroup, to.State, to.City = r.libraries.Of(rank), r.ageGroups.Of(rank), r.states.Of(rank), r.cities.Of(rank)
	to.Gender, to.Status, to.Registered = r.genders[rank], r.statuses[rank], r.registered[rank]
	to.DeletedAt, to.RA = r.deleted[int32(rank)], ""
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

// passes returns a function that reports whether the reader of a rank passes the query's filters, except Reader.
func (r *Readers) passes(q UserQuery) func(rank int) bool {
	library, registered := valuesThat(&r.libraries, q.Library, sameTerm), libraries.Between(q.Registered)
	return func(rank int) bool {
		return (q.Status == 0 || r.statuses[rank] == q.Status) &&
			library[r.libraries.At[rank]] &&
			registered.Contains(r.registered[rank]) &&
			(q.UpdatedSince == nil || r.updated[rank] >= *q.UpdatedSince)
	}
}

// UsersSince answers one page of an incremental pull of the users (H14).
func (r *Reports) UsersSince(ctx context.Context, a Access, since snapshot.Versions, q UserQuery, p paging.Page) (paging.List[User], error) {
	var erased bool
	list, err := pull(ctx, r, sinceKey(a, since, "users", q), p,
		func(ctx context.Context) (incremental.Rows, error) { return r.usersChanged(ctx, a, since, q) },
		func(page incremental.Rows) (rows []User, err error) {
			t, err := r.tables(ctx, a)
			if err != nil {
				return nil, err
			}
			ids := make([]int64, len(page))
			for i, c := range page {
				ids[i] = c.A
			}
			rows, erased, err = r.userRows(ctx, a, t, ids)
			return rows, err
		},
		func(c incremental.Row) User { return User{Reader: &libraries.Reader{ID: c.A}} })
	list.Erased = erased
	return list, err
}

// usersChanged lists the readers whose attributes differ, whose row was replaced, or whose library or age group has
// another name. Only the blocks of attributes that loads have replaced are compared. Rows are not compared: a reader
// of whom something was erased is listed although both snapshots lack it, because the client's copy has it.
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
	blocks = snapshot.Numbers(slices.Compact(blocks))
	was, err := r.readersIn(ctx, a.earlier(since), snapshot.Range{Among: blocks})
	if err != nil {
		return nil, err
	}
	replaced, err := r.Store.ReplacedRows(ctx, a, loads, ReaderRows)
	if err != nil {
		return nil, err
	}
	// Also by a load that is not in effect yet or that was withdrawn.
	erased, err := r.Store.ReplacedRows(ctx, a, snapshot.LoadsAfter(since.Registers, a.At.Registers), ErasedReaders)
	if err != nil {
		return nil, err
	}
	renamed, err := r.Store.ReplacedRows(ctx, a, loads, NamedTerms)
	if err != nil {
		return nil, err
	}
	d := userDiff{was: was, now: now, before: was.passes(q), after: now.passes(q)}
	ids := append(replaced, erased...)
	for _, id := range was.IDs {
		if _, known := now.Rank(id); !known {
			ids = append(ids, id)
		}
	}
	for rank, id := range now.IDs {
		_, inBlock := slices.BinarySearch(blocks, facts.AttributesBlock(id))
		if inBlock && d.differs(rank) || now.hasTerm(rank, renamed) {
			ids = append(ids, id)
		}
	}
	return d.rows(ids, q.Reader)
}

// userDiff has the readers of two snapshots, the earlier ones only of some blocks, and the filters of a query on them.
type userDiff struct {
	was, now      *Readers
	before, after func(rank int) bool
}

// differs reports whether a reader of the later snapshot is new or has other attributes that the list shows.
func (d *userDiff) differs(rank int) bool {
	was, ok := d.was.Rank(d.now.IDs[rank])
	return !ok || d.was.loans[was] != d.now.loans[rank] || d.before(was) != d.after(rank)
}

// rows returns the rows of readers who may differ, given in any order: of all of them, or only of one.
func (d *userDiff) rows(ids []int64, only *int64) (incremental.Rows, error) {
	slices.Sort(ids)
	var changed incremental.Rows
	for _, id := range slices.Compact(ids) {
		if only != nil && *only != id {
			continue
		}
		rank, known := d.now.Rank(id)
		was, had := d.was.Rank(id)
		if known = known && d.after(rank); known || had && d.before(was) {
			if err := changed.Add(incremental.Row{A: id, Removed: !known}); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// hasTerm reports whether a reader's library or age group is one of the terms, which ascend.
func (r *Readers) hasTerm(rank int, terms []int64) bool {
	_, library := slices.BinarySearch(terms, r.libraries.Of(rank))
	_, ageGroup := slices.BinarySearch(terms, r.ageGroups.Of(rank))
	return library || ageGroup
}
