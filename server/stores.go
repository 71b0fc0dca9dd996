package server

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// Schema returns the migrations of all stores, for database.DB.Migrate and SchemaCurrent.
func Schema() []fs.FS {
	return []fs.FS{authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations, schoolsdb.Migrations, librariesdb.Migrations}
}

// Snapshots returns the snapshots of all tenants' data, of both APIs. now is the clock of loads and of the retention; nil is the
// database's clock with PostgreSQL, and time.Now with SQLite.
func Snapshots(db *database.DB, now func() time.Time) *snapshotdb.Store {
	joined := &snapshotdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
	schools, libraries := stores(db, now)
	for _, s := range []*snapshotdb.Store{schools.Snapshots(), libraries.Snapshots()} {
		joined.Tables, joined.Kinds = append(joined.Tables, s.Tables...), append(joined.Kinds, s.Kinds...)
	}
	return joined
}

// stores returns the stores of both domains on a database; for now see Snapshots.
func stores(db *database.DB, now func() time.Time) (*schoolsdb.Store, *librariesdb.Store) {
	return &schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: now}, &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
}

// Migrate brings the schema up to date and returns the names of the migrations that it applied.
func Migrate(ctx context.Context, db *database.DB) (applied []string, err error) {
	return db.Migrate(ctx, Schema()...)
}

// Distributed returns an error that names a table which is not distributed like the others of a distributed database: a join with
// it fails, or asks every node. See database.DB.Distribute.
func Distributed(ctx context.Context, db *database.DB) error {
	spread, err := db.Spread(ctx, Schema()...)
	if err == nil && len(spread.Wrong) > 0 {
		err = fmt.Errorf("%s; %s", spread.Wrong[0].Wrong, spread.Wrong[0].Do)
	}
	return err
}

// Remover returns the remover of snapshots whose retention is over; for now see Snapshots.
func Remover(db *database.DB, now func() time.Time) *snapshotdb.Remover {
	return &snapshotdb.Remover{Store: Snapshots(db, now), EachNode: db.EachNode, Superseded: directorydb.SupersededTables()}
}
