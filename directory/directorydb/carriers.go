package directorydb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// Carriers returns the history of a partner's references of accounts (F4).
func Carriers(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (directory.Carriers, error) {
	return readCarriers(ctx, idb, partner, ``)
}

// readCarriers reads the histories of the references that meet a condition.
func readCarriers(ctx context.Context, idb bun.IDB, partner directory.PartnerID, and string, args ...any) (directory.Carriers, error) {
	history := directory.Carriers{}
	rows, err := idb.QueryContext(ctx, `
		SELECT reference_id, since, user_id
		  FROM carriers
		 WHERE tenant_id = ?`+and+`
		 ORDER BY reference_id, since`, append([]any{partner}, args...)...)
	err = each(rows, err, func() error {
		var ref directory.Ref
		var since int64
		var c directory.Carrier
		err := rows.Scan(&ref, &since, &c.Account)
		c.Since = timeOf(since)
		history[ref] = append(history[ref], c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("carriers of partner %d: %w", partner, err)
	}
	return history, nil
}

// carrierRow is a row of carriers.
type carrierRow struct {
	bun.BaseModel `bun:"table:carriers"`

	TenantID    directory.PartnerID `bun:",pk"`
	ReferenceID directory.Ref       `bun:",pk"`
	Since       int64               `bun:",pk"` // microseconds since 1970
	UserID      directory.UserID
}

// AddCarriers adds carriers to the histories of a partner's references, as [directory.Carriers.Take] returns them.
func AddCarriers(ctx context.Context, tx bun.IDB, partner directory.PartnerID, more directory.Carriers) error {
	var rows []carrierRow
	for _, ref := range slices.Sorted(maps.Keys(more)) {
		for _, c := range more[ref] {
			rows = append(rows, carrierRow{TenantID: partner, ReferenceID: ref, Since: c.Since.UnixMicro(), UserID: c.Account})
		}
	}
	for part := range slices.Chunk(rows, chunk) {
		if _, err := tx.NewInsert().Model(&part).Returning("NULL").Exec(ctx); err != nil {
			return fmt.Errorf("carriers of partner %d: %w", partner, err)
		}
	}
	return nil
}

// take notes that an account takes a reference, which no live account has, in place of another, or of none.
func (w *write) take(ctx context.Context, account directory.UserID, ref, gives directory.Ref) error {
	history, err := readCarriers(ctx, w, w.partner, ` AND reference_id IN (?, ?)`, ref, gives)
	if err != nil {
		return err
	}
	var was directory.UserID // whoever had it before is deleted
	err = w.NewRaw(`SELECT coalesce(max(user_id), 0) FROM accounts WHERE tenant_id = ? AND reference_id = ? AND deleted`, w.partner, ref).Scan(ctx, &was)
	if err != nil {
		return err
	}
	more := directory.Carriers{}
	if was != 0 || history.Last(ref) != 0 {
		at, err := (&authdb.Store{Now: w.now}).Clock(ctx, w)
		if err != nil {
			return err
		}
		more[ref] = history.Take(ref, was, account, at)
	}
	if gives != "" && history.Last(gives) == 0 {
		more[gives] = directory.Kept(account)
	}
	return AddCarriers(ctx, w, w.partner, more)
}
