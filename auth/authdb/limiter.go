package authdb

import (
	"context"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// Limiter is an [auth.Limiter] for servers that share a PostgreSQL database: it uses the database's counters and clock
// (H6). It is safe for concurrent use.
type Limiter struct {
	DB  *handle.DB
	Now func() time.Time // nil = the database's clock
}

var _ auth.Limiter = (*Limiter)(nil)

// Take implements [auth.Limiter] with one statement, on the tenant's row.
//
// Two requests at the end of a minute may reach the row in the wrong order. Both then count in the later minute. A row
// that is further ahead was written before the clock was set back, and begins again.
func (l *Limiter) Take(ctx context.Context, b auth.Budget, limit int) (auth.Quota, error) {
	if limit <= 0 {
		return auth.Quota{OK: true}, nil
	}
	var taken, count int64
	query, args := l.statement(b)
	err := l.DB.QueryRowContext(ctx, query, args...).Scan(&taken, &count)
	if err != nil {
		return auth.Quota{}, fmt.Errorf("rate of %s of tenant %d: %w", b.Name, b.Tenant, err)
	}
	return auth.NewQuota(time.UnixMilli(taken), count, limit), nil
}

// statement returns the statement that counts a request of a budget.
//
// The clock is only in VALUES, since a distributed database refuses it in DO UPDATE and in RETURNING. For the same
// reason VALUES also contains the setting that this commit does not wait for the disk: after a crash the minute is
// over.
func (l *Limiter) statement(b auth.Budget) (query string, args []any) {
	clock, args := `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`, []any{b.Tenant, b.Name}
	if l.Now != nil {
		clock, args = `?`, append(args, l.Now().UnixMilli())
	}
	return `INSERT INTO rates AS r (tenant_id, budget, taken, count)
		 VALUES (?, ?, ` + clock + `, CASE set_config('synchronous_commit', 'off', TRUE) WHEN 'off' THEN 1 END)
		     ON CONFLICT (tenant_id, budget) DO UPDATE
		    SET count = CASE WHEN r.taken / 60000 - excluded.taken / 60000 IN (0, 1) THEN r.count + 1 ELSE 1 END,
		        taken = CASE WHEN r.taken / 60000 - excluded.taken / 60000 IN (0, 1) THEN greatest(r.taken, excluded.taken)
		                     ELSE excluded.taken END
		 RETURNING taken, count`, args
}

// giveBack undoes a count if its minute has not ended. It deletes a row that counts nothing, since the key may be
// refused because its tenant was removed.
func (l *Limiter) giveBack(ctx context.Context, b auth.Budget, taken int64) error {
	_, err := l.DB.NewRaw(`
		UPDATE rates SET count = count - 1
		 WHERE tenant_id = ? AND budget = ? AND taken / 60000 = ? / 60000 AND count > 0`, b.Tenant, b.Name, taken).Exec(ctx)
	if err == nil {
		_, err = l.DB.NewRaw(`DELETE FROM rates WHERE tenant_id = ? AND budget = ? AND count = 0`, b.Tenant, b.Name).Exec(ctx)
	}
	return err
}
