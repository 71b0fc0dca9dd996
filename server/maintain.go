package server

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// Snapshots returns the states of all tenants' data, whatever their API. now is the clock of loads and of what is kept; nil is
// the database's with PostgreSQL, and time.Now with SQLite.
func Snapshots(db *database.DB, now func() time.Time) *snapshotdb.Store {
	joined := &snapshotdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
	schools, libraries := stores(db, now)
	for _, s := range []*snapshotdb.Store{schools.Snapshots(), libraries.Snapshots()} {
		joined.Tables, joined.Unread = append(joined.Tables, s.Tables...), append(joined.Unread, s.Unread...)
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

// Distributed returns an error that names a table which is not distributed as it should be, where the database has been: what
// joins it with others fails, or asks every node. See database.DB.Distribute.
func Distributed(ctx context.Context, db *database.DB) error {
	spread, err := db.Spread(ctx, Schema()...)
	if err == nil && len(spread.Wrong) > 0 {
		err = fmt.Errorf("%s; %s", spread.Wrong[0].Wrong, spread.Wrong[0].Do)
	}
	return err
}

// checkKeep refuses a keep that would be no use to a pull.
func (c Config) checkKeep() error {
	if c.Keep < 0 || c.PullWindow < 0 || c.Keep > 0 && c.Keep < snapshotdb.MinRetention && c.Now == nil {
		return fmt.Errorf("keep %v, pull window %v: states are kept for at least %v; give more, such as 2h", c.Keep, c.PullWindow, snapshotdb.MinRetention)
	}
	return nil
}

// keep sets how long states are kept, where the configuration says so.
func (s *Server) keep(ctx context.Context) error {
	s.remover = Remover(s.config.DB, s.config.Now)
	s.remover.Window = s.config.PullWindow
	if s.config.Keep == 0 {
		return nil
	}
	return s.remover.SetRetention(ctx, s.config.Keep)
}

const (
	removeEvery = time.Minute     // what is no longer kept is looked for
	removeFor   = 5 * time.Minute // a turn takes at most: the next goes on, as after a database that froze
)

// Remover returns what removes states that are no longer kept; for now see Snapshots.
func Remover(db *database.DB, now func() time.Time) *snapshotdb.Remover {
	return &snapshotdb.Remover{Store: Snapshots(db, now), EachNode: db.EachNode, Past: directorydb.PastTables()}
}

// Maintain does what a server does beside its requests, until ctx ends: it removes superseded rows that are no longer kept (G8),
// every minute, and writes down when keys were last used, at its end too. Run and Serve call it; a program that serves Handler by
// itself runs it as a goroutine and waits for its end. Several servers of one database may run it at once. What fails is logged and
// tried again.
func (s *Server) Maintain(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		if err := s.uses.Run(ctx); err != nil {
			s.useFailed(err)
		}
	})
	tick := time.NewTicker(removeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.removeOnce(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("former states not removed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// removeOnce is one turn of removal; the metrics show what it has left.
func (s *Server) removeOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeFor)
	defer cancel()
	err := s.remover.Remove(ctx)
	rows, err1 := s.remover.SupersededRows(ctx)
	keep, err2 := s.remover.Retention(ctx)
	if (err1 == nil || database.LeftOut(err1) != nil) && err2 == nil {
		s.metrics.Kept(rows, keep)
	}
	return cmp.Or(err, err1, err2)
}
