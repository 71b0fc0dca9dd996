package report

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Users answers one page of the students and teachers of the network, by userId (S1). The error is
// [paging.ErrPage] or one of the store.
func (r *Reports) Users(ctx context.Context, a Access, f Filter, p paging.Page) (paging.List[User], error) {
	accounts, users, err := r.selection(ctx, a, f)
	if err != nil {
		return paging.List[User]{}, err
	}
	ids, err := paging.ListOf(users.IDs, p)
	list := paging.List[User]{Total: ids.Total}
	if err == nil && len(ids.Rows) > 0 {
		list.Rows, list.Erased, err = r.userRows(ctx, a, accounts, ids.Rows)
	}
	return list, err
}

// userRows returns the rows of accounts, which ascend.
func (r *Reports) userRows(ctx context.Context, a Access, accounts *Accounts, ids []directory.UserID) (rows []User, erased bool, err error) {
	people, erased, err := r.Store.People(ctx, a, ids)
	if err != nil {
		return nil, false, err
	}
	rows = make([]User, len(ids))
	for i, id := range ids {
		rows[i] = accounts.user(id, people[i])
	}
	return rows, erased, nil
}

// selection returns the accounts, and the users that pass the filter.
func (r *Reports) selection(ctx context.Context, a Access, f Filter) (*Accounts, *Users, error) {
	accounts, err := snapshot.Load(ctx, r.Cache, a.tablesKey("accounts"), func(ctx context.Context) (*Accounts, error) {
		return r.Store.Accounts(ctx, a.Partner, a.At)
	})
	if err != nil {
		return nil, nil, err
	}
	if f.UserID != nil { // one user is found faster than a cache entry
		return accounts, accounts.Select(a.Network, f), nil
	}
	users, err := snapshot.Load(ctx, r.Cache, a.tablesKey("users", a.Network, f), func(context.Context) (*Users, error) {
		return accounts.Select(a.Network, f), nil
	})
	return accounts, users, err
}

// UsersSince answers one page of an incremental pull of the users (H14).
func (r *Reports) UsersSince(ctx context.Context, a Access, q Pull, p paging.Page) (paging.List[User], error) {
	changed, err := snapshot.Load(ctx, r.Cache, a.key("users since", a.Network, q), func(ctx context.Context) (incremental.Rows, error) { return r.usersChanged(ctx, a, q) })
	if err != nil {
		return paging.List[User]{}, err
	}
	var erased bool
	read := func(page incremental.Rows) (rows []User, err error) {
		accounts, _, err := r.selection(ctx, a, q.Filter)
		if err != nil {
			return nil, err
		}
		ids := make([]directory.UserID, len(page))
		for i, c := range page {
			ids[i] = directory.UserID(c.A)
		}
		rows, erased, err = r.userRows(ctx, a, accounts, ids)
		return rows, err
	}
	list, err := incremental.Page(changed, p, read, func(c incremental.Row) User { return User{ID: directory.UserID(c.A)} })
	list.Erased = erased
	return list, err
}

// usersChanged compares the users of both snapshots. Accounts that were written count as changed without a
// comparison. So a user whose e-mail was erased is listed although both snapshots now lack it: the client's
// copy still has it.
func (r *Reports) usersChanged(ctx context.Context, a Access, q Pull) (incremental.Rows, error) {
	now, nowUsers, err := r.selection(ctx, a, q.Filter)
	if err != nil {
		return nil, err
	}
	was, wasUsers, err := r.selection(ctx, q.earlier(a), q.Filter)
	if err != nil {
		return nil, err
	}
	written, err := r.Store.Written(ctx, a.Partner, q.Since.Registers, a.At.Registers)
	if err != nil {
		return nil, err
	}
	var changed incremental.Rows
	err = incremental.Diff(&changed, wasUsers.IDs, nowUsers.IDs,
		func(id directory.UserID) incremental.Row { return incremental.Row{A: int64(id)} },
		func(id, _ directory.UserID) bool {
			_, wrote := slices.BinarySearch(written, id)
			return !wrote && was.user(id, Person{}) == now.user(id, Person{})
		})
	return changed.Sorted(), err
}
