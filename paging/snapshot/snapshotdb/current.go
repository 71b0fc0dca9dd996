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
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Current is what a tenant's row says of its snapshots: which one is current.
type Current struct {
	snapshot.Versions
	// From is since when the facts are current, zero before the first load.
	From time.Time
	// Next are facts that wait for their time, NextFrom; 0 is none (L1).
	Next     int64
	NextFrom time.Time
	// Erasures grows with each erasure: see Erased.
	Erasures int64
}

// Last is the number of the last load that was committed, whether its facts are current yet or wait.
func (c Current) Last() int64 { return max(c.Facts, c.Next) }

// At returns what is current at a time: facts whose time has come are the present ones.
func (c Current) At(now time.Time) Current {
	if c.Next == 0 || c.NextFrom.After(now) {
		return c
	}
	c.Facts, c.From, c.Next, c.NextFrom = c.Next, c.NextFrom, 0, time.Time{}
	return c
}

// NextNumber returns a number for what comes after a version or a load.
func NextNumber(after int64) int64 {
	return max(after, snapshot.First) + 1 + rand.Int64N(snapshot.Step)
}

// CurrentColumns are the columns of versions that Current.Fields are read from.
const CurrentColumns = `registers, facts, facts_from, next_facts, next_from, erasures`

// Lock makes this transaction the only writer of the tenant's row until it ends and returns what is current. Readers do not
// wait. It is the first statement of a transaction that writes a tenant's registers. The error is ErrRemoved where
// there is no such tenant any more.
//
// On SQLite a transaction that is begun to write has the whole file to itself already.
func Lock(ctx context.Context, tx bun.IDB, t auth.Tenant) (Current, error) {
	lock := ``
	if handle.Postgres(tx) {
		lock = ` FOR UPDATE`
	}
	return readCurrent(ctx, tx, t, lock)
}

// ReadCurrent returns what is current of a tenant, or ErrRemoved. Facts that wait may be due: see Current.At.
func ReadCurrent(ctx context.Context, db bun.IDB, t auth.Tenant) (Current, error) {
	return readCurrent(ctx, db, t, ``)
}

func readCurrent(ctx context.Context, db bun.IDB, t auth.Tenant, lock string) (c Current, err error) {
	err = db.QueryRowContext(ctx, `SELECT `+CurrentColumns+` FROM versions WHERE tenant_id = ?`+lock, t).Scan(c.Fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrRemoved
	}
	if err != nil {
		return Current{}, fmt.Errorf("versions of tenant %d: %w", t, err)
	}
	return c, nil
}

// Fields are where CurrentColumns are read into.
func (c *Current) Fields() []any {
	return []any{&c.Registers, &c.Facts, (*instant)(&c.From), &c.Next, (*instant)(&c.NextFrom), &c.Erasures}
}

// instant is a time as it is stored: microseconds since 1970, 0 for the zero time.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(value any) error {
	us, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is no instant", value)
	}
	*i = instant{}
	if us != 0 {
		*i = instant(time.UnixMicro(us).UTC())
	}
	return nil
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Publish makes c what is current of the tenant, in a transaction that has locked its row, and notes the snapshot among those that
// there were. now is when it begins.
func (c Current) Publish(ctx context.Context, tx bun.IDB, t auth.Tenant, now time.Time) error {
	_, err := tx.NewRaw(`
		UPDATE versions
		   SET registers = ?, facts = ?, facts_from = ?, next_facts = ?, next_from = ?
		 WHERE tenant_id = ?`, c.Registers, c.Facts, micros(c.From), c.Next, micros(c.NextFrom), t).Exec(ctx)
	if err == nil {
		_, err = tx.NewRaw(`
			INSERT INTO snapshots (tenant_id, registers, facts, facts_from, began)
			VALUES (?, ?, ?, ?, ?)
			    ON CONFLICT DO NOTHING`, t, c.Registers, c.Facts, micros(c.From), micros(now)).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("states of tenant %d: %w", t, err)
	}
	return nil
}

// WasVersion reports whether a version of the registers was one of the tenant's, as far as its states are kept: one that a failover
// lost was not.
func WasVersion(ctx context.Context, db bun.IDB, t auth.Tenant, registers int64) (was bool, err error) {
	err = db.NewRaw(`SELECT EXISTS (SELECT 1 FROM snapshots WHERE tenant_id = ? AND registers = ?)`, t, registers).Scan(ctx, &was)
	if err != nil {
		return false, fmt.Errorf("states of tenant %d: %w", t, err)
	}
	return was, nil
}

// PublishDue makes facts current whose time has come by now, if nobody has done so, and returns what is current then. c is what was
// read of the tenant: nothing is asked where nothing of it is due. It is called before anything is answered from them: what was served
// stays served (L1).
func (c Current) PublishDue(ctx context.Context, db bun.IDB, t auth.Tenant, now time.Time) (Current, error) {
	if c.At(now) == c {
		return c, nil
	}
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
		if c, err = Lock(ctx, tx, t); err != nil || c.At(now) == c {
			return err
		}
		c = c.At(now)
		return c.Publish(ctx, tx, t, now)
	})
	return c, err
}

// LastPublished returns when the last state of any of some tenants began, the zero time where that is not known of any.
func LastPublished(ctx context.Context, db bun.IDB, of ...auth.Tenant) (time.Time, error) {
	var us sql.NullInt64
	if err := db.NewRaw(`SELECT max(began) FROM snapshots WHERE tenant_id IN (?)`, bun.List(of)).Scan(ctx, &us); err != nil {
		return time.Time{}, fmt.Errorf("last state: %w", err)
	}
	if us.Int64 == 0 {
		return time.Time{}, nil
	}
	return time.UnixMicro(us.Int64).UTC(), nil
}
