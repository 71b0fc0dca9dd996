package directorydb

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
)

// What is kept of rows that were replaced: what the reports show of an earlier state (G8).
var (
	entityPast  = entityColumns + `, version`
	accountPast = `user_id, kind, name, email, entity_id, active, deleted, version`
)

// PastTables are the tables of what was replaced, each with the columns that name a row besides the tenant and until.
func PastTables() map[string][]string {
	return map[string][]string{"entities_past": {"entity_id"}, "accounts_past": {"user_id"}, "degrees_past": {"position"}}
}

// keepPast copies rows that are about to be replaced to the past of their table, with the version that replaces them. A row
// that this version wrote already has its past there.
func keepPast(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, table, columns string, which schema.QueryWithArgs) error {
	_, err := tx.NewRaw(`
		INSERT INTO ? (tenant_id, until, `+columns+`)
		SELECT tenant_id, ?, `+columns+`
		  FROM ?
		 WHERE tenant_id = ? AND version < ? AND ?`,
		bun.Ident(table+"_past"), version, bun.Ident(table), partner, version, which).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep the past of %s: %w", table, err)
	}
	return nil
}

// past keeps what the write is about to replace.
func (w *write) past(ctx context.Context, table, columns, which string, args ...any) error {
	return keepPast(ctx, w, w.partner, w.version, table, columns, bun.SafeQuery(which, args...))
}

// keepPastOf keeps the stored rows of the same numbers as those that are to be put.
func keepPastOf[R numbered](ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64, table, key, columns string, rows []R) error {
	for part := range slices.Chunk(rows, chunk) {
		ids := make([]int64, len(part))
		for i, r := range part {
			ids[i] = r.number()
		}
		// The bounds tell PostgreSQL to use the key while it has no statistics, as after the first load.
		which := bun.SafeQuery("?0 BETWEEN ?1 AND ?2 AND ?0 IN (?3)", bun.Ident(key), ids[0], ids[len(ids)-1], bun.List(ids))
		if err := keepPast(ctx, tx, partner, version, table, columns, which); err != nil {
			return err
		}
	}
	return nil
}

// DegreesAt returns the partner's vocabulary of degrees as it was at a version of the registers. One statement reads both
// places where it may stand.
func DegreesAt(ctx context.Context, idb bun.IDB, partner directory.PartnerID, at int64) (directory.Degrees, error) {
	if at == Now {
		return Degrees(ctx, idb, partner)
	}
	return readDegrees(ctx, idb, partner, bun.SafeQuery(`(
		SELECT code, stage, grade, position
		  FROM degrees
		 WHERE tenant_id = ?0 AND NOT EXISTS (SELECT 1 FROM degrees_past WHERE tenant_id = ?0 AND until > ?1)
		 UNION ALL
		SELECT code, stage, grade, position
		  FROM degrees_past
		 WHERE tenant_id = ?0 AND position > 0
		   AND until = (SELECT min(until) FROM degrees_past WHERE tenant_id = ?0 AND until > ?1)) AS d`, partner, at))
}

// keepDegrees copies the vocabulary to its past. A row in place 0 stands for it even where it is the usual one.
func keepDegrees(ctx context.Context, tx bun.IDB, partner directory.PartnerID, version int64) error {
	_, err := tx.NewRaw(`
		INSERT INTO degrees_past (tenant_id, until, position, code, stage, grade)
		SELECT tenant_id, ?0, position, code, stage, grade
		  FROM degrees
		 WHERE tenant_id = ?1
		 UNION ALL
		SELECT ?1, ?0, 0, '', '', 0`, version, partner).Exec(ctx)
	return err
}
