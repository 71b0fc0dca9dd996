package snapshotdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Forgotten is a person of a tenant, an account or a reader, whose name, e-mail and phone were erased for ever (P7).
type Forgotten struct {
	Tenant auth.Tenant
	User   int64
	Since  time.Time // when that was asked for first
}

// Forget notes that a person is forgotten, in a transaction that has locked the tenant's row, as the last step of a load has: so
// who settles later rows knows of it. It reports whether that is new, and returns since when it is so.
func Forget(ctx context.Context, tx bun.IDB, f Forgotten) (fresh bool, since time.Time, err error) {
	var us int64
	err = tx.NewRaw(`INSERT INTO forgotten (tenant_id, user_id, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING since`,
		f.Tenant, f.User, f.Since.UnixMicro()).Scan(ctx, &us)
	fresh = err == nil
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.NewRaw(`SELECT since FROM forgotten WHERE tenant_id = ? AND user_id = ?`, f.Tenant, f.User).Scan(ctx, &us)
	}
	if err != nil {
		return false, time.Time{}, fmt.Errorf("forget a person of tenant %d: %w", f.Tenant, err)
	}
	return fresh, time.UnixMicro(us).UTC(), nil
}

// ForgottenOf returns who is forgotten of some tenants, by tenant and number.
func ForgottenOf(ctx context.Context, idb bun.IDB, of ...auth.Tenant) (list []Forgotten, err error) {
	rows, err := idb.QueryContext(ctx, `SELECT tenant_id, user_id, since FROM forgotten WHERE tenant_id IN (?) ORDER BY tenant_id, user_id`, bun.List(of))
	return list, Visit(rows, err, "who is forgotten", func(rows *sql.Rows) error {
		var f Forgotten
		err := rows.Scan(&f.Tenant, &f.User, (*instant)(&f.Since))
		list = append(list, f)
		return err
	})
}

// Erased notes, in the transaction that erases names, e-mails or phones from every state of a tenant, that it does: answers that
// show people are other bytes from then on, though their states have the numbers that they had. Like those, what is noted is a
// number that grows by a random step: a failover that loses it does not have it given again. Who reads people in one statement with
// the number, and finds it as it was, has read all of them as they were then.
func Erased(ctx context.Context, tx bun.IDB, t auth.Tenant) error {
	_, err := tx.NewRaw(`UPDATE versions SET erasures = erasures + ? WHERE tenant_id = ?`, 1+rand.Int64N(snapshot.Step), t).Exec(ctx)
	if err != nil {
		return fmt.Errorf("erasures of tenant %d: %w", t, err)
	}
	return nil
}
