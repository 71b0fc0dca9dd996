package authdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
)

// Work is what is known of the loads of a tenant that workers do.
type Work struct {
	Due      time.Time // when the next may begin; zero: at once
	Failures int       // in a row
	Problem  string    // of the last of them; it names no person
	Content  string    // a digest of what was loaded last, or empty
}

// Lease is a worker's hold on a tenant's work: nobody else has it until it expires, by the store's clock.
type Lease struct {
	Tenant auth.Tenant
	Token  string
}

// DueWork returns the tenants whose work is due at a time and taken by nobody, those of which nothing is known first, and then those
// that are due for longest.
func (s *Store) DueWork(ctx context.Context, now time.Time) (list []Tenant, err error) {
	err = s.DB.NewSelect().Model(&list).ModelTableExpr("versions AS v").ColumnExpr("t.*").
		Join("JOIN tenants AS t ON t.tenant_id = v.tenant_id").
		Join("LEFT JOIN work AS w ON w.tenant_id = v.tenant_id").
		Where("coalesce(w.due, 0) <= ?0 AND coalesce(w.expires, 0) <= ?0", now.UnixMicro()).
		OrderExpr("coalesce(w.due, 0), t.tenant_id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("work that is due: %w", err)
	}
	return list, nil
}

// TakeWork takes a tenant's work that is due at a time, until another, and returns what is known of it; taken is false where it is
// not due, or another has it. One statement decides that, so that of several workers one alone has it.
func (s *Store) TakeWork(ctx context.Context, l Lease, now, until time.Time) (w Work, taken bool, err error) {
	err = s.DB.QueryRowContext(ctx, `
		INSERT INTO work AS w (tenant_id, due, token, expires, failures, problem, content)
		VALUES (?0, 0, ?1, ?2, 0, '', '')
		    ON CONFLICT (tenant_id) DO UPDATE
		   SET token = excluded.token, expires = excluded.expires
		 WHERE w.due <= ?3 AND w.expires <= ?3
		RETURNING `+workColumns, l.Tenant, l.Token, until.UnixMicro(), now.UnixMicro()).Scan(w.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Work{}, false, nil
	}
	if err != nil {
		return Work{}, false, fmt.Errorf("take the work of tenant %d: %w", l.Tenant, err)
	}
	return w, true, nil
}

// KeepWork keeps work until a later time; it reports whether the lease is still good.
func (s *Store) KeepWork(ctx context.Context, l Lease, until time.Time) (kept bool, err error) {
	return s.ofLease(ctx, l, s.DB.NewUpdate().Table("work").Set("expires = ?", until.UnixMicro()))
}

// GiveWork gives work back, with what is known of it from now on. Where the lease has gone to another nothing is changed.
func (s *Store) GiveWork(ctx context.Context, l Lease, w Work) error {
	_, err := s.ofLease(ctx, l, s.DB.NewUpdate().Table("work").Set("expires = 0, due = ?, failures = ?, problem = ?, content = ?",
		micros(w.Due), w.Failures, w.Problem, w.Content))
	return err
}

func (s *Store) ofLease(ctx context.Context, l Lease, update *bun.UpdateQuery) (good bool, err error) {
	r, err := update.Where("tenant_id = ? AND token = ? AND expires > 0", l.Tenant, l.Token).Exec(ctx)
	var n int64
	if err == nil {
		n, err = r.RowsAffected()
	}
	if err != nil {
		return false, fmt.Errorf("work of tenant %d: %w", l.Tenant, err)
	}
	return n == 1, nil
}

const workColumns = `due, failures, problem, content`

func (w *Work) fields() []any { return []any{(*instant)(&w.Due), &w.Failures, &w.Problem, &w.Content} }

// WorkOf returns what is known of a tenant's work; known is false where no worker has had it.
func WorkOf(ctx context.Context, idb bun.IDB, t auth.Tenant) (w Work, known bool, err error) {
	err = idb.QueryRowContext(ctx, `SELECT `+workColumns+` FROM work WHERE tenant_id = ?`, t).Scan(w.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Work{}, false, nil
	}
	if err != nil {
		return Work{}, false, fmt.Errorf("work of tenant %d: %w", t, err)
	}
	return w, true, nil
}
