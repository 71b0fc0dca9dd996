package directorydb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// PutEntities adds entities to a partner, or replaces those of the same number. version is the one of the registers
// that the caller is about to publish. Of several with one number the last stands.
//
// Call it in a transaction: an error, such as a reference that another live entity has, may leave some written. The
// error is directory.ErrText where a text cannot be stored; nothing is written then.
func PutEntities(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, put []directory.Entity) error {
	rows := make([]entityRow, len(put))
	for i, e := range put {
		rows[i] = entityRow{Entity: e, version: version}
	}
	rows, err := settle(entities, rows)
	if err == nil {
		err = keepPastOf(ctx, tx, partner, version, "entities", "entity_id", entityPast, rows)
	}
	if err == nil {
		err = setNetworks(ctx, tx, partner, rows)
	}
	if err == nil {
		err = park(ctx, tx, partner, entities, rows)
	}
	if err == nil {
		err = entities.insert(ctx, tx, partner, true, rows)
	}
	if err == nil {
		err = moveClasses(ctx, tx, partner, rows)
	}
	if err != nil {
		return fmt.Errorf("put entities of partner %d: %w", partner, err)
	}
	return nil
}

// PutAccounts adds accounts to a partner, or replaces those of the same number, as [PutEntities] does entities. The
// access token of an account is written with its first row, and no later one changes it (P7). Where an account takes a
// reference that another had, or gives one up, [AddCarriers] is to be told.
func PutAccounts(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, put []directory.Account) error {
	rows := make([]accountRow, len(put))
	for i, a := range put {
		rows[i] = accountRow{a, version}
	}
	rows, err := settle(accounts, rows)
	if err == nil {
		err = keepPastOf(ctx, tx, partner, version, "accounts", "user_id", accountPast, rows)
	}
	if err == nil {
		err = park(ctx, tx, partner, accounts, rows)
	}
	if err == nil {
		err = accounts.insert(ctx, tx, partner, true, rows)
	}
	if err != nil {
		return fmt.Errorf("put accounts of partner %d: %w", partner, err)
	}
	return nil
}

// PutEvaluations adds evaluations to a partner, or replaces those of the same number, as [PutEntities] does entities.
func PutEvaluations(ctx context.Context, tx bun.IDB, partner directory.PartnerID, put []directory.Evaluation) error {
	rows := make([]evaluationRow, len(put))
	for i, v := range put {
		rows[i] = evaluationRow{v}
	}
	rows, err := settle(evaluations, rows)
	if err == nil {
		err = evaluations.insert(ctx, tx, partner, true, rows)
	}
	if err != nil {
		return fmt.Errorf("put evaluations of partner %d: %w", partner, err)
	}
	return nil
}

// chunk is the number of rows of one statement: bun writes the values into its text.
const chunk = 2000

// numbered is a row with the number that names it within the partner.
type numbered interface{ number() int64 }

// named is a row with a reference, which is unique unless the row is gone.
type named interface {
	numbered
	reference() directory.Ref
	gone() bool
}

// settle returns rows by number, the last of each: an engine refuses to replace a row twice in one statement. The slice
// is the caller's no more.
func settle[R numbered](t *table[R], rows []R) ([]R, error) {
	if err := t.check(rows, R.number); err != nil {
		return nil, err
	}
	slices.SortStableFunc(rows, func(a, b R) int { return cmp.Compare(a.number(), b.number()) })
	kept := rows[:0]
	for i, r := range rows {
		if i+1 == len(rows) || r.number() != rows[i+1].number() {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// park takes the stored rows that give up their reference out of the unique index, by marking them as deleted until
// they are written anew.
func park[R named](ctx context.Context, tx bun.IDB, partner directory.PartnerID, t *table[R], rows []R) error {
	givers, err := givers(ctx, tx, partner, t, rows)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(givers, chunk) {
		_, err := tx.NewUpdate().Table(t.name).Set("deleted = TRUE").
			Where("tenant_id = ?", partner).
			Where("?0 BETWEEN ?1 AND ?2 AND ?0 IN (?3)", bun.Ident(t.key), part[0], part[len(part)-1], bun.List(part)).
			Exec(ctx)
		if err != nil {
			return fmt.Errorf("free references: %w", err)
		}
	}
	return nil
}

// givers returns the numbers, ascending, of the stored rows that are live and will not be, or by another reference.
//
// It reads the live rows from the first number to the last and compares here: joined with the rows in SQL, one engine
// or the other goes through all pairs of them.
func givers[R named](ctx context.Context, tx bun.IDB, partner directory.PartnerID, t *table[R], rows []R) (numbers []int64, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	stored, err := tx.NewSelect().Table(t.name).Column(t.key, "reference_id").
		Where("tenant_id = ?", partner).
		Where("? BETWEEN ? AND ?", bun.Ident(t.key), rows[0].number(), rows[len(rows)-1].number()).
		Where("NOT deleted").OrderExpr("?", bun.Ident(t.key)).Rows(ctx)
	err = each(stored, err, func() error {
		var number int64
		var ref directory.Ref
		if err := stored.Scan(&number, &ref); err != nil {
			return err
		}
		i, ok := slices.BinarySearchFunc(rows, number, func(r R, n int64) int { return cmp.Compare(r.number(), n) })
		if ok && (rows[i].gone() || rows[i].reference() != ref) {
			numbers = append(numbers, number)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	return numbers, nil
}
