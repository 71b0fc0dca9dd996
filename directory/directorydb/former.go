package directorydb

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// FormerRefs returns the references that live accounts of a partner gave up for another, as long as no account has taken
// them since: events that come late still name them (F4).
func FormerRefs(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (map[directory.Ref]directory.UserID, error) {
	former := map[directory.Ref]directory.UserID{}
	rows, err := idb.QueryContext(ctx, `SELECT reference_id, user_id FROM former_references WHERE tenant_id = ?`, partner)
	err = each(rows, err, func() error {
		var ref directory.Ref
		var id directory.UserID
		err := rows.Scan(&ref, &id)
		former[ref] = id
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("former references of partner %d: %w", partner, err)
	}
	return former, nil
}

// remember notes that an account gave up its reference for another.
func (w *write) remember(ctx context.Context, was directory.Account, now directory.Ref) error {
	if err := takeRefs(ctx, w, w.partner, now, was.Ref); err != nil {
		return err
	}
	return w.exec(ctx, `INSERT INTO former_references (tenant_id, reference_id, user_id) VALUES (?, ?, ?)`, w.partner, was.Ref, was.ID)
}

// takeRefs forgets who had references before: from now on they mean whoever takes them.
func takeRefs(ctx context.Context, idb bun.IDB, partner directory.PartnerID, refs ...directory.Ref) error {
	for part := range slices.Chunk(refs, chunk) {
		_, err := idb.ExecContext(ctx, `DELETE FROM former_references WHERE tenant_id = ? AND reference_id IN (?)`, partner, bun.List(part))
		if err != nil {
			return fmt.Errorf("former references: %w", err)
		}
	}
	return nil
}
