package directorydb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// PutEntities adds entities to a partner, or replaces those of the same number. version is the one of the registers
// that the caller is about to publish. Of several with one number the last stands.
//
// Call it in a transaction: an error, such as a reference that another live entity has, may leave some written. The
// error is directory.ErrText where a text cannot be stored; nothing is written then.
func PutEntities(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, entities []directory.Entity) error {
	rows := make([]entityRow, len(entities))
	for i, e := range entities {
		rows[i] = rowOfEntity(partner, version, e)
	}
	rows, err := settle(rows)
	if err == nil {
		err = keepPastOf(ctx, tx, partner, version, "entities", "entity_id", entityPast, rows)
	}
	if err == nil {
		err = setNetworks(ctx, tx, partner, rows)
	}
	if err == nil {
		err = park(ctx, tx, partner, "entity_id", rows)
	}
	if err == nil {
		err = upsert(ctx, tx, "entity_id", rows,
			"reference_id", "entity_type", "name", "degree", "inep", "state", "city", "parent_id", "network_id", "deleted", "version")
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
func PutAccounts(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, accounts []directory.Account) error {
	rows := make([]accountRow, len(accounts))
	for i, a := range accounts {
		rows[i] = rowOfAccount(partner, version, a)
	}
	rows, err := settle(rows)
	if err == nil {
		err = keepPastOf(ctx, tx, partner, version, "accounts", "user_id", accountPast, rows)
	}
	if err == nil {
		err = park(ctx, tx, partner, "user_id", rows)
	}
	if err == nil {
		err = upsert(ctx, tx, "user_id", rows,
			"reference_id", "kind", "name", "email", "phone", "entity_id", "active", "deleted", "version")
	}
	if err != nil {
		return fmt.Errorf("put accounts of partner %d: %w", partner, err)
	}
	return nil
}

// PutEvaluations adds evaluations to a partner, or replaces those of the same number, as [PutEntities] does entities.
func PutEvaluations(ctx context.Context, tx bun.IDB, partner directory.PartnerID, evaluations []directory.Evaluation) error {
	rows := make([]evaluationRow, len(evaluations))
	for i, v := range evaluations {
		rows[i] = rowOfEvaluation(partner, v)
	}
	rows, err := settle(rows)
	if err == nil {
		err = upsert(ctx, tx, "evaluation_id", rows, "entity_id", "title", "applied_at")
	}
	if err != nil {
		return fmt.Errorf("put evaluations of partner %d: %w", partner, err)
	}
	return nil
}

// chunk is the number of rows of one statement: bun writes the values into its text.
const chunk = 2000

// row is what every row can tell.
type row interface {
	number() int64
	check() error // whether its texts can be stored
}

// named is a row with a reference, which is unique unless the row is gone.
type named interface {
	row
	reference() directory.Ref
	gone() bool
}

// settle returns rows by number, the last of each: an engine refuses to replace a row twice in one statement. The slice
// is the caller's no more.
func settle[R row](rows []R) ([]R, error) {
	for _, r := range rows {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("number %d: %w", r.number(), err)
		}
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

// upsert writes the rows; of those that are stored it replaces the columns set.
func upsert[R row](ctx context.Context, tx bun.IDB, key string, rows []R, set ...string) error {
	for i, column := range set {
		set[i] = column + " = EXCLUDED." + column
	}
	for part := range slices.Chunk(rows, chunk) {
		_, err := tx.NewInsert().Model(&part).
			On("CONFLICT (tenant_id, ?) DO UPDATE", bun.Ident(key)).Set(strings.Join(set, ", ")).
			Returning("NULL").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// park takes the stored rows that give up their reference out of the unique index, by marking them as deleted until
// they are written anew.
func park[R named](ctx context.Context, tx bun.IDB, partner directory.PartnerID, key string, rows []R) error {
	givers, err := givers(ctx, tx, partner, key, rows)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(givers, chunk) {
		_, err := tx.NewUpdate().Model((*R)(nil)).Set("deleted = TRUE").
			Where("tenant_id = ?", partner).
			Where("?0 BETWEEN ?1 AND ?2 AND ?0 IN (?3)", bun.Ident(key), part[0], part[len(part)-1], bun.List(part)).
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
func givers[R named](ctx context.Context, tx bun.IDB, partner directory.PartnerID, key string, rows []R) (numbers []int64, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	stored, err := tx.NewSelect().Model((*R)(nil)).Column(key, "reference_id").
		Where("tenant_id = ?", partner).
		Where("? BETWEEN ? AND ?", bun.Ident(key), rows[0].number(), rows[len(rows)-1].number()).
		Where("NOT deleted").OrderExpr("?", bun.Ident(key)).Rows(ctx)
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
