package librariesdb

import (
	"context"
	"embed"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite. They come after
// snapshotdb's.
//
//go:embed migrations
var Migrations embed.FS

// Store is a report.Store on a database.
type Store struct {
	DB *handle.DB
	// Copy writes many rows at once; a load needs it.
	Copy snapshotdb.CopyFunc
	// Now is the clock of loads, hours and retention; nil is handle.Clock.
	Now func() time.Time
}

var _ report.Store = (*Store)(nil)

// DayKind is the kind of blocks with one block for each day on which readers did something.
var DayKind = facts.DayOfReadersKind

// chunk is the number of identifiers that one statement names.
const chunk = 2000

// Snapshots returns the snapshots of networks' data.
func (s *Store) Snapshots() *snapshotdb.Store {
	return &snapshotdb.Store{DB: s.DB, Copy: s.Copy, Now: s.Now, Tables: intake.Tables(), Kinds: Kinds}
}

// Present returns the access to the current snapshot of a network, or ErrNotFound. It publishes a load whose hour has come.
func (s *Store) Present(ctx context.Context, n libraries.NetworkID) (report.Access, error) {
	h, err := s.current(ctx, n)
	if err != nil {
		return report.Access{}, err
	}
	now, err := s.Snapshots().Clock(ctx, s.DB)
	if err == nil {
		h, err = h.PublishDue(ctx, s.DB, auth.Tenant(n), now)
	}
	return AccessOf(n, h), err
}

// current reads the row of a network's current versions. The error is ErrNotFound for an unknown network.
func (s *Store) current(ctx context.Context, n libraries.NetworkID) (snapshotdb.Current, error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return snapshotdb.Current{}, err
	}
	return snapshotdb.ReadCurrent(ctx, s.DB, auth.Tenant(n))
}

// AccessOf returns the access to the current snapshot.
func AccessOf(n libraries.NetworkID, h snapshotdb.Current) report.Access {
	return report.Access{Network: n, At: h.Versions, Hour: hourOf(h.From)}
}

// hourOf returns the hour of an instant, or 0 if it is zero.
func hourOf(from time.Time) libraries.Hour {
	if from.IsZero() {
		return 0
	}
	return libraries.HourOf(from)
}

// rowsOf is the condition that a row is visible in the snapshot of an access.
func rowsOf(a report.Access) schema.QueryWithArgs {
	return bun.SafeQuery("tenant_id = ?0 AND since <= ?1 AND until > ?1", a.Network, a.At.Facts)
}

// Scan implements snapshot.Blocks.
func (s *Store) Scan(ctx context.Context, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return s.Snapshots().Scan(ctx, t, at, k, r, visit)
}

// Replaced implements snapshot.Blocks.
func (s *Store) Replaced(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return s.Snapshots().Replaced(ctx, t, k, loads, visit)
}

// Kinds are the kinds of blocks of a network.
var Kinds = []snapshot.Kind{
	facts.AttributesKind, facts.ReaderTitlesKind, facts.EventSetKind, facts.NetworkKind, facts.DayOfReadersKind, facts.DayOfTitlesKind,
	facts.LoanReadingsKind,
}

// NewVerifier returns a verifier of a library network's blocks, of all Kinds.
func NewVerifier() snapshot.Verifier { return new(facts.Verifier) }
