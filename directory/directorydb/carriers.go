package directorydb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
)

// carrierRow is a row of carriers.
type carrierRow struct {
	bun.BaseModel `bun:"table:carriers,alias:carriers"`

	TenantID    directory.PartnerID
	ReferenceID directory.Ref
	Since       int64 // microseconds since 1970
	UserID      directory.UserID
}

// Carriers returns the history of a partner's references of accounts (F4).
func Carriers(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (directory.Carriers, error) {
	return readCarriers(ctx, idb, partner, bun.SafeQuery("TRUE"))
}

// readCarriers reads the histories of the references that meet a condition.
func readCarriers(ctx context.Context, idb bun.IDB, partner directory.PartnerID, which schema.QueryWithArgs) (directory.Carriers, error) {
	var rows []carrierRow
	err := idb.NewSelect().Model(&rows).Where("tenant_id = ? AND ?", partner, which).Order("reference_id", "since").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("carriers of partner %d: %w", partner, err)
	}
	history := directory.Carriers{}
	for _, r := range rows {
		history[r.ReferenceID] = append(history[r.ReferenceID], directory.Carrier{Since: time.UnixMicro(r.Since).UTC(), Account: r.UserID})
	}
	return history, nil
}

// AddCarriers adds carriers to the histories of the partner's references, as [directory.Carriers.Take] returns them.
func (w *Write) AddCarriers(ctx context.Context, more directory.Carriers) error {
	var rows []carrierRow
	for _, ref := range slices.Sorted(maps.Keys(more)) {
		for _, c := range more[ref] {
			rows = append(rows, carrierRow{TenantID: w.Partner, ReferenceID: ref, Since: c.Since.UnixMicro(), UserID: c.Account})
		}
	}
	for part := range slices.Chunk(rows, chunk) {
		if _, err := w.NewInsert().Model(&part).Exec(ctx); err != nil {
			return fmt.Errorf("carriers of partner %d: %w", w.Partner, err)
		}
	}
	return nil
}

// take notes that an account takes a reference, which no live account has, in place of another, or of none.
func (w *Write) take(ctx context.Context, account directory.UserID, ref, gives directory.Ref) error {
	history, err := readCarriers(ctx, w, w.Partner, bun.SafeQuery("reference_id IN (?, ?)", ref, gives))
	if err != nil {
		return err
	}
	var was directory.UserID // whoever had it before is deleted
	err = w.NewSelect().Table("accounts").ColumnExpr("coalesce(max(user_id), 0)").
		Where("tenant_id = ? AND reference_id = ? AND deleted", w.Partner, ref).Scan(ctx, &was)
	if err != nil {
		return err
	}
	more := directory.Carriers{}
	if was != 0 || history.Last(ref) != 0 {
		more[ref] = history.Take(ref, was, account, w.now)
	}
	if gives != "" && history.Last(gives) == 0 {
		more[gives] = directory.Kept(account)
	}
	return w.AddCarriers(ctx, more)
}
