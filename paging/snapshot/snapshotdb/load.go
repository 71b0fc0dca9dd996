package snapshotdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

const (
	// sqliteTransaction bounds a load's transaction on SQLite, for which others wait to write. A shorter one would cost more: each
	// transaction writes every page again that it shares with the one before.
	sqliteTransaction = 200 * time.Millisecond
	// sqlitePause is between two of them, for other processes to come in: they ask each millisecond.
	sqlitePause = 2 * time.Millisecond
	// postgresTransaction bounds a transaction on PostgreSQL, which locks out nobody.
	postgresTransaction = 5 * time.Second
)

// Load is a load under way: a snapshot.Writer. Its methods are not for use by several goroutines at once, but for Scan.
type Load struct {
	store        *Store
	tenant       auth.Tenant
	number       int64
	base         int64 // the last number that was committed
	token        string
	transactions int64  // its transactions that were committed, but for those before an undo
	dirty        bool   // there may be rows above the base
	held         bool   // it was made to hold
	feed         string // see SetFeed

	stop context.CancelFunc // of the renewal
	done sync.WaitGroup
}

// Number is what the rows of the load carry, and the number of its state.
func (l *Load) Number() int64 { return l.number }

// Alone runs f in a short transaction that has the tenant's row to itself, so that nobody writes its registers meanwhile; h is
// what holds then.
func (l *Load) Exclusive(ctx context.Context, f func(ctx context.Context, tx bun.Tx, now time.Time, h Current) error) error {
	err := l.store.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := bounded(ctx, tx); err != nil {
			return err
		}
		h, err := Lock(ctx, tx, l.tenant)
		if err != nil {
			return err
		}
		if err := l.guard(ctx, tx); err != nil {
			return err
		}
		now, err := l.store.Clock(ctx, tx)
		if err != nil {
			return err
		}
		return f(ctx, tx, now, h.At(now))
	})
	return ofTenant(l.tenant, l.counted(err))
}

// Write implements snapshot.Writer, in as many transactions as it takes to let other writers in. The error is snapshot.ErrLost where
// another load has taken over.
func (l *Load) Write(ctx context.Context, changes ...snapshot.Change) error {
	l.dirty = true
	w := &writing{Load: l}
	for _, c := range byTable(changes) {
		w.add(c)
	}
	defer w.stop()
	for len(w.todo) > 0 {
		if err := l.counted(l.store.inTransaction(ctx, w.transaction)); err != nil {
			return fmt.Errorf("load %d of tenant %d: %w", l.number, l.tenant, err)
		}
	}
	return nil
}

// byTable makes one change of all those of a table: each is a statement of its own at least.
func byTable(changes []snapshot.Change) (all []snapshot.Change) {
	puts := map[*snapshot.Table][]iter.Seq[[]any]{}
	for _, c := range changes {
		i := slices.IndexFunc(all, func(a snapshot.Change) bool { return a.Table == c.Table })
		if i < 0 {
			i, all = len(all), append(all, snapshot.Change{Table: c.Table})
		}
		all[i].Gone = append(all[i].Gone, c.Gone...)
		if c.Put != nil {
			puts[c.Table] = append(puts[c.Table], c.Put)
		}
	}
	for i, c := range all {
		slices.SortFunc(c.Gone, slices.Compare)
		if each := puts[c.Table]; len(each) > 0 {
			all[i].Put = func(yield func([]any) bool) {
				for _, put := range each {
					for row := range put {
						if !yield(row) {
							return
						}
					}
				}
			}
		}
	}
	return all
}

// writing is one call of Write.
type writing struct {
	*Load
	todo  []func(ctx context.Context, conn bun.Conn, tx bun.Tx, ends time.Time) (done bool, err error)
	stops []func()
}

func (w *writing) stop() {
	for _, f := range w.stops {
		f()
	}
}

