package snapshotdb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Forgotten is a person of a tenant, an account or a reader, whose name, e-mail and phone are erased for good (P7).
type Forgotten struct {
	Tenant auth.Tenant
	User   int64
	Since  time.Time // of the first request to erase them
}

// Forget records that a person is erased, in a transaction that has locked the tenant's row. The last step of a load
// locks it too, so every later row is validated with the erasure in view. fresh is false if the person was erased
// before, at since.
func Forget(ctx context.Context, tx bun.IDB, f Forgotten) (fresh bool, since time.Time, err error) {
	var at instant
	err = tx.NewRaw(`INSERT INTO forgotten (tenant_id, user_id, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING since`,
		f.Tenant, f.User, f.Since.UnixMicro()).Scan(ctx, &at)
	fresh = err == nil
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.NewRaw(`SELECT since FROM forgotten WHERE tenant_id = ? AND user_id = ?`, f.Tenant, f.User).Scan(ctx, &at)
	}
	return fresh, time.Time(at), ofTenant(f.Tenant, "erase a person", err)
}

// ForgottenOf returns the erased people of some tenants, by tenant and number.
func ForgottenOf(ctx context.Context, idb bun.IDB, of ...auth.Tenant) (list []Forgotten, err error) {
	rows, err := idb.QueryContext(ctx, `SELECT tenant_id, user_id, since FROM forgotten WHERE tenant_id IN (?) ORDER BY tenant_id, user_id`, bun.List(of))
	return list, Visit(rows, err, "erased people", func(rows *sql.Rows) error {
		var f Forgotten
		err := rows.Scan(&f.Tenant, &f.User, (*instant)(&f.Since))
		list = append(list, f)
		return err
	})
}

// Erased raises the tenant's number of erasures, in the transaction that erases names, e-mails or phones from every
// snapshot. From then on answers that show people differ, though the snapshots keep their numbers. The number grows by
// a random step, as those of snapshots do. A statement that reads people and finds the number unchanged has read all of
// them as they were then.
func Erased(ctx context.Context, tx bun.IDB, t auth.Tenant) error {
	_, err := tx.NewRaw(`UPDATE versions SET erasures = erasures + ? WHERE tenant_id = ?`, 1+rand.Int64N(snapshot.Step), t).Exec(ctx)
	return ofTenant(t, "erasures", err)
}
