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

// Current is what a tenant's row says of its snapshots: which one is current, and which one is next.
type Current struct {
	snapshot.Versions
	// From is when the facts became current, zero before the first load.
	From time.Time
	// Next is the number of a load whose facts become current at NextFrom (L1). Zero means that none waits.
	Next     int64
	NextFrom time.Time
	// Erasures grows with each erasure: see Erased.
	Erasures int64
}

// Last returns the number of the last load that was published, even if its facts are not current yet.
func (c Current) Last() int64 { return max(c.Facts, c.Next) }

// At returns what is current at a time: facts that are due by then replace the current ones.
func (c Current) At(now time.Time) Current {
	if c.Next == 0 || c.NextFrom.After(now) {
		return c
	}
	c.Facts, c.From, c.Next, c.NextFrom = c.Next, c.NextFrom, 0, time.Time{}
	return c
}

// NextNumber returns a number for the version or load that follows another.
func NextNumber(after int64) int64 {
	return max(after, snapshot.First) + 1 + rand.Int64N(snapshot.Step)
}

// CurrentColumns are the columns of versions that are scanned into Current.Fields.
const CurrentColumns = `registers, facts, facts_from, next_facts, next_from, erasures`

// Lock makes this transaction the only writer of the tenant's row until it ends, and returns what is current. Readers
// do not wait. A transaction that writes a tenant's tables begins with it. The error is ErrRemoved if the tenant was
// removed.
//
// On SQLite a transaction that writes has the whole file to itself already.
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

// Fields returns the destinations of CurrentColumns.
func (c *Current) Fields() []any {
	return []any{&c.Registers, &c.Facts, (*instant)(&c.From), &c.Next, (*instant)(&c.NextFrom), &c.Erasures}
}

// instant is a time as it is stored: microseconds since 1970, 0 for the zero time.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(value any) error {
	us, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is not an instant", value)
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

// Publish makes c current, in a transaction that has locked the tenant's row, and records the snapshot with its
// beginning, now.
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
	return ofTenant(t, "publish a snapshot", err)
}

// WasVersion reports whether a version of the tables was the tenant's and is still retained. A version lost in a
// failover was not.
func WasVersion(ctx context.Context, db bun.IDB, t auth.Tenant, registers int64) (was bool, err error) {
	err = db.NewRaw(`SELECT EXISTS (SELECT 1 FROM snapshots WHERE tenant_id = ? AND registers = ?)`, t, registers).Scan(ctx, &was)
	return was, ofTenant(t, "snapshots", err)
}

// PublishDue publishes facts that are due by now, unless another process has, and returns what is current then. c is
// what was read of the tenant: the database is asked only if something is due. Call it before an answer is computed
// from c, since facts that a client has seen must stay current (L1).
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

// LastPublished returns when the latest snapshot of some tenants began, or the zero time if none has one.
func LastPublished(ctx context.Context, db bun.IDB, of ...auth.Tenant) (time.Time, error) {
	var at instant
	if err := db.NewRaw(`SELECT coalesce(max(began), 0) FROM snapshots WHERE tenant_id IN (?)`, bun.List(of)).Scan(ctx, &at); err != nil {
		return time.Time{}, fmt.Errorf("latest snapshot: %w", err)
	}
	return time.Time(at), nil
}
