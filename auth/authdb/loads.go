package authdb

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
)

// Load is the last load of a tenant's data for one API, as the operator sees it.
type Load struct {
	API   auth.API
	Ended time.Time
	Took  time.Duration // kept to the millisecond
	Rows  int64         // that were read, of all files
}

type loadRow struct {
	bun.BaseModel `bun:"table:loads"`

	TenantID     auth.Tenant `bun:",pk"`
	API          auth.API    `bun:",pk"`
	Ended        time.Time
	Milliseconds int64
	RowCount     int64
}

// RecordLoad notes a load that has ended, in the place of the one before. It is no part of the load's transaction: nothing
// but a status is computed from it, and a load is not undone because its note cannot be written.
func (s *Store) RecordLoad(ctx context.Context, t auth.Tenant, l Load) error {
	row := &loadRow{
		TenantID: t, API: l.API, Ended: l.Ended.UTC().Truncate(time.Microsecond), Milliseconds: l.Took.Milliseconds(), RowCount: l.Rows,
	}
	_, err := s.DB.NewInsert().Model(row).On("CONFLICT (tenant_id, api) DO UPDATE").
		Set("ended = EXCLUDED.ended, milliseconds = EXCLUDED.milliseconds, row_count = EXCLUDED.row_count").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("record the load of tenant %d: %w", t, err)
	}
	return nil
}

// Loads returns the last load of each of a tenant's APIs, by the API's name; none where it was never loaded.
func Loads(ctx context.Context, idb bun.IDB, t auth.Tenant) ([]Load, error) {
	var rows []loadRow
	if err := idb.NewSelect().Model(&rows).Where("tenant_id = ?", t).Order("api").Scan(ctx); err != nil {
		return nil, fmt.Errorf("loads of tenant %d: %w", t, err)
	}
	loads := make([]Load, len(rows))
	for i, r := range rows {
		loads[i] = Load{API: r.API, Ended: r.Ended.UTC(), Took: time.Duration(r.Milliseconds) * time.Millisecond, Rows: r.RowCount}
	}
	return loads, nil
}
