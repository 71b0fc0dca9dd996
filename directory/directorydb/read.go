package directorydb

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// The versions before and after all others.
const (
	Everything int64 = 0
	Now        int64 = math.MaxInt64
)

// View reads a partner's tables as they were at a version, deleted rows included. It reads the rows that were written
// after another version; after Everything these are all rows. The zero View is empty.
type View struct {
	DB        bun.IDB
	Partner   directory.PartnerID
	After, At int64
}

// Latest returns the current view of a partner.
func Latest(idb bun.IDB, partner directory.PartnerID) View {
	return View{DB: idb, Partner: partner, At: Now}
}

// Entities returns the entities, deleted ones included, by number.
func (v View) Entities(ctx context.Context) (list []directory.Entity, err error) {
	rows, err := v.rows(ctx, "entities", "entity_id", entityFields.columns)
	err = entityFields.read(rows, err, func(e directory.Entity) error {
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("entities of partner %d: %w", v.Partner, err)
	}
	return list, nil
}

// rows queries the rows of a table and its superseded ones, by their key. For all rows there is no condition on the version,
// and a + keeps the engines from its index: read through the index, 500 names among 10,000 took 10 ms instead of 1.
func (v View) rows(ctx context.Context, table, key, columns string) (*sql.Rows, error) {
	written := bun.SafeQuery("TRUE")
	if v.After > Everything {
		written = bun.SafeQuery("version > ?", v.After)
	}
	from := bun.SafeQuery(`(SELECT `+columns+` FROM ? WHERE tenant_id = ? AND ?)`, bun.Ident(table), v.Partner, written)
	if v.At != Now {
		from = bun.SafeQuery(`(
			SELECT `+columns+` FROM ?0 WHERE tenant_id = ?2 AND ?3 AND +version <= ?4
			 UNION ALL
			SELECT `+columns+` FROM ?1 WHERE tenant_id = ?2 AND ?3 AND version <= ?4 AND until > ?4)`,
			bun.Ident(table), bun.Ident("superseded_"+table), v.Partner, written, v.At)
	}
	return v.DB.QueryContext(ctx, `SELECT `+columns+` FROM ? AS r ORDER BY `+key, from)
}

// Accounts calls visit with what the reports need of every account, by number.
func (v View) Accounts(ctx context.Context, visit func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool)) error {
	var id, kind, entity int64 // the drivers' own types are scanned twice as fast
	var active, deleted bool
	dest := []any{&id, &kind, &entity, &active, &deleted}
	rows, err := v.rows(ctx, "accounts", "user_id", `user_id, kind, entity_id, active, deleted`)
	return snapshotdb.Visit(rows, err, fmt.Sprintf("accounts of partner %d", v.Partner), func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		visit(directory.UserID(id), directory.Kind(kind), directory.EntityID(entity), active, deleted)
		return nil
	})
}

// AccountRefs calls visit with every account, by number. It reads them as they are now, whatever the version, since
// superseded rows lack some columns. An error of visit ends it and is returned.
func (v View) AccountRefs(ctx context.Context, visit func(directory.Account) error) error {
	v.At = Now
	rows, err := v.rows(ctx, "accounts", "user_id", accounts.columns)
	if err := accounts.read(rows, err, visit); err != nil {
		return fmt.Errorf("accounts of partner %d: %w", v.Partner, err)
	}
	return nil
}

// Names calls visit with the name and the e-mail of accounts at a version of a partner's tables. ids ascend, and are
// about a thousand, for a page. place is the index of the account in ids. Accounts that do not exist are left out.
// erased is true if the partner's number of erasures may differ from the given one. Then the names may be from before
// or after an erasure (see snapshotdb.Erased).
//
// Nearly always the version is current. Then one statement reads the accounts, and checks version and erasures in the
// partner's row. Only if they differ are superseded rows read.
func Names(ctx context.Context, db *handle.DB, partner directory.PartnerID, at int64, ids []directory.UserID, erasures int64, visit func(place int, name, email string)) (erased bool, err error) {
	if len(ids) == 0 {
		return false, nil
	}
	from, among := handle.AmongOf(db, "accounts", bun.SafeQuery("tenant_id = ?", partner), "user_id", ids)
	latest := bun.SafeQuery(`
		SELECT user_id, name, email
		  FROM ?2
		 WHERE tenant_id = ?0 AND ?3
		   AND (SELECT registers FROM versions WHERE tenant_id = ?0 AND erasures = ?4) = ?1
		 ORDER BY user_id`, partner, at, from, among, erasures)
	if found, err := visitNames(ctx, db, latest, ids, visit); err != nil || found {
		return false, err
	}
	earlier := func(still schema.QueryWithArgs) schema.QueryWithArgs {
		return bun.SafeQuery(`
		SELECT user_id, name, email FROM ?2 WHERE tenant_id = ?0 AND +version <= ?1 AND ?3 AND ?5
		 UNION ALL
		SELECT user_id, name, email FROM superseded_accounts WHERE tenant_id = ?0 AND version <= ?1 AND until > ?1 AND ?4 AND ?5
		 ORDER BY user_id`, partner, at, from, among, handle.Among(db, "user_id", ids), still)
	}
	unerased := earlier(bun.SafeQuery(`(SELECT erasures FROM versions WHERE tenant_id = ?) = ?`, partner, erasures))
	if found, err := visitNames(ctx, db, unerased, ids, visit); err != nil || found {
		return false, err
	}
	_, err = visitNames(ctx, db, earlier(bun.SafeQuery("TRUE")), ids, visit)
	return true, err
}

// visitNames calls visit with the names that a query finds, and reports whether there are any.
func visitNames(ctx context.Context, db *handle.DB, query schema.QueryWithArgs, ids []directory.UserID, visit func(place int, name, email string)) (found bool, _ error) {
	var number any // converting it would cost more than all else here
	var name, email string
	place, dest := 0, []any{&number, &name, &email}
	rows, err := db.QueryContext(ctx, query.Query, query.Args...)
	err = snapshotdb.Visit(rows, err, "names", func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		found = true
		id := directory.UserID(number.(int64))
		for place < len(ids) && ids[place] < id {
			place++
		}
		if place < len(ids) && ids[place] == id {
			visit(place, name, email)
		}
		return nil
	})
	return found, err
}

// Evaluations returns the evaluations of a partner, by number.
func Evaluations(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (list []directory.Evaluation, err error) {
	rows, err := idb.QueryContext(ctx, `SELECT `+evaluations.columns+` FROM evaluations WHERE tenant_id = ? ORDER BY `+evaluations.key, partner)
	err = evaluations.read(rows, err, func(v directory.Evaluation) error {
		list = append(list, v)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("evaluations of partner %d: %w", partner, err)
	}
	return list, nil
}
