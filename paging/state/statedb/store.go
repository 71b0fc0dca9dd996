package statedb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/state"
)

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite.
//
//go:embed migrations
var Migrations embed.FS

// The errors of this package, to be told with errors.Is.
var (
	ErrExist    = errors.New("already exists")
	ErrNotFound = errors.New("not found")

	// ErrRemoved says that a tenant was removed, or that its removal has begun. It is an ErrNotFound.
	ErrRemoved = fmt.Errorf("%w: the tenant was removed, or is half removed", ErrNotFound)
)

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// Store reads and writes states. It is safe for concurrent use, also by several processes.
type Store struct {
	DB *handle.DB
	// Copy writes many rows at once; a load needs it.
	Copy CopyFunc
	// Now is the clock of the leases and of what is kept. Nil is the database's with PostgreSQL, and time.Now with SQLite.
	Now func() time.Time
	// Tables are those that loads write besides the blocks.
	Tables []*state.Table
	// Unread are the kinds of blocks that no report reads: of use to nobody once a load that holds has replaced them.
	Unread []state.Kind
	// Recent, if not nil, spares look-ups of pulls, of a process that is asked for many pages.
	Recent *Recent
}

// Clock reads the time, in whole microseconds.
func (s *Store) Clock(ctx context.Context, idb bun.IDB) (time.Time, error) {
	return handle.Clock(ctx, idb, s.Now)
}

// tables are all that loads write.
func (s *Store) tables() []*state.Table {
	return append([]*state.Table{state.BlocksTable}, s.Tables...)
}

// inTurn runs f in one of the many transactions of a load, on a connection of its own, which Copy can use. On SQLite it lets
// others write first, and a power cut may take what was committed: nobody sees it before the load's last step, whose commit is on
// the disk with all before it.
func (s *Store) inTurn(ctx context.Context, f func(ctx context.Context, conn bun.Conn, tx bun.Tx) error) error {
	if !handle.Postgres(s.DB) {
		time.Sleep(sqlitePause)
	}
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !handle.Postgres(conn) {
		if _, err := conn.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil { // until the connection is used again
			return err
		}
	}
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return f(ctx, conn, tx) })
}

func ofTenant(t state.Tenant, err error) error {
	if err != nil {
		return fmt.Errorf("tenant %d: %w", t, err)
	}
	return nil
}
