package snapshotdb

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

const (
	leaseFor   = time.Minute      // how long a load that says nothing is taken to live
	renewEvery = 15 * time.Second // how often one that lives says so
	waitStep   = time.Second      // between two looks at another load's lease

	giveBackFor = 10 * time.Second // how long a load that was called off as it began tries to give its lease back
)

// Begin begins a load of a tenant. While another one lives it waits, and calls waiting, if it is not nil, once. What a load
// that died has left is undone first. The error is ErrRemoved where there is no such tenant. Close must be called.
func (s *Store) Begin(ctx context.Context, t auth.Tenant, waiting func()) (*Load, error) {
	for {
		l, err := s.take(ctx, t)
		if err != nil {
			return nil, err
		}
		if l != nil {
			if err := l.begin(ctx); err != nil {
				return nil, err
			}
			return l, nil
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		if err := pause(ctx, waitStep); err != nil {
			return nil, err
		}
	}
}

// begin undoes what loads that died have left, now that the load has the lease. After an error it is closed.
func (l *Load) begin(ctx context.Context) error {
	l.renew(ctx)
	err := l.undo(ctx)
	if err == nil {
		err = l.store.clearUnread(ctx, l.tenant)
	}
	if err != nil {
		return errors.Join(err, l.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

// endSleeper ends the session of a load whose lease has run out, and which has that lease in a transaction while its process says
// nothing: one that was stopped in the middle of a COPY is neither idle nor ever out of time, and would keep out for ever who takes
// over. What fails is only this help, as where the database does not tell of its sessions: then the other is waited for.
func (s *Store) endSleeper(ctx context.Context, t auth.Tenant) {
	now, err := s.Clock(ctx, s.DB)
	if err != nil || !handle.Postgres(s.DB) {
		return
	}
	_, _ = s.DB.NewRaw(`
		SELECT pg_terminate_backend(a.pid)
		  FROM leases AS e
		  JOIN pg_stat_activity AS a ON a.backend_xid = e.xmax
		 WHERE e.tenant_id = ? AND e.expires <= ? AND a.usename = current_user AND a.wait_event = 'ClientRead'`, t, now.UnixMicro()).Exec(ctx)
}

// take takes the tenant's lease, or returns nil where a load that lives has it.
func (s *Store) take(ctx context.Context, t auth.Tenant) (l *Load, err error) {
	s.endSleeper(ctx, t)
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := bounded(ctx, tx); err != nil {
			return err
		}
		held, err := Lock(ctx, tx, t)
		if err != nil {
			return err
		}
		now, err := s.Clock(ctx, tx)
		if err != nil {
			return err
		}
		last, lives, err := leased(ctx, tx, t, now)
		if err != nil || lives {
			return err
		}
		// The locks of a load that sleeps in the middle of a transaction are waited for here; then it can write no more.
		if _, err := tx.NewRaw(`DELETE FROM leases WHERE tenant_id = ?`, t).Exec(ctx); err != nil {
			return err
		}
		l = &Load{store: s, tenant: t, base: held.Last(), number: NextNumber(max(last, held.Last())), token: rand.Text(), dirty: last > 0}
		_, err = tx.NewRaw(`INSERT INTO leases (tenant_id, number, token, began, expires) VALUES (?, ?, ?, ?, ?)`,
			t, l.number, l.token, now.UnixMicro(), now.Add(leaseFor).UnixMicro()).Exec(ctx)
		return err
	})
	if err != nil {
		err = fmt.Errorf("begin a load: %w", err)
		if l != nil {
			err = errors.Join(err, l.giveBack(context.WithoutCancel(ctx)))
		}
		return nil, err
	}
	return l, nil
}

// giveBack gives back a lease that may have been taken though nobody was told, as where ctx ended while the commit was under
// way: that has the tenant's row, so that what is found behind it is decided.
func (l *Load) giveBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, giveBackFor)
	defer cancel()
	return l.store.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := Lock(ctx, tx, l.tenant); err != nil {
			return err
		}
		return l.deleteLease(ctx, tx)
	})
}

func (l *Load) deleteLease(ctx context.Context, db bun.IDB) error {
	_, err := db.NewRaw(`DELETE FROM leases WHERE tenant_id = ? AND number = ? AND token = ?`, l.tenant, l.number, l.token).Exec(ctx)
	return err
}

// leased returns the highest number of the tenant's leases, and whether one is of a load that lives: it runs out later, and not so
// much later that the clock was put back since it was renewed.
func leased(ctx context.Context, tx bun.Tx, t auth.Tenant, now time.Time) (last int64, lives bool, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT number, expires FROM leases WHERE tenant_id = ?`, t)
	err = Visit(rows, err, "leases", func(rows *sql.Rows) error {
		var number, expires int64
		err := rows.Scan(&number, &expires)
		last, lives = max(last, number), lives || expires > now.UnixMicro() && expires <= now.Add(2*leaseFor).UnixMicro()
		return err
	})
	return last, lives, err
}

// renew renews the lease until the load ends. A renewal that fails is tried again; where the lease runs out meanwhile, and
// another load takes over, the next write says so.
func (l *Load) renew(ctx context.Context) {
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.done.Go(func() {
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = l.extend(ctx)
			}
		}
	})
}

func (l *Load) extend(ctx context.Context) error {
	now, err := l.store.Clock(ctx, l.store.DB)
	if err != nil {
		return err
	}
	_, err = l.store.DB.NewRaw(`UPDATE leases SET expires = ? WHERE tenant_id = ? AND number = ? AND token = ?`,
		now.Add(leaseFor).UnixMicro(), l.tenant, l.number, l.token).Exec(ctx)
	return err
}

// guard makes sure in a transaction that the load still has its lease, and that the database has all that it wrote since it
// began: a standby that was promoted may have the lease, and lack the last transactions. It keeps the lease until the transaction ends.
func (l *Load) guard(ctx context.Context, tx bun.Tx) error {
	if err := bounded(ctx, tx); err != nil {
		return err
	}
	return l.setTransactions(ctx, tx, l.transactions+1, bun.SafeQuery("transactions = ?", l.transactions))
}

// bounded sees to it that a load that is stopped between two statements of a transaction does not keep out for ever who takes
// over. It is for the first statement, before anything is locked.
func bounded(ctx context.Context, tx bun.Tx) error {
	if !handle.Postgres(tx) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = '60s'`)
	return err
}

// setTransactions writes into the lease how many transactions the load has taken. The error is snapshot.ErrLost where it is not there, or not as
// a condition says, and ErrRemoved where the tenant was removed.
func (l *Load) setTransactions(ctx context.Context, db bun.IDB, transactions int64, which schema.QueryWithArgs) error {
	var number int64
	err := db.NewRaw(`UPDATE leases SET transactions = ? WHERE tenant_id = ? AND number = ? AND token = ? AND ? RETURNING number`,
		transactions, l.tenant, l.number, l.token, which).Scan(ctx, &number)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = ReadCurrent(ctx, db, l.tenant)
		return cmp.Or(err, snapshot.ErrLost)
	}
	return err
}

// guarded runs f in a transaction in which the load has its lease.
func (l *Load) guarded(ctx context.Context, f func(ctx context.Context, tx bun.Tx) error) error {
	return l.counted(l.store.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := l.guard(ctx, tx); err != nil {
			return err
		}
		return f(ctx, tx)
	}))
}

// counted counts a guarded transaction that ended with err.
func (l *Load) counted(err error) error {
	if err == nil {
		l.transactions++
	}
	return err
}
