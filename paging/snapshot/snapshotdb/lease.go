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
	leaseFor   = time.Minute      // a lease expires after this time without a renewal
	renewEvery = 15 * time.Second // a live load renews its lease
	waitStep   = time.Second      // between two looks at another load's lease

	giveBackFor = 10 * time.Second // a load that was cancelled while it began tries to give its lease back
)

// Begin begins a load of a tenant, which the caller must Close. While another load is alive Begin waits, and calls
// waiting, if it is not nil, once. It undoes what a load that died has left. The error is ErrRemoved if the tenant was
// removed.
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

// begin undoes what dead loads have left, now that the load has the lease. After an error the load is closed.
func (l *Load) begin(ctx context.Context) error {
	l.renew(ctx)
	err := l.Undo(ctx)
	if err == nil {
		err = l.store.clearLoadsOnly(ctx, l.tenant)
	}
	if err != nil {
		return errors.Join(err, l.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

// endSleeper ends the database session of a load that holds its expired lease in a transaction while its process is
// stopped. Such a session, in the middle of a COPY, is neither idle nor timed out, and would block its successor for
// good. Errors are ignored: a database that does not show its sessions makes the successor wait.
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

// take takes the tenant's lease, or returns nil if a live load has it.
func (s *Store) take(ctx context.Context, t auth.Tenant) (l *Load, err error) {
	s.endSleeper(ctx, t)
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := bounded(ctx, tx); err != nil {
			return err
		}
		current, err := Lock(ctx, tx, t)
		if err != nil {
			return err
		}
		now, err := s.Clock(ctx, tx)
		if err != nil {
			return err
		}
		last, alive, err := leased(ctx, tx, t, now)
		if err != nil || alive {
			return err
		}
		// The DELETE waits for the locks of a load that sleeps in a transaction. Afterwards that load cannot write.
		if _, err := tx.NewRaw(`DELETE FROM leases WHERE tenant_id = ?`, t).Exec(ctx); err != nil {
			return err
		}
		base := current.Last()
		l = &Load{Blocks: s, store: s, tenant: t, base: base, number: NextNumber(max(last, base)), token: rand.Text(), dirty: last > 0}
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

// giveBack gives back a lease that may have been taken although take failed, for example because ctx ended during the
// commit. The commit holds the lock of the tenant's row, so its outcome is known once giveBack has the lock.
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

// leased returns the highest number of the tenant's leases, and whether one of them is alive. A lease that expires
// implausibly late is dead: the clock was set back after its last renewal.
func leased(ctx context.Context, tx bun.Tx, t auth.Tenant, now time.Time) (last int64, alive bool, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT number, expires FROM leases WHERE tenant_id = ?`, t)
	err = Visit(rows, err, "leases", func(rows *sql.Rows) error {
		var number, expires int64
		err := rows.Scan(&number, &expires)
		last, alive = max(last, number), alive || expires > now.UnixMicro() && expires <= now.Add(2*leaseFor).UnixMicro()
		return err
	})
	return last, alive, err
}

// renew renews the lease until the load ends. A renewal that fails is tried again. If the lease expires first and
// another load takes over, the next write returns snapshot.ErrLost.
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

// guard checks in a transaction that the load still has its lease, and that the database has all transactions of the
// load. A standby that was promoted may have the lease and lack the last transactions. The lease stays locked until the
// transaction ends.
func (l *Load) guard(ctx context.Context, tx bun.Tx) error {
	if err := bounded(ctx, tx); err != nil {
		return err
	}
	return l.setTransactions(ctx, tx, l.transactions+1, bun.SafeQuery("transactions = ?", l.transactions))
}

// bounded lets the database end a transaction whose process is stopped between two statements, so that it does not
// block other loads for good. It must be the first statement, before anything is locked.
func bounded(ctx context.Context, tx bun.Tx) error {
	if !handle.Postgres(tx) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = '60s'`)
	return err
}

// setTransactions writes the number of the load's transactions into its lease. The error is snapshot.ErrLost if the
// lease is gone or does not meet the condition, and ErrRemoved if the tenant was removed.
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

// counted counts a guarded transaction that ended with err.
func (l *Load) counted(err error) error {
	if err == nil {
		l.transactions++
	}
	return err
}
