package directorydb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// teacherOf returns the live teacher with a reference, or directory.ErrNotFound. The teacher's entity may be deleted
// (P6).
func teacherOf(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (r directory.AccountRecord, err error) {
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return r, ofRef("teacher", ref, directory.ErrNotFound) // PostgreSQL cannot compare it
	}
	rows, err := idb.QueryContext(ctx, `
		SELECT `+accounts.columns+`,
		       coalesce((SELECT e.reference_id FROM entities AS e WHERE e.tenant_id = ?0 AND e.entity_id = a.entity_id), '')
		  FROM accounts AS a
		 WHERE tenant_id = ?0 AND reference_id = ?1 AND NOT deleted AND kind = ?2`, partner, ref, directory.Teacher)
	r.Account, err = accounts.one(rows, err, &r.EntityRef)
	return r, ofRef("teacher", ref, err)
}

// CreateTeacher implements directory.Store. The table refuses two teachers with one access token.
func (s *Store) CreateTeacher(ctx context.Context, partner directory.PartnerID, in directory.TeacherInput) (r directory.AccountRecord, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		a, faults := in.Account()
		if err := w.checkFree(ctx, "accounts", a.Ref, &faults); err != nil {
			return err
		}
		if r, err = w.place(ctx, a, directory.Ref(in.EntityReferenceID.Text), &faults); err != nil {
			return err
		}
		partner, err := PartnerByID(ctx, w, partner)
		if err != nil {
			return err
		}
		r.ID, r.AccessToken = partner.LastUser+1, directory.NewAccessToken()
		if err := w.take(ctx, r.ID, r.Ref, ""); err != nil {
			return err
		}
		if err := accounts.insert(ctx, w, false, []directory.Account{r.Account}); err != nil {
			return err
		}
		return w.SetCounters(ctx, partner.LastEntity, r.ID)
	})
	return r, err
}

// place attaches a teacher to the entity with a reference, and returns all faults. It adds one if there is no such
// entity.
func (w *Write) place(ctx context.Context, a directory.Account, ref directory.Ref, faults *directory.FieldErrors) (directory.AccountRecord, error) {
	const field = "entity_reference_id"
	of, err := entityOf(ctx, w, w.Partner, ref)
	switch {
	case err != nil && !errors.Is(err, directory.ErrNotFound):
		return directory.AccountRecord{}, err
	case err != nil && faults.Message(field) == "":
		faults.Add(field, directory.MsgMissing)
	}
	a.Entity = of.ID
	return directory.AccountRecord{Account: a, EntityRef: ref}, faults.Err()
}

// UpdateTeacher implements directory.Store.
func (s *Store) UpdateTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.TeacherInput) (r directory.AccountRecord, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		was, err := teacherOf(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		a, faults := in.Apply(was.Account)
		if a.Ref != ref {
			err = w.checkFree(ctx, "accounts", a.Ref, &faults)
		}
		if err == nil {
			r, err = w.place(ctx, a, directory.Ref(in.EntityReferenceID.Text), &faults)
		}
		if err != nil {
			return err
		}
		forgotten, err := w.NewSelect().Table("forgotten").Where("tenant_id = ? AND user_id = ?", partner, r.ID).Exists(ctx)
		if err != nil {
			return err
		}
		if forgotten {
			r.Forget()
		}
		if r.Account == was.Account {
			return nil
		}
		if r.Ref != ref {
			if err := w.take(ctx, r.ID, r.Ref, ref); err != nil {
				return err
			}
		}
		return w.PutAccounts(ctx, []directory.Account{r.Account})
	})
	return r, err
}

// DeleteTeacher implements directory.Store. The row stays for the reports, without e-mail and phone.
func (s *Store) DeleteTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		was, err := teacherOf(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		is := was.Account
		is.Deleted, is.Active, is.Email, is.Phone = true, false, "", ""
		if err := w.PutAccounts(ctx, []directory.Account{is}); err != nil {
			return err
		}
		// An e-mail is erased from every snapshot (G8).
		_, err = w.NewUpdate().Table("superseded_accounts").Set("email = ''").Where("tenant_id = ? AND user_id = ?", partner, was.ID).Exec(ctx)
		if err != nil {
			return err
		}
		return snapshotdb.Erased(ctx, w, auth.Tenant(partner))
	})
	return err
}

// ownerRow is a row of reference_owners.
type ownerRow struct {
	bun.BaseModel `bun:"table:reference_owners"`

	TenantID    directory.PartnerID
	ReferenceID directory.Ref
	Since       int64 // microseconds since 1970
	UserID      directory.UserID
}

