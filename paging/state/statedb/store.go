package statedb

import (
	"context"
	"embed"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/state"
)

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite. They come after authdb's.
//
//go:embed migrations
var Migrations embed.FS

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// Store reads and writes states. It is safe for concurrent use, also by several processes.
type Store struct {
	DB *bun.DB
	// Copy writes many rows at once; a load needs it.
	Copy CopyFunc
	// Now is the clock of the leases and of what is kept. Nil is the database's with PostgreSQL, and time.Now with SQLite.
	Now func() time.Time
	// Tables are those that loads write besides the blocks.
	Tables []*Table
	// Unread are the kinds of blocks that no report reads: of use to nobody once a load that holds has replaced them.
	Unread []state.Kind
}

func postgres(idb bun.IDB) bool { return idb.Dialect().Name() == dialect.PG }

// Clock reads the time, in whole microseconds.
func (s *Store) Clock(ctx context.Context, idb bun.IDB) (time.Time, error) {
	if s.Now == nil && postgres(idb) {
		var now time.Time
		err := idb.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &now)
		return now.UTC(), err
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return now().UTC().Truncate(time.Microsecond), nil
}

// tables are all that loads write.
func (s *Store) tables() []*Table { return append([]*Table{blocksTable}, s.Tables...) }

// inTx runs f in a transaction on a connection of its own, which Copy can use.
func (s *Store) inTx(ctx context.Context, f func(ctx context.Context, conn bun.Conn, tx bun.Tx) error) error {
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return f(ctx, conn, tx) })
}

func tenantOf(t auth.Tenant) state.Tenant { return state.Tenant(t) }

func ofTenant(t state.Tenant, err error) error {
	if err != nil {
		return fmt.Errorf("tenant %d: %w", t, err)
	}
	return nil
}
