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
	// sqliteTransaction bounds a load's transaction on SQLite, which blocks all other writers. A shorter one costs
	// more: each transaction writes every page again that it shares with the one before.
	sqliteTransaction = 200 * time.Millisecond
	// sqlitePause lets writers of other processes in between two transactions: they try again each millisecond.
	sqlitePause = 2 * time.Millisecond
	// postgresTransaction bounds a transaction on PostgreSQL, which blocks nobody.
	postgresTransaction = 5 * time.Second
)

// Load is a load under way: a snapshot.Writer. It must not be used by several goroutines at once, except to read Blocks.
type Load struct {
	snapshot.Blocks
	// Feed, if not empty, is a digest of the loaded files. Publish records it: see LastFeed.
	Feed string

	store        *Store
	tenant       auth.Tenant
	number       int64
	base         int64 // number of the last load that was published
	token        string
	transactions int64 // committed since the load began, or since Undo
	dirty        bool  // there may be rows above the base
	published    bool

	stop context.CancelFunc // of the renewal
	done sync.WaitGroup
}

var _ snapshot.Writer = (*Load)(nil)

// Number returns the number of the load, which its rows carry and which names its facts.
func (l *Load) Number() int64 { return l.number }

// Tenant implements snapshot.Writer.
func (l *Load) Tenant() auth.Tenant { return l.tenant }

// Base implements snapshot.Writer.
func (l *Load) Base() int64 { return l.base }

// Exclusive runs f in a short transaction that has locked the tenant's row, so that nobody else writes the tenant's
// tables. current is what is current then.
func (l *Load) Exclusive(ctx context.Context, f func(ctx context.Context, tx bun.Tx, now time.Time, current Current) error) error {
	err := l.store.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := bounded(ctx, tx); err != nil {
			return err
		}
		current, err := Lock(ctx, tx, l.tenant)
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
		return f(ctx, tx, now, current.At(now))
	})
	return ofTenant(l.tenant, "load", l.counted(err))
}

// Write implements snapshot.Writer. It takes several transactions, so that other writers get in between. The error is
// snapshot.ErrLost if another load has taken over.
func (l *Load) Write(ctx context.Context, changes ...snapshot.Change) error {
	l.dirty = true
	todo := byTable(changes)
	for _, c := range todo {
		defer c.stop()
	}
	for len(todo) > 0 {
		err := l.counted(l.store.inTransaction(ctx, func(ctx context.Context, conn bun.Conn, tx bun.Tx) (err error) {
			todo, err = l.write(ctx, conn, tx, todo)
			return err
		}))
		if err != nil {
			return fmt.Errorf("load %d of tenant %d: %w", l.number, l.tenant, err)
		}
	}
	return nil
}

// tableChange is what a load changes in one table, and has not written yet.
type tableChange struct {
	*snapshot.Table
	deleted [][]int64
	puts    []iter.Seq[[]any]
	next    func() ([]any, bool) // of all puts
	stop    func()
}

// byTable joins the changes of each table: a change takes a statement at least.
func byTable(changes []snapshot.Change) (all []*tableChange) {
	for _, c := range changes {
		if len(c.Deleted) == 0 && c.Put == nil {
			continue
		}
		i := slices.IndexFunc(all, func(t *tableChange) bool { return t.Table == c.Table })
		if i < 0 {
			i, all = len(all), append(all, &tableChange{Table: c.Table})
		}
		all[i].deleted = append(all[i].deleted, c.Deleted...)
		if c.Put != nil {
			all[i].puts = append(all[i].puts, c.Put)
		}
	}
	for _, t := range all {
		slices.SortFunc(t.deleted, slices.Compare)
		t.next, t.stop = iter.Pull(func(yield func([]any) bool) {
			for _, put := range t.puts {
				for row := range put {
					if !yield(row) {
						return
					}
				}
			}
		})
	}
	return all
}

// write writes as much as one transaction may take, and returns what is left.
func (l *Load) write(ctx context.Context, conn bun.Conn, tx bun.Tx, todo []*tableChange) ([]*tableChange, error) {
	if err := l.guard(ctx, tx); err != nil {
		return todo, err
	}
	ends := time.Now().Add(postgresTransaction)
	if !handle.Postgres(conn) {
		ends = time.Now().Add(sqliteTransaction)
	}
	for len(todo) > 0 && time.Now().Before(ends) {
		c := todo[0]
		var err error
		if n := min(chunk, len(c.deleted)); n > 0 {
			err = l.close(ctx, tx, c.Table, c.deleted[:n])
			c.deleted = c.deleted[n:]
		} else {
			err = l.put(ctx, conn, c, ends)
		}
		if err != nil {
			return todo, err
		}
		if len(c.deleted)+len(c.puts) == 0 {
			todo = todo[1:]
		}
	}
	return todo, nil
}

// close takes rows out of the snapshot.
func (l *Load) close(ctx context.Context, tx bun.Tx, t *snapshot.Table, keys [][]int64) error {
	_, err := tx.NewRaw(`UPDATE ? SET until = ? WHERE tenant_id = ? AND until = ? AND ?`,
		bun.Ident(t.Name), l.number, l.tenant, snapshot.Open, keyed(t.Key, keys)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("replace rows of %s: %w", t.Name, err)
	}
	return nil
}

