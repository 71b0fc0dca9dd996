package directorydb

import (
	"context"
	"fmt"
	"math"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
)

// Entities returns all entities of a partner as they are now, deleted ones too, by number.
func Entities(ctx context.Context, idb bun.IDB, partner directory.PartnerID) ([]directory.Entity, error) {
	return EntitiesAt(ctx, idb, partner, Everything, Now)
}

// The versions of the registers below and above all others.
const (
	Everything int64 = -1
	Now        int64 = math.MaxInt64
)

// EntitiesAt returns the entities of a partner as they were at a version of the registers, deleted ones too, by number: those
// that were written after another version, Everything being all of them.
func EntitiesAt(ctx context.Context, idb bun.IDB, partner directory.PartnerID, after, at int64) ([]directory.Entity, error) {
	rows, err := idb.QueryContext(ctx, `
		SELECT `+entityColumns+`
		  FROM ? AS e
		 ORDER BY entity_id`, versioned("entities", entityColumns, partner, after, at))
	var list []directory.Entity
	scanner := entityFields.Scanner()
	err = each(rows, err, func() error {
		var e directory.Entity
		err := scanner.Scan(rows.Scan, &e)
		list = append(list, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("entities of partner %d: %w", partner, err)
	}
	return list, nil
}

// versioned is a query for a partner's rows of a table as they were at a version, of those written after another one: rows
// that were replaced stand in the table's past. All rows are asked for without a condition, lest the table be read through
// the index of versions.
func versioned(table, columns string, partner directory.PartnerID, after, at int64) schema.QueryWithArgs {
	written := bun.SafeQuery("TRUE")
	if after != Everything {
		written = bun.SafeQuery("version > ?", after)
	}
	if at == Now {
		return bun.SafeQuery(`(SELECT `+columns+` FROM ? WHERE tenant_id = ? AND ?)`, bun.Ident(table), partner, written)
	}
	return bun.SafeQuery(`(
		SELECT `+columns+` FROM ?0 WHERE tenant_id = ?2 AND ?3 AND version <= ?4
		 UNION ALL
		SELECT `+columns+` FROM ?1 WHERE tenant_id = ?2 AND ?3 AND version <= ?4 AND until > ?4)`,
		bun.Ident(table), bun.Ident(table+"_past"), partner, written, at)
}

// Accounts calls visit with what the reports need of every account of a partner as it is now, deleted ones too, by number.
func Accounts(ctx context.Context, idb bun.IDB, partner directory.PartnerID,
	visit func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool)) error {
	return AccountsAt(ctx, idb, partner, Everything, Now, visit)
}

// AccountsAt is [Accounts] as they were at a version of the registers, for those that were written after another one.
func AccountsAt(ctx context.Context, idb bun.IDB, partner directory.PartnerID, after, at int64,
	visit func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool)) error {
	const columns = `user_id, kind, entity_id, active, deleted`
	rows, err := idb.QueryContext(ctx, `
		SELECT `+columns+`
		  FROM ? AS a
		 ORDER BY user_id`, versioned("accounts", columns, partner, after, at))
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

// AccountRefs calls visit with every account of a partner, deleted ones too, by number. An error of visit ends it and is
// returned.
func AccountRefs(ctx context.Context, idb bun.IDB, partner directory.PartnerID, visit func(directory.Account) error) error {
	return AccountRefsAfter(ctx, idb, partner, Everything, visit)
}

// AccountRefsAfter is [AccountRefs] for those that were written after a version of the registers, [Everything] being all.
func AccountRefsAfter(ctx context.Context, idb bun.IDB, partner directory.PartnerID, after int64, visit func(directory.Account) error) error {
	rows, err := idb.QueryContext(ctx, `
		SELECT `+accountColumns+`
		  FROM ? AS a
		 ORDER BY user_id`, versioned("accounts", accountColumns, partner, after, Now))
	var a directory.Account
	scanner := accountFields.Scanner()
	err = each(rows, err, func() error {
		if err := scanner.Scan(rows.Scan, &a); err != nil {
			return err
		}
		return visit(a)
	})
	if err != nil {
		return fmt.Errorf("accounts of partner %d: %w", partner, err)
	}
	return nil
}

// Names calls visit with the name and the e-mail, as they were at a version of the registers, of the accounts of the given
// numbers, which ascend, deleted ones too; a number without an account is left out. It is meant for a page: a thousand or so.
//
// Numbers that stand close are read as a range, which costs the engines half of a list. With a list, bounds tell PostgreSQL to use
// the key while it has no statistics, as after the first load; SQLite would read all between them, and is told none.
func Names(ctx context.Context, idb bun.IDB, partner directory.PartnerID, at int64, ids []directory.UserID, visit func(id directory.UserID, name, email string)) error {
	if len(ids) == 0 {
		return nil
	}
	first, last := ids[0], ids[len(ids)-1]
	among := bun.SafeQuery("user_id BETWEEN ? AND ?", first, last)
	if int64(last-first) >= 2*int64(len(ids)) {
		list := bun.SafeQuery("user_id IN (?)", bun.List(ids))
		if idb.Dialect().Name() == dialect.PG {
			list = bun.SafeQuery("? AND ?", among, list)
		}
		among = list
	}
	rows, err := idb.QueryContext(ctx, `
		SELECT user_id, name, email
		  FROM ? AS a
		 WHERE ?
		 ORDER BY user_id`, versioned("accounts", "user_id, name, email", partner, Everything, at), among)
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
		SELECT `+evaluationColumns+`
		  FROM evaluations
		 WHERE tenant_id = ?
		 ORDER BY evaluation_id`, partner)
	var list []directory.Evaluation
	scanner := evaluationFields.Scanner()
	err = each(rows, err, func() error {
		var v directory.Evaluation
		err := scanner.Scan(rows.Scan, &v)
		list = append(list, v)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("evaluations of partner %d: %w", partner, err)
	}
	return list, nil
}
