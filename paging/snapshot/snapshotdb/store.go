package snapshotdb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// Migrations creates the tables of this package, in migrations/postgres and migrations/sqlite.
//
//go:embed migrations
var Migrations embed.FS

// The errors of this package. Test for them with errors.Is.
var (
	ErrExist    = errors.New("already exists")
	ErrNotFound = errors.New("not found")

	// ErrRemoved says that a tenant was removed, or that its removal has begun. It is an ErrNotFound.
	ErrRemoved = fmt.Errorf("%w: the tenant was removed, or is half removed", ErrNotFound)
)

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// Store reads and writes snapshots. It is safe for concurrent use, also by several processes.
type Store struct {
	DB *handle.DB
	// Copy writes many rows at once. Only loads need it.
	Copy CopyFunc
	// Now is the clock of leases and retention; nil is that of handle.Clock.
	Now func() time.Time
	// Tables are the tables that loads write besides the blocks.
	Tables []*snapshot.Table
	// Kinds are the kinds of blocks that loads write.
	Kinds []snapshot.Kind
	// Recent, if not nil, saves look-ups of pulls in a process that serves many pages.
	Recent *Recent
}

var _ snapshot.Blocks = (*Store)(nil)

// Clock returns the time, in whole microseconds.
func (s *Store) Clock(ctx context.Context, idb bun.IDB) (time.Time, error) {
	return handle.Clock(ctx, idb, s.Now)
}

// tables returns all tables that loads write.
func (s *Store) tables() []*snapshot.Table {
	return append([]*snapshot.Table{snapshot.BlocksTable}, s.Tables...)
}

// inTransaction runs f in one of the many transactions of a load, on a connection of its own, which Copy can use. On
// SQLite other writers go first, and a power cut may lose the transaction. Nobody reads it before the load's last step,
// whose commit reaches the disk with all before it.
func (s *Store) inTransaction(ctx context.Context, f func(ctx context.Context, conn bun.Conn, tx bun.Tx) error) error {
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

// ofTenant adds to an error what was done and for which tenant.
func ofTenant(t auth.Tenant, what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s of tenant %d: %w", what, t, err)
	}
	return nil
}

// Scan implements snapshot.Blocks. A corrupt block is a snapshot.ErrCorrupt.
func (s *Store) Scan(ctx context.Context, t auth.Tenant, number int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	if r.Among != nil && len(r.Among) == 0 {
		return nil
	}
	of := bun.SafeQuery("tenant_id = ? AND kind = ?", t, k.Number)
	from, among := bun.SafeQuery("blocks"), bun.SafeQuery("TRUE")
	if r.Among != nil {
		from, among = handle.AmongOf(s.DB, "blocks", of, "a", r.Among)
	}
	rows, err := s.DB.QueryContext(ctx, `
		SELECT a, b, data
		  FROM ?
		 WHERE ? AND ? AND ? AND since <= ? AND until > ?
		 ORDER BY a, b`, from, of, among, in(r), number, number)
	// The driver returns int64. To have database/sql convert each number would cost as much as the block's checksum.
	var a, b any
	var data sql.RawBytes
	dest := []any{&a, &b, &data}
	return Visit(rows, err, k.Name, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		block := snapshot.Block{BlockKey: snapshot.BlockKey{A: a.(int64), B: b.(int64)}, Data: data}
		if _, asked := slices.BinarySearch(r.Among, block.A); !asked && r.Among != nil { // see handle.Among
			return nil
		}
		var err error
		if block.Data, err = snapshot.Unseal(t, k, block); err != nil {
			return err
		}
		return visit(block)
	})
}

// in returns the condition that a block is in the spans of a range.
func in(r snapshot.Range) schema.QueryWithArgs {
	where := bun.SafeQuery("TRUE")
	and := func(more schema.QueryWithArgs) { where = bun.SafeQuery("? AND ?", where, more) }
	if r.A != (snapshot.Span{}) {
		and(bun.SafeQuery("a >= ? AND a < ?", r.A.From, r.A.End))
	}
	if r.B != (snapshot.Span{}) {
		and(bun.SafeQuery("b >= ? AND b < ?", r.B.From, r.B.End))
	}
	if r.Extent != (snapshot.Span{}) {
		and(bun.SafeQuery("hi >= ? AND lo < ?", r.Extent.From, r.Extent.End))
	}
	return where
}

// Stored is a block as it is stored: its data are sealed, and it is visible in the snapshots [Since, Until).
type Stored struct {
	Kind int16
	snapshot.Block
	Since, Until int64
}

// allAtOnce is how many blocks one statement of All reads. On SQLite a longer one would keep the WAL from being
// truncated.
const allAtOnce = 512

// All calls visit with every stored block of a tenant, of all snapshots, by kind, A, B and since. It may miss
// blocks that are written or removed while it reads. The data are valid until visit returns.
func (s *Store) All(ctx context.Context, t auth.Tenant, visit func(Stored) error) error {
	var last Stored
	for {
		n := 0
		rows, err := s.DB.QueryContext(ctx, `
			SELECT kind, a, b, since, until, lo, hi, data
			  FROM blocks
			 WHERE tenant_id = ? AND (kind, a, b, since) > (?, ?, ?, ?)
			 ORDER BY kind, a, b, since
			 LIMIT ?`, t, last.Kind, last.A, last.B, last.Since, allAtOnce)
		err = Visit(rows, err, "blocks", func(rows *sql.Rows) error {
			var b Stored
			var data sql.RawBytes
			if err := rows.Scan(&b.Kind, &b.A, &b.B, &b.Since, &b.Until, &b.Lo, &b.Hi, &data); err != nil {
				return err
			}
			b.Data, last = data, b
			n++
			return visit(b)
		})
		if err != nil || n < allAtOnce {
			return err
		}
	}
}
