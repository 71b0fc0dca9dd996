package directorydb

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// Entities returns all entities of a partner, deleted ones too, by number.
func Entities(ctx context.Context, idb bun.IDB, partner directory.PartnerID) ([]directory.Entity, error) {
	return EntitiesSince(ctx, idb, partner, everything)
}

// everything is a version below all others.
const everything = -1

// EntitiesSince returns the entities of a partner that were written after a version of the registers, deleted ones too,
// by number.
func EntitiesSince(ctx context.Context, idb bun.IDB, partner directory.PartnerID, version int64) ([]directory.Entity, error) {
	rows, err := idb.QueryContext(ctx, `
		SELECT entity_id, reference_id, entity_type, name, degree, inep, state, city, parent_id, deleted
		  FROM entities
		 WHERE tenant_id = ?0`+since(version)+`
		 ORDER BY entity_id`, partner, version)
	var list []directory.Entity
	err = each(rows, err, func() error {
		var e directory.Entity
		err := rows.Scan(&e.ID, &e.Ref, &e.Type, &e.Name, &e.Degree, &e.INEP, &e.State, &e.City, &e.Parent, &e.Deleted)
		list = append(list, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("entities of partner %d: %w", partner, err)
	}
	return list, nil
}

// since is the condition for rows written after a version. The whole table is asked for without one, lest it be read
// through the index of versions.
func since(version int64) string {
	if version == everything {
		return ""
	}
	return ` AND version > ?1`
}

// Accounts calls visit with what the reports need of every account of a partner, deleted ones too, by number.
func Accounts(ctx context.Context, idb bun.IDB, partner directory.PartnerID,
	visit func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool)) error {
	return AccountsSince(ctx, idb, partner, everything, visit)
}

// AccountsSince is [Accounts] for those that were written after a version of the registers.
func AccountsSince(ctx context.Context, idb bun.IDB, partner directory.PartnerID, version int64,
	visit func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool)) error {
	rows, err := idb.QueryContext(ctx, `
		SELECT user_id, kind, entity_id, active, deleted
		  FROM accounts
		 WHERE tenant_id = ?0`+since(version)+`
		 ORDER BY user_id`, partner, version)
	var id, kind, entity int64 // read as the drivers give them, which is twice as fast
	var active, deleted bool
	dest := []any{&id, &kind, &entity, &active, &deleted}
	err = each(rows, err, func() error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		visit(directory.UserID(id), directory.Kind(kind), directory.EntityID(entity), active, deleted)
		return nil
	})
	if err != nil {
		return fmt.Errorf("accounts of partner %d: %w", partner, err)
	}
	return nil
}

// accountColumns are the columns of a whole account, in the order of accountFields.
const accountColumns = `user_id, reference_id, kind, name, email, phone, access_token, entity_id, active, deleted`

// accountFields are where a whole account is read into.
func accountFields(a *directory.Account) []any {
	return []any{&a.ID, &a.Ref, &a.Kind, &a.Name, &a.Email, &a.Phone, &a.AccessToken, &a.Entity, &a.Active, &a.Deleted}
}

// AccountRefs calls visit with every account of a partner, deleted ones too, by number. An error of visit ends it and is
// returned.
func AccountRefs(ctx context.Context, idb bun.IDB, partner directory.PartnerID, visit func(directory.Account) error) error {
	rows, err := idb.QueryContext(ctx, `SELECT `+accountColumns+` FROM accounts WHERE tenant_id = ? ORDER BY user_id`, partner)
	var a directory.Account
	fields := accountFields(&a)
	err = each(rows, err, func() error {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		return visit(a)
	})
	if err != nil {
		return fmt.Errorf("accounts of partner %d: %w", partner, err)
	}
	return nil
}

// Names calls visit with the name and the e-mail of the accounts of the given numbers, which ascend, deleted ones too; a
// number without an account is left out. It is meant for a page: a thousand or so.
//
// Numbers that stand close are read as a range, which costs the engines half of a list. The bounds also tell PostgreSQL to
// use the key while it has no statistics, as after the first load.
func Names(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ids []directory.UserID, visit func(id directory.UserID, name, email string)) error {
	if len(ids) == 0 {
		return nil
	}
	first, last := ids[0], ids[len(ids)-1]
	among := bun.SafeQuery("TRUE")
	if int64(last-first) >= 2*int64(len(ids)) {
		among = bun.SafeQuery("user_id IN (?)", bun.List(ids))
	}
	rows, err := idb.QueryContext(ctx, `
		SELECT user_id, name, email
		  FROM accounts
		 WHERE tenant_id = ? AND user_id BETWEEN ? AND ? AND ?
		 ORDER BY user_id`, partner, first, last, among)
	var id directory.UserID
	var name, email string
	err = each(rows, err, func() error {
		if err := rows.Scan(&id, &name, &email); err != nil {
			return err
		}
		for len(ids) > 0 && ids[0] < id {
			ids = ids[1:]
		}
		if len(ids) > 0 && ids[0] == id {
			visit(id, name, email)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("accounts of partner %d: %w", partner, err)
	}
	return nil
}

// Evaluations returns the evaluations of a partner, by number.
func Evaluations(ctx context.Context, idb bun.IDB, partner directory.PartnerID) ([]directory.Evaluation, error) {
	rows, err := idb.QueryContext(ctx, `
		SELECT evaluation_id, entity_id, title, applied_at
		  FROM evaluations
		 WHERE tenant_id = ?
		 ORDER BY evaluation_id`, partner)
	var list []directory.Evaluation
	err = each(rows, err, func() error {
		var v directory.Evaluation
		var at *int64
		err := rows.Scan(&v.ID, &v.Entity, &v.Title, &at)
		v.AppliedAt = timeOf(at)
		list = append(list, v)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("evaluations of partner %d: %w", partner, err)
	}
	return list, nil
}