// transaction does what can be done in one transaction.
func (w *writing) transaction(ctx context.Context, conn bun.Conn, tx bun.Tx) error {
	if err := w.guard(ctx, tx); err != nil {
		return err
	}
	ends := time.Now().Add(postgresTransaction)
	if !handle.Postgres(conn) {
		ends = time.Now().Add(sqliteTransaction)
	}
	for len(w.todo) > 0 && time.Now().Before(ends) {
		done, err := w.todo[0](ctx, conn, tx, ends)
		if err != nil {
			return err
		}
		if done {
			w.todo = w.todo[1:]
		}
	}
	return nil
}

// add puts a change among what is to be done.
func (w *writing) add(c snapshot.Change) {
	gone := c.Gone
	if len(gone) > 0 {
		w.todo = append(w.todo, func(ctx context.Context, _ bun.Conn, tx bun.Tx, _ time.Time) (bool, error) {
			n := min(chunk, len(gone))
			err := w.close(ctx, tx, c.Table, gone[:n])
			gone = gone[n:]
			return len(gone) == 0, err
		})
	}
	if c.Put == nil {
		return
	}
	next, stop := iter.Pull(c.Put)
	w.stops = append(w.stops, stop)
	columns := columns(c.Table)
	ended := false
	w.todo = append(w.todo, func(ctx context.Context, conn bun.Conn, _ bun.Tx, ends time.Time) (bool, error) {
		row := make([]any, len(columns))
		_, err := w.store.Copy(ctx, conn, c.Table.Name, columns, func(yield func([]any) bool) {
			for n := 1; ; n++ {
				values, ok := next()
				if ended = !ok; ended {
					return
				}
				fill(row, c.Table, w.tenant, w.number, values)
				if !yield(row) || n%64 == 0 && time.Now().After(ends) {
					return
				}
			}
		})
		return ended, err
	})
}

// close takes rows out of the state.
func (l *Load) close(ctx context.Context, tx bun.Tx, t *snapshot.Table, keys [][]int64) error {
	_, err := tx.NewRaw(`UPDATE ? SET until = ? WHERE tenant_id = ? AND until = ? AND ?`,
		bun.Ident(t.Name), l.number, l.tenant, snapshot.Open, keyed(t, keys)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("replace rows of %s: %w", t.Name, err)
	}
	return nil
}

// Hold is the load's last step, one transaction that has the tenant's row to itself: f writes what belongs to it, and says
// in h, which has what holds, what is to hold; its error undoes the step, and Hold may be called again.
func (l *Load) Publish(ctx context.Context, f func(ctx context.Context, tx bun.Tx, now time.Time, h *Current) error) (h Current, err error) {
	err = l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, held Current) error {
		h = held
		if err := f(ctx, tx, now, &h); err != nil {
			return err
		}
		if err := h.Publish(ctx, tx, l.tenant, now); err != nil {
			return err
		}
		if err := l.noteFeed(ctx, tx); err != nil {
			return err
		}
		return l.deleteLease(ctx, tx)
	})
	if err != nil {
		return Current{}, err
	}
	l.held = true
	return h, nil
}

// Close ends a load. What was not made to hold is undone and the lease given back, and of what was, what only loads read of the
// former state is removed; where that fails, the next load does it.
func (l *Load) Close(ctx context.Context) error {
	l.stop()
	l.done.Wait()
	if l.held {
		return l.store.clearUnread(ctx, l.tenant)
	}
	if err := l.undo(ctx); err != nil {
		return err
	}
	return ofTenant(l.tenant, l.deleteLease(ctx, l.store.DB))
}

// Drop withdraws what waits for its time of a tenant, and returns what its row said; Next is 0 where nothing waited. While a
// load lives it waits for that, as Begin does. What was erased stays erased.
func (s *Store) Drop(ctx context.Context, t auth.Tenant, waiting func()) (was Current, err error) {
	l, err := s.Begin(ctx, t, waiting)
	if err != nil {
		return Current{}, err
	}
	defer func() { err = errors.Join(err, l.Close(context.WithoutCancel(ctx))) }() // which undoes what is above the base
	err = l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h Current) error {
		was = h
		h.Next, h.NextFrom = 0, time.Time{}
		return h.Publish(ctx, tx, t, now)
	})
	if err != nil {
		return Current{}, err
	}
	l.base, l.dirty = was.Facts, was.Next > 0
	return was, nil
}

