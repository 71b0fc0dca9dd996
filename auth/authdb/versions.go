package authdb

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
	"github.com/lectern-dev/lectern/paging/state"
)

// Versions name one state of a tenant's data (G8). They only grow: equal versions mean equal data.
type Versions struct {
	Registers int64 // entities, accounts, …: raised by each write of the directory, and by a load that changes them
	Facts     int64 // the number of the load that made them; 0 before the first
}

// Held is what a tenant's row says of its states.
type Held struct {
	Versions
	// From is when the facts began to hold, zero before the first load.
	From time.Time
	// Next are facts that wait for their time, NextFrom; 0 is none (L1).
	Next     int64
	NextFrom time.Time
	// Oldest is the oldest state that is kept.
	Oldest Versions
	// Erasures grows with each erasure: see Erased.
	Erasures int64
}

// Last is the number of the last load that was committed, whether its facts hold yet or wait.
func (h Held) Last() int64 { return max(h.Facts, h.Next) }

// At returns what holds at a time: facts whose time has come are the present ones.
func (h Held) At(now time.Time) Held {
	if h.Next == 0 || h.NextFrom.After(now) {
		return h
	}
	h.Facts, h.From, h.Next, h.NextFrom = h.Next, h.NextFrom, 0, time.Time{}
	return h
}

// NextNumber returns a number for what comes after a version or a load.
func NextNumber(after int64) int64 { return max(after, state.First) + 1 + rand.Int64N(state.Step) }

// HeldColumns are the columns of versions that Held.Fields are read from.
const HeldColumns = `registers, facts, held_from, next_facts, next_from, oldest_registers, oldest_facts, erasures`

// Lock makes this transaction the only writer of the tenant's row until it ends and returns what holds. Readers do not
// wait. It is the first statement of a transaction that writes a tenant's registers. The error is ErrRemoved where
// there is no such tenant any more.
//
// On SQLite a transaction that is begun to write has the whole file to itself already.
func Lock(ctx context.Context, tx bun.IDB, t auth.Tenant) (Held, error) {
	lock := ``
	if handle.Postgres(tx) {
		lock = ` FOR UPDATE`
	}
	return readHeld(ctx, tx, t, lock)
}

// ReadHeld returns what holds of a tenant, or ErrRemoved. Facts that wait may be due: see Held.At.
func ReadHeld(ctx context.Context, db bun.IDB, t auth.Tenant) (Held, error) {
	return readHeld(ctx, db, t, ``)
}

func readHeld(ctx context.Context, db bun.IDB, t auth.Tenant, lock string) (h Held, err error) {
	err = db.QueryRowContext(ctx, `SELECT `+HeldColumns+` FROM versions WHERE tenant_id = ?`+lock, t).Scan(h.Fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrRemoved
	}
	if err != nil {
		return Held{}, fmt.Errorf("versions of tenant %d: %w", t, err)
	}
	return h, nil
}

// Fields are where HeldColumns are read into.
func (h *Held) Fields() []any {
	return []any{
		&h.Registers, &h.Facts, (*instant)(&h.From), &h.Next, (*instant)(&h.NextFrom), &h.Oldest.Registers, &h.Oldest.Facts,
		&h.Erasures,
	}
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

// Hold makes h the state of the tenant, in a transaction that has locked its row, and notes the state among those that were.
// now is when it begins.
func (h Held) Hold(ctx context.Context, tx bun.IDB, t auth.Tenant, now time.Time) error {
	_, err := tx.NewRaw(`
		UPDATE versions
		   SET registers = ?, facts = ?, held_from = ?, next_facts = ?, next_from = ?
		 WHERE tenant_id = ?`, h.Registers, h.Facts, micros(h.From), h.Next, micros(h.NextFrom), t).Exec(ctx)
	if err == nil {
		_, err = tx.NewRaw(`
			INSERT INTO states (tenant_id, registers, facts, held_from, began)
			VALUES (?, ?, ?, ?, ?)
			    ON CONFLICT DO NOTHING`, t, h.Registers, h.Facts, micros(h.From), micros(now)).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("states of tenant %d: %w", t, err)
	}
	return nil
}

// WasVersion reports whether a version of the registers was one of the tenant's, as far as its states are kept: one that a failover
// lost was not.
func WasVersion(ctx context.Context, db bun.IDB, t auth.Tenant, registers int64) (was bool, err error) {
	err = db.NewRaw(`SELECT EXISTS (SELECT 1 FROM states WHERE tenant_id = ? AND registers = ?)`, t, registers).Scan(ctx, &was)
	if err != nil {
		return false, fmt.Errorf("states of tenant %d: %w", t, err)
	}
	return was, nil
}

// HoldDue makes facts hold whose time has come by now, if nobody has done so, and returns what holds then. It is called by
// whoever first sees that they are due, before anything is answered from them: what was served stays served (L1).
func HoldDue(ctx context.Context, db bun.IDB, t auth.Tenant, now time.Time) (h Held, err error) {
	err = db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if h, err = Lock(ctx, tx, t); err != nil {
			return err
		}
		due := h.At(now)
		if due == h {
			return nil
		}
		h = due
		return h.Hold(ctx, tx, t, now)
	})
	return h, err
}

// LastState returns when the last state of any of some tenants began, the zero time where that is not known of any.
func LastState(ctx context.Context, db bun.IDB, of ...auth.Tenant) (time.Time, error) {
	var us sql.NullInt64
	if err := db.NewRaw(`SELECT max(began) FROM states WHERE tenant_id IN (?)`, bun.List(of)).Scan(ctx, &us); err != nil {
		return time.Time{}, fmt.Errorf("last state: %w", err)
	}
	if us.Int64 == 0 {
		return time.Time{}, nil
	}
	return time.UnixMicro(us.Int64).UTC(), nil
}
