package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// States returns the states of all tenants' data, whatever their API. now is the clock of loads and of what is kept; nil is
// the database's with PostgreSQL, and time.Now with SQLite.
func States(db *database.DB, now func() time.Time) *statedb.Store {
	joined := &statedb.Store{DB: db.DB, Copy: db.Copy, Now: now}
	for _, s := range []*statedb.Store{
		(&schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: now}).States(),
		(&librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: now}).States(),
	} {
		joined.Tables, joined.Unread = append(joined.Tables, s.Tables...), append(joined.Unread, s.Unread...)
	}
	return joined
}

// former are the tables of what was stored before there were states.
func former() []statedb.Former { return slices.Concat(schoolsdb.Former(), librariesdb.Former()) }

// MaxMove is how many bytes of former tables New and Migrate move by themselves.
const MaxMove = 1_000_000_000

// maxMove is MaxMove, but in tests.
var maxMove int64 = MaxMove

// ErrMove says that more than MaxMove waits to be moved.
var ErrMove = errors.New("wait to be moved to where this version keeps them: run lectern migrate, which may be stopped and run again")

// Migrate brings the schema and the stored forms up to date and returns the names of the migrations that it applied. It
// changes nothing, and the error is ErrMove, where that would take long: see MigrateAll.
func Migrate(ctx context.Context, db *database.DB) (applied []string, err error) {
	_, bytes, err := States(db, nil).ToMove(ctx, former(), maxMove)
	if err == nil && bytes > maxMove {
		err = fmt.Errorf("database %s: %.1f GB of facts %w", database.Redact(db.URL), float64(bytes)/1e9, ErrMove)
	}
	if err != nil {
		return nil, err
	}
	return MigrateAll(ctx, db, nil)
}

// MigrateAll is Migrate however much there is to move. Killed, it goes on where it was when it is called again. moved, if not
// nil, is told the rows of a former table that have moved, of those that were there.
func MigrateAll(ctx context.Context, db *database.DB, moved func(table string, done, total int64)) (applied []string, err error) {
	if applied, err = db.Migrate(ctx, Schema()...); err != nil {
		return applied, err
	}
	return applied, States(db, nil).Move(ctx, former(), moved)
}

// Moved returns an error where rows wait to be moved, as after a Migrate that was killed: what is read would not have them.
func Moved(ctx context.Context, db *database.DB) error {
	names, _, err := States(db, nil).ToMove(ctx, former(), math.MaxInt64)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("rows of %s wait to be moved to where this version keeps them; run lectern migrate", strings.Join(names, ", "))
	}
	return err
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
	if c.Keep < 0 || c.PullWindow < 0 || c.Keep > 0 && c.Keep < statedb.MinKeep && c.Now == nil {
		return fmt.Errorf("keep %v, pull window %v: states are kept for at least %v; give more, such as 2h", c.Keep, c.PullWindow, statedb.MinKeep)
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
	return s.remover.SetKeep(ctx, s.config.Keep)
}

// removeEvery is how often what is no longer kept is looked for.
const removeEvery = time.Minute

// Remover returns what removes states that are no longer kept; for now see States.
func Remover(db *database.DB, now func() time.Time) *statedb.Remover {
	r := &statedb.Remover{Store: States(db, now)}
	for table, key := range directorydb.PastTables() {
		r.Past = append(r.Past, statedb.Past{Table: table, Key: key})
	}
	return r
}

// removeFormer removes what is no longer kept, turn by turn, until ctx ends; the turn under way stops between two statements.
func (s *Server) removeFormer(ctx context.Context) {
	tick := time.NewTicker(removeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.removeTurn(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("former states not removed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// removeTurn is one turn of removal; the metrics show what it has left.
func (s *Server) removeTurn(ctx context.Context) error {
	err := s.remover.Remove(ctx)
	rows, err1 := s.remover.FormerRows(ctx, s.config.DB)
	keep, err2 := s.remover.Keep(ctx)
	if err1 == nil && err2 == nil {
		s.metrics.Kept(rows, keep)
	}
	return cmp.Or(err, err1, err2)
}