// Undo removes what the load has written so far. The load can then write from the start.
func (l *Load) Undo(ctx context.Context) error { return l.undo(ctx) }

// undo undoes every number above the one that the load builds on, while it has the lease: its own rows, and those of loads
// that died.
func (l *Load) undo(ctx context.Context) error {
	if !l.dirty {
		return nil
	}
	// All of it is removed, whether or not the database has each part.
	if err := l.setTransactions(ctx, l.store.DB, 0, bun.SafeQuery("TRUE")); err != nil {
		return err
	}
	l.transactions = 0
	for _, t := range l.store.tables() {
		err := l.store.sweep(ctx, t, l.tenant, bun.SafeQuery("since > ?", l.base), func(rows []versioned) error {
			return l.guarded(ctx, func(ctx context.Context, tx bun.Tx) error { return deleteRows(ctx, tx, t, l.tenant, rows) })
		})
		if err == nil {
			err = l.reopen(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("undo a load of tenant %d: %w", l.tenant, err)
		}
	}
	l.dirty = false
	return nil
}

// reopen opens what was closed by a number above the one that the load builds on.
func (l *Load) reopen(ctx context.Context, t *snapshot.Table) error {
	closed := bun.SafeQuery("until > ? AND until < ?", l.base, snapshot.Open)
	return l.store.sweep(ctx, t, l.tenant, closed, func(rows []versioned) error {
		return l.guarded(ctx, func(ctx context.Context, tx bun.Tx) error {
			keys := make([][]int64, len(rows))
			for i, r := range rows {
				keys[i] = r.key
			}
			_, err := tx.NewRaw(`UPDATE ? SET until = ? WHERE tenant_id = ? AND ? AND ?`,
				bun.Ident(t.Name), snapshot.Open, l.tenant, closed, keyed(t, keys)).Exec(ctx)
			return err
		})
	})
}

// LastFeed returns the digest of the feed that was loaded last into a tenant, or "" where none was.
func (s *Store) LastFeed(ctx context.Context, t auth.Tenant) (digest string, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT files FROM feeds WHERE tenant_id = ?`, t).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return digest, ofTenant(t, err)
}

// LastFeed returns the digest of the feed that was loaded before this load.
func (l *Load) LastFeed(ctx context.Context) (string, error) { return l.store.LastFeed(ctx, l.tenant) }

// SetFeed says of which feed the load is, by a digest of its files. The last step writes that.
func (l *Load) SetFeed(digest string) { l.feed = digest }

// NoteFeed writes that the feed was loaded, where the load changes nothing and has no last step.
func (l *Load) NoteFeed(ctx context.Context) error {
	return l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, _ time.Time, _ Current) error { return l.noteFeed(ctx, tx) })
}

func (l *Load) noteFeed(ctx context.Context, tx bun.Tx) error {
	if l.feed == "" {
		return nil
	}
	_, err := tx.NewRaw(`INSERT INTO feeds (tenant_id, files) VALUES (?, ?) ON CONFLICT (tenant_id) DO UPDATE SET files = excluded.files`, l.tenant, l.feed).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note the feed: %w", err)
	}
	return nil
}

// Tenant implements snapshot.Writer.
func (l *Load) Tenant() auth.Tenant { return l.tenant }

// Base implements snapshot.Writer.
func (l *Load) Base() int64 { return l.base }

// Scan implements snapshot.Blocks.
func (l *Load) Scan(ctx context.Context, t auth.Tenant, number int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return l.store.Scan(ctx, t, number, k, r, visit)
}

var _ snapshot.Writer = (*Load)(nil)
