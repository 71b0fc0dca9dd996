package librariesdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

// ErrOvertaken is returned by Save when the network's data changed since the state was read: the load must be settled
// anew against the present state.
var ErrOvertaken = errors.New("the network's data changed while the feed was read")

// ErrNotBegun is returned by Save where its transaction could not begin: nothing of the pile is used up, and Save may be
// called again.
var ErrNotBegun = errors.New("the load could not begin to write")

// SaveOptions say how a load is saved. The zero SaveOptions publish at once.
type SaveOptions struct {
	// Publish is called when all is written and returns the hour that the load is published as (L1). It may wait for that
	// hour: nothing is visible before it returns. An error undoes the load. Nil is the hour that it is.
	Publish func(ctx context.Context) (libraries.Hour, error)
	// Progress, if not nil, is told the steps that are done, one after the other: 0 as soon as the load has its turn to write.
	Progress func(done, total int)
	// TempDir is where temporary files go; empty is the system's place.
	TempDir string
	// MemoryLimit bounds the bytes that wait for their day in memory, by default 64 MiB; what is more goes to files. The
	// parts of the pile that are folded and written at one time come besides, three of 256, and later as many days.
	MemoryLimit int
}

// Saved says what a load wrote.
type Saved struct {
	New, Repeated int // events and requests; a repeated one was loaded before (F1)
	Requests      int // those of the new ones that are suggestion requests
	Readers       ReaderCounts
	Hour          libraries.Hour // at which it was published
	Versions      state.Versions
}

// count adds what a part of the pile counts.
func (s *Saved) count(part Saved) {
	s.New += part.New
	s.Repeated += part.Repeated
	s.Requests += part.Requests
	s.Readers.add(part.Readers)
}

// ReaderCounts counts the readers who have a row in the feed, by what that row did. One that the store has a later row of
// is Superseded (F1).
type ReaderCounts struct{ New, Changed, Unchanged, Superseded int }

func (c *ReaderCounts) add(n ReaderCounts) {
	c.New += n.New
	c.Changed += n.Changed
	c.Unchanged += n.Unchanged
	c.Superseded += n.Superseded
}

// Save writes a settled feed in one transaction (F2), publishes it, and raises both versions with its last statement: also
// where nothing is new, for the hour is. It holds the network's row from the first statement on, so that loads of the
// network follow one another; readers go on with the state before. The pile is used up by a call that gets that far, and
// is the caller's to close. The errors are ErrOvertaken, that of Publish, and those of the database.
func (s *Store) Save(ctx context.Context, network libraries.NetworkID, in *libraries.Intake, pile *libraries.Pile, o SaveOptions) (Saved, error) {
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return Saved{}, err
	}
	defer conn.Close()
	restore, err := withPageCache(ctx, conn)
	if err != nil {
		return Saved{}, err
	}
	defer restore()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return Saved{}, fmt.Errorf("%w: %w", ErrNotBegun, err)
	}
	defer tx.Rollback()
	v, err := authdb.Lock(ctx, tx, auth.Tenant(network))
	if err != nil {
		return Saved{}, err
	}
	if (state.Versions{Registers: v.Registers, Facts: v.Facts}) != in.State.At {
		return Saved{}, ErrOvertaken
	}
	l := &load{Store: s, network: network, conn: conn, tx: tx, SaveOptions: o, empty: in.State.Hour == 0, pile: pile, changes: holdingChanges{}}
	if o.Progress != nil {
		o.Progress(0, 2*spill.Parts)
	}
	l.aside.pile.Dir, l.aside.pile.Limit = o.TempDir, o.MemoryLimit
	defer l.aside.pile.Close()
	if err := l.run(ctx, in); err != nil {
		return Saved{}, err
	}
	if err := tx.Commit(); err != nil {
		return Saved{}, err
	}
	s.settle(ctx, l.empty)
	return l.saved, nil
}

// settle does what is due after a load; the load stands whatever becomes of it. On SQLite the journal is written into the
// database: what was erased is gone then. On PostgreSQL statistics are gathered after a network's first load: until the
// server does so by itself, it takes tables that were just filled for empty ones and reads them whole. SQLite's are given by
// a migration.
func (s *Store) settle(ctx context.Context, first bool) {
	switch {
	case s.WritesAlone():
		_, _ = s.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	case first:
		_, _ = s.DB.ExecContext(ctx, `ANALYZE libraries_loans, libraries_readers, libraries_shelves, libraries_reservations, libraries_seen`)
	}
}

// load is one load under way. What was folded before is read on connections of its own: each row that is read so is read
// before the load's transaction changes it, and once, for the parts of a pile share no reader, no block and no group of
// readers, and days come after the parts.
type load struct {
	*Store
	SaveOptions
	network libraries.NetworkID
	conn    bun.Conn
	tx      bun.Tx
	empty   bool // nothing was loaded before: there is nothing to read and nothing to replace

	piles sync.Mutex // of pile, and of aside while it is emptied: neither is for several goroutines at once
	pile  *libraries.Pile
	aside aside

	sheaves sync.Pool // of *sheaf

	changes holdingChanges
	saved   Saved
	done    int // steps
}

// run writes everything: the catalogue, the pile part by part, the days, which all parts share, and the network's row.
func (l *load) run(ctx context.Context, in *libraries.Intake) error {
	if err := l.putRegisters(ctx, in); err != nil {
		return err
	}
	if err := assembly(ctx, spill.Parts, l.fold, l.write); err != nil {
		return err
	}
	if err := assembly(ctx, spill.Parts, l.merge, l.writeDays); err != nil {
		return err
	}
	return l.publish(ctx)
}

// step tells the progress: a step is a part of the pile or of the days.
func (l *load) step() {
	if l.done++; l.Progress != nil {
		l.Progress(l.done, 2*spill.Parts)
	}
}

// publish writes the network's row for the hour at which the load takes effect, and raises the versions.
func (l *load) publish(ctx context.Context) error {
	had, err := l.holdings(ctx, l.tx, l.network)
	if err != nil {
		return err
	}
	now, err := had.Add(l.changes.list())
	if err != nil {
		return err
	}
	if l.saved.Hour, err = l.hourOf(ctx); err != nil {
		return err
	}
	_, err = l.tx.NewRaw(`UPDATE libraries_networks SET hour = ?, holdings = ? WHERE tenant_id = ?`,
		l.saved.Hour, now.AppendBinary(nil), l.network).Exec(ctx)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	h, err := authdb.Lock(ctx, l.tx, auth.Tenant(l.network))
	if err != nil {
		return err
	}
	h.Registers, h.Facts, h.From = authdb.NextNumber(h.Registers), authdb.NextNumber(h.Facts), l.saved.Hour.Time()
	l.saved.Versions = state.Versions(h.Versions)
	return authdb.Hold(ctx, l.tx, auth.Tenant(l.network), h, time.Now())
}

// hourOf returns the hour at which the load takes effect, perhaps after a wait for it.
func (l *load) hourOf(ctx context.Context) (libraries.Hour, error) {
	if l.Publish == nil {
		return libraries.HourOf(time.Now()), nil
	}
	return l.Publish(ctx)
}