// RefOwners returns the history of a partner's account references (F4).
func RefOwners(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (directory.RefOwners, error) {
	return readRefOwners(ctx, idb, partner, bun.SafeQuery("TRUE"))
}

// readRefOwners reads the history of the references that meet a condition.
func readRefOwners(ctx context.Context, idb bun.IDB, partner directory.PartnerID, which schema.QueryWithArgs) (directory.RefOwners, error) {
	var rows []ownerRow
	err := idb.NewSelect().Model(&rows).Where("tenant_id = ? AND ?", partner, which).Order("reference_id", "since").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("owners of references of partner %d: %w", partner, err)
	}
	history := directory.RefOwners{}
	for _, r := range rows {
		history[r.ReferenceID] = append(history[r.ReferenceID], directory.RefOwner{Since: time.UnixMicro(r.Since).UTC(), Account: r.UserID})
	}
	return history, nil
}

// AddRefOwners appends to the history of the partner's references what [directory.RefOwners.Take] has returned.
func (w *Write) AddRefOwners(ctx context.Context, more directory.RefOwners) error {
	var rows []ownerRow
	for _, ref := range slices.Sorted(maps.Keys(more)) {
		for _, c := range more[ref] {
			rows = append(rows, ownerRow{TenantID: w.Partner, ReferenceID: ref, Since: c.Since.UnixMicro(), UserID: c.Account})
		}
	}
	for part := range slices.Chunk(rows, chunk) {
		if _, err := w.NewInsert().Model(&part).Exec(ctx); err != nil {
			return fmt.Errorf("owners of references of partner %d: %w", w.Partner, err)
		}
	}
	return nil
}

// take records that an account takes a reference, which no live account has. gives is the reference that it gives up,
// or "".
func (w *Write) take(ctx context.Context, account directory.UserID, ref, gives directory.Ref) error {
	history, err := readRefOwners(ctx, w, w.Partner, bun.SafeQuery("reference_id IN (?, ?)", ref, gives))
	if err != nil {
		return err
	}
	var was directory.UserID // the deleted account that had it; the + keeps SQLite from scanning the numbers backwards
	err = w.NewSelect().Table("accounts").ColumnExpr("coalesce(max(+user_id), 0)").
		Where("tenant_id = ? AND reference_id = ? AND deleted", w.Partner, ref).Scan(ctx, &was)
	if err != nil {
		return err
	}
	more := directory.RefOwners{}
	if was != 0 || history.Last(ref) != 0 {
		more[ref] = history.Take(ref, was, account, w.now)
	}
	if gives != "" && history.Last(gives) == 0 {
		more[gives] = directory.OwnedBy(account)
	}
	return w.AddRefOwners(ctx, more)
}

// Forget erases the name, the e-mail and the phone of an account from every snapshot, for good: later rows and writes
// of the account leave them empty (P7). The account may be of any kind, and deleted. Since Forget raises the version of
// the tables, a load under way validates its rows again. fresh is false if the account was erased before. The error is
// directory.ErrNotFound if the account or the partner does not exist.
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
	rows, err := w.NewSelect().Table(accounts.name).ColumnExpr(accounts.columns).Where("tenant_id = ? AND user_id = ?", w.Partner, user).Rows(ctx)
	was, err := accounts.one(rows, err) // deleted or not
	if err != nil {
		return false, since, err
	}
	fresh, since, err = snapshotdb.Forget(ctx, w, snapshotdb.Forgotten{Tenant: auth.Tenant(w.Partner), User: int64(user), Since: w.now})
	if err != nil {
		return false, since, err
	}
	w.changed = w.changed || fresh // for a load under way, even if there is nothing to erase
	nobody := was
	nobody.Forget()
	if nobody != was {
		if err := w.PutAccounts(ctx, []directory.Account{nobody}); err != nil {
			return false, since, err
		}
	}
	_, err = w.NewUpdate().Table("superseded_accounts").Set("name = '', email = ''").
		Where("tenant_id = ? AND user_id = ? AND (name <> '' OR email <> '')", w.Partner, user).Exec(ctx)
	return fresh, since, cmp.Or(err, snapshotdb.Erased(ctx, w, auth.Tenant(w.Partner)))
}

// Forgotten returns the accounts of a partner that Forget has erased.
func Forgotten(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (map[directory.UserID]bool, error) {
	list, err := snapshotdb.ForgottenOf(ctx, idb, auth.Tenant(partner))
	all := make(map[directory.UserID]bool, len(list))
	for _, f := range list {
		all[directory.UserID(f.User)] = true
	}
	return all, err
}