// put copies rows into their table until a time. After the last row the change has no puts.
func (l *Load) put(ctx context.Context, conn bun.Conn, c *tableChange, ends time.Time) error {
	columns := columns(c.Table)
	row := make([]any, len(columns))
	_, err := l.store.Copy(ctx, conn, c.Name, columns, func(yield func([]any) bool) {
		for n := 1; ; n++ {
			values, ok := c.next()
			if !ok {
				c.puts = nil
				return
			}
			fill(row, c.Table, l.tenant, l.number, values)
			if !yield(row) || n%64 == 0 && time.Now().After(ends) {
				return
			}
		}
	})
	return err
}

// Publish is the load's last step, one transaction that has locked the tenant's row: f writes what belongs to it, and
// sets in current what is to be current. An error of f undoes the step, and Publish may be called again.
func (l *Load) Publish(ctx context.Context, f func(ctx context.Context, tx bun.Tx, now time.Time, current *Current) error) (Current, error) {
	var current Current
	err := l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, was Current) error {
		current = was
		if err := f(ctx, tx, now, &current); err != nil {
			return err
		}
		if err := current.Publish(ctx, tx, l.tenant, now); err != nil {
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
	l.published = true
	return current, nil
}

// Close ends a load. An unpublished load is undone and gives its lease back. After a published one, Close removes
// superseded blocks that only loads read. If either fails, the next load does it.
func (l *Load) Close(ctx context.Context) error {
	l.stop()
	l.done.Wait()
	if l.published {
		return l.store.clearLoadsOnly(ctx, l.tenant)
	}
	if err := l.Undo(ctx); err != nil {
		return err
	}
	return ofTenant(l.tenant, "end a load", l.deleteLease(ctx, l.store.DB))
}

// Drop withdraws the facts of a tenant that wait for their time, and returns what was current: its Next is 0 if nothing
// waited. While another load is alive it waits as Begin does. Erased data stays erased.
func (s *Store) Drop(ctx context.Context, t auth.Tenant, waiting func()) (was Current, err error) {
	l, err := s.Begin(ctx, t, waiting)
	if err != nil {
		return Current{}, err
	}
	defer func() { err = errors.Join(err, l.Close(context.WithoutCancel(ctx))) }() // undoes what is above the base
	err = l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, current Current) error {
		was = current
		current.Next, current.NextFrom = 0, time.Time{}
		return current.Publish(ctx, tx, t, now)
	})
	if err != nil {
		return Current{}, err
	}
	l.base, l.dirty = was.Facts, was.Next > 0
	return was, nil
}

// Undo removes all rows above the base: those that the load has written, and those of loads that died. The load can
// then write again from the start.
func (l *Load) Undo(ctx context.Context) error {
	if !l.dirty {
		return nil
	}
	// A promoted standby may lack some of the load's transactions. That does not matter here.
	if err := l.setTransactions(ctx, l.store.DB, 0, bun.SafeQuery("TRUE")); err != nil {
		return err
	}
	l.transactions = 0
	for _, t := range l.store.tables() {
		name := bun.Ident(t.Name)
		err := l.undo(ctx, t, "DELETE FROM ?", []any{name}, "since > ?", l.base)
		if err == nil {
			err = l.undo(ctx, t, "UPDATE ? SET until = ?", []any{name, snapshot.Open}, "until > ? AND until < ?", l.base, snapshot.Open)
		}
		if err != nil {
			return fmt.Errorf("undo a load of tenant %d: %w", l.tenant, err)
		}
	}
	l.dirty = false
	return nil
}

// undo executes a statement on the rows of a table that meet a condition, a batch in each transaction.
func (l *Load) undo(ctx context.Context, t *snapshot.Table, statement string, args []any, where string, bounds ...any) error {
	return l.store.sweep(ctx, t, l.tenant, bun.SafeQuery(where, bounds...), func(rows [][]int64) error {
		return l.counted(l.store.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			if err := l.guard(ctx, tx); err != nil {
				return err
			}
			_, err := tx.NewRaw(statement+` WHERE tenant_id = ? AND ?`, append(args, l.tenant, keyed(withSince(t), rows))...).Exec(ctx)
			return err
		}))
	})
}

// LastFeed returns the digest of the feed that was loaded last into a tenant, or "" if there was none.
func (s *Store) LastFeed(ctx context.Context, t auth.Tenant) (digest string, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT files FROM feeds WHERE tenant_id = ?`, t).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return digest, ofTenant(t, "last feed", err)
}

// LastFeed returns the digest of the feed that was loaded before this load.
func (l *Load) LastFeed(ctx context.Context) (string, error) { return l.store.LastFeed(ctx, l.tenant) }

// NoteFeed records the feed of a load that changes nothing, and so publishes nothing.
func (l *Load) NoteFeed(ctx context.Context) error {
	return l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, _ time.Time, _ Current) error { return l.noteFeed(ctx, tx) })
}

func (l *Load) noteFeed(ctx context.Context, tx bun.Tx) error {
	if l.Feed == "" {
		return nil
	}
	_, err := tx.NewRaw(`
		INSERT INTO feeds (tenant_id, files)
		VALUES (?, ?)
		    ON CONFLICT (tenant_id) DO UPDATE SET files = excluded.files`, l.tenant, l.Feed).Exec(ctx)
	return ofTenant(l.tenant, "record the feed", err)
}
