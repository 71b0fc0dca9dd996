package librariesdb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"iter"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
)

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite. They come after authdb's.
//
//go:embed migrations
var Migrations embed.FS

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// Store is a libraries.Store on a database.
type Store struct {
	DB *bun.DB
	// Copy writes many rows at once; a load needs it.
	Copy CopyFunc
}

// WritesAlone reports whether a load keeps all other writers of the database out, as on SQLite, not those of its network
// alone.
func (s *Store) WritesAlone() bool { return s.DB.Dialect().Name() != dialect.PG }

var _ libraries.Store = (*Store)(nil)

// chunk is the number of identifiers that one statement names: bun writes values into its text.
const chunk = 2000

// steady runs a read of the state that the access names.
func (s *Store) steady(ctx context.Context, a libraries.Access, read func() error) error {
	now := func() (state.Versions, error) {
		v, err := authdb.ReadHeld(ctx, s.DB, auth.Tenant(a.Network))
		return state.Versions(v.Versions), err
	}
	return state.Steady(read, now, func(now state.Versions) bool { return now == a.At })
}

// each scans the rows of a query and calls f with each.
func each[T any](rows *sql.Rows, err error, what string, scan func(*sql.Rows) (T, error), f func(T)) error {
	return authdb.Visit(rows, err, what, func(rows *sql.Rows) error {
		v, err := scan(rows)
		if err == nil {
			f(v)
		}
		return err
	})
}

// Hour implements libraries.Store.
func (s *Store) Hour(ctx context.Context, a libraries.Access) (hour libraries.Hour, err error) {
	err = s.steady(ctx, a, func() error {
		hour, err = s.hour(ctx, a.Network)
		return err
	})
	return hour, err
}

// Hours returns the hours at which the states of networks were published, in one statement. A network that was never loaded,
// or is none, has none.
func Hours(ctx context.Context, idb bun.IDB, networks []libraries.NetworkID) (map[libraries.NetworkID]libraries.Hour, error) {
	hours := make(map[libraries.NetworkID]libraries.Hour, len(networks))
	if len(networks) == 0 {
		return hours, nil
	}
	rows, err := idb.QueryContext(ctx,
		`SELECT tenant_id, hour FROM libraries_networks WHERE hour > 0 AND tenant_id IN (?) ORDER BY tenant_id`, bun.List(networks))
	err = authdb.Visit(rows, err, "hours of networks", func(r *sql.Rows) error {
		var id libraries.NetworkID
		var hour libraries.Hour
		err := r.Scan(&id, &hour)
		hours[id] = hour
		return err
	})
	return hours, err
}

// hour returns the hour at which the network's state was published, or ErrNotFound where the network has no row.
func (s *Store) hour(ctx context.Context, n libraries.NetworkID) (hour libraries.Hour, err error) {
	err = s.DB.NewRaw(`SELECT hour FROM libraries_networks WHERE tenant_id = ?`, n).Scan(ctx, &hour)
	if err != nil {
		return 0, fmt.Errorf("read the hour of network %d: %w", n, notFound(err))
	}
	return hour, nil
}

// Holdings implements libraries.Store. The error is ErrNotFound where the network has no row.
func (s *Store) Holdings(ctx context.Context, a libraries.Access) (h libraries.Holdings, err error) {
	err = s.steady(ctx, a, func() error {
		h, err = s.holdings(ctx, s.DB, a.Network)
		return err
	})
	return h, err
}

func (s *Store) holdings(ctx context.Context, idb bun.IDB, n libraries.NetworkID) (libraries.Holdings, error) {
	var data []byte
	if err := idb.NewRaw(`SELECT holdings FROM libraries_networks WHERE tenant_id = ?`, n).Scan(ctx, &data); err != nil {
		return nil, fmt.Errorf("read holdings of network %d: %w", n, notFound(err))
	}
	h, err := libraries.ParseHoldings(data)
	if err != nil {
		return nil, fmt.Errorf("holdings of network %d: %w", n, err)
	}
	return h, nil
}
