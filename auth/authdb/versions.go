package authdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/auth"
	"github.com/uptrace/bun"
)

// Versions count the changes of a tenant's data that were committed. They only
// grow: equal versions mean equal data.
type Versions struct {
	Registers int64 // entities, accounts, books, readers, …
	Facts     int64 // what was read
}

// Lock makes this transaction the only writer of the tenant until it ends and
// returns the present versions. Readers do not wait. It is the first statement
// of a transaction that writes a tenant's data. The error is ErrNotFound where
// there is no such tenant.
//
// On SQLite a transaction that is begun to write has the whole file to itself
// already.
func Lock(ctx context.Context, tx bun.IDB, t auth.Tenant) (Versions, error) {
	q := tx.NewSelect().Column("registers", "facts").Table("versions").Where("tenant_id = ?", t)
	if postgres(tx) {
		q = q.For("UPDATE")
	}
	return scanVersions(ctx, t, q)
}

// ReadVersions returns the versions of a tenant, or ErrNotFound.
func ReadVersions(ctx context.Context, db bun.IDB, t auth.Tenant) (Versions, error) {
	return scanVersions(ctx, t, db.NewSelect().Column("registers", "facts").Table("versions").Where("tenant_id = ?", t))
}

// Raise adds one to the version of the registers, of the facts, or of both, and
// returns the versions as they are then. A load raises both and a directory write
// the registers alone, as the last statement of the transaction. The error is
// ErrNotFound where there is no such tenant.
func Raise(ctx context.Context, tx bun.IDB, t auth.Tenant, registers, facts bool) (Versions, error) {
	return scanVersions(ctx, t, tx.NewRaw(
		`UPDATE versions SET registers = registers + ?, facts = facts + ?
		  WHERE tenant_id = ?
		 RETURNING registers, facts`, one(registers), one(facts), t))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scanner is a statement that returns rows.
type scanner interface {
	Scan(ctx context.Context, dest ...any) error
}

func scanVersions(ctx context.Context, t auth.Tenant, q scanner) (v Versions, err error) {
	err = q.Scan(ctx, &v.Registers, &v.Facts)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Versions{}, fmt.Errorf("versions of tenant %d: %w", t, err)
	}
	return v, nil
}
