package directorydb

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Forget erases the name, the e-mail and the phone of an account, of whatever kind, deleted or not, in every state and for ever:
// later rows and writes of the account leave them empty (P7). A load under way settles its rows anew, since the registers have
// another version then. Forgetting again erases again, and is new no more. The error is directory.ErrNotFound where there is
// no such account, or no such partner.
func (s *Store) Forget(ctx context.Context, partner directory.PartnerID, user directory.UserID) (fresh bool, since time.Time, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		fresh, since, err = w.forget(ctx, user)
		return err
	})
	if err != nil {
		return false, time.Time{}, fmt.Errorf("forget account %d: %w", user, err)
	}
	return fresh, since, nil
}

func (w *Write) forget(ctx context.Context, user directory.UserID) (fresh bool, since time.Time, err error) {
	was, err := w.account(ctx, user)
	if err != nil {
		return false, since, err
	}
	fresh, since, err = statedb.Forget(ctx, w, statedb.Forgotten{Tenant: auth.Tenant(w.Partner), User: int64(user), Since: w.now})
	if err != nil {
		return false, since, err
	}
	w.changed = w.changed || fresh // a load under way has to know of it, though nothing was there to erase
	nobody := was
	nobody.Forget()
	if err := accounts.change(ctx, w, was, nobody); err != nil {
		return false, since, err
	}
	_, err = w.NewUpdate().Table("accounts_past").Set("name = '', email = ''").
		Where("tenant_id = ? AND user_id = ? AND (name <> '' OR email <> '')", w.Partner, user).Exec(ctx)
	return fresh, since, cmp.Or(err, w.erased(ctx))
}

// erased notes that something was erased from every state.
func (w *Write) erased(ctx context.Context) error {
	return statedb.Erased(ctx, w, auth.Tenant(w.Partner))
}

// account returns the account of a number, deleted or not, or directory.ErrNotFound.
func (w *Write) account(ctx context.Context, user directory.UserID) (found directory.Account, err error) {
	missing := directory.ErrNotFound
	rows, err := w.NewSelect().Table(accounts.name).ColumnExpr(accounts.columns).Where("tenant_id = ? AND user_id = ?", w.Partner, user).Rows(ctx)
	err = accounts.read(rows, err, func(a directory.Account) error {
		found, missing = a, nil
		return nil
	})
	return found, cmp.Or(err, missing)
}

// Forgotten returns the accounts of a partner whose name, e-mail and phone were erased for ever.
func Forgotten(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (map[directory.UserID]bool, error) {
	list, err := statedb.ForgottenOf(ctx, idb, auth.Tenant(partner))
	all := make(map[directory.UserID]bool, len(list))
	for _, f := range list {
		all[directory.UserID(f.User)] = true
	}
	return all, err
}
