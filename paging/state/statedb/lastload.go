package statedb

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
)

// LastLoad is the last load of a tenant's data, as the operator sees it.
type LastLoad struct {
	Ended time.Time
	Took  time.Duration // kept to the millisecond
	Rows  int64         // that were read, of all files
}

// NoteLoad notes a load that has ended, in the place of the one before; [LoadedLast] returns it. It is no part of the load's
// transaction: nothing but a status is computed from it, and a load is not undone because its note cannot be written.
func NoteLoad(ctx context.Context, db bun.IDB, t auth.Tenant, l LastLoad) error {
	_, err := db.NewRaw(`
		INSERT INTO loads (tenant_id, ended, milliseconds, row_count)
		VALUES (?, ?, ?, ?)
		    ON CONFLICT (tenant_id) DO UPDATE
		   SET ended = EXCLUDED.ended, milliseconds = EXCLUDED.milliseconds, row_count = EXCLUDED.row_count`,
		t, l.Ended.UTC().Truncate(time.Microsecond), l.Took.Milliseconds(), l.Rows).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note the load of tenant %d: %w", t, err)
	}
	return nil
}
