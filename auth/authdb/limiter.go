package authdb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/uptrace/bun"
)

// Limiter is an [auth.Limiter] for replicas that share a PostgreSQL database:
// its counters and clock are the database's (H6). It is safe for concurrent use,
// of one Limiter or of several.
type Limiter struct {
	DB  *bun.DB
	Now func() time.Time // nil = the database's clock
}

var _ auth.Limiter = (*Limiter)(nil)

// Take implements [auth.Limiter] with one statement, on the tenant's row.
//
// Two requests at the turn of a minute may reach the row in the wrong order. The
// later minute then stands, and both count in it. A row that is further ahead
// was written before the clock was set back, and is begun afresh.
func (l *Limiter) Take(ctx context.Context, b auth.Budget, limit int) (auth.Quota, error) {
	if limit <= 0 {
		return auth.Quota{OK: true}, nil
	}
	var taken, count int64
	// The clock is in VALUES alone: a distributed database refuses it in DO
	// UPDATE and in RETURNING. So is the setting of this transaction that its end
	// does not wait for the disk: after a crash the minute is over.
	err := l.DB.DB.QueryRowContext(ctx, // prepared: each request is counted
		`INSERT INTO rates AS r (tenant_id, budget, taken, count)
		 VALUES ($1, $2, `+l.clock()+`, CASE set_config('synchronous_commit', 'off', TRUE) WHEN 'off' THEN 1 END)
		     ON CONFLICT (tenant_id, budget) DO UPDATE
		    SET count = CASE WHEN r.taken / 60000 - excluded.taken / 60000 IN (0, 1) THEN r.count + 1 ELSE 1 END,
		        taken = CASE WHEN r.taken / 60000 - excluded.taken / 60000 IN (0, 1) THEN greatest(r.taken, excluded.taken)
		                     ELSE excluded.taken END
		 RETURNING taken, count`, b.Tenant, b.Name).
		Scan(&taken, &count)
	if err != nil {
		return auth.Quota{}, fmt.Errorf("rate of %s of tenant %d: %w", b.Name, b.Tenant, err)
	}
	return auth.NewQuota(time.UnixMilli(taken), count, limit), nil
}

// clock is the time in milliseconds since 1970, as SQL.
func (l *Limiter) clock() string {
	if l.Now != nil {
		return strconv.FormatInt(l.Now().UnixMilli(), 10)
	}
	return `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
}
