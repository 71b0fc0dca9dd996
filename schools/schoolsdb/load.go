package schoolsdb

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// Load is a load of a partner under way. It excludes other loads of the partner. Only its last step blocks directory
// writes.
type Load struct {
	*snapshotdb.Load
	store     *Store
	partner   directory.PartnerID
	reconcile Reconcile
}

// Reconcile reconciles the tables of the load's feed with a snapshot of the directory: first with the one at the
// beginning of the load, and in its last step with the current one if it has changed. earlier is nil at first.
type Reconcile func(earlier *intake.Intake, st intake.Stored) (*intake.Intake, error)

// Begin begins a load of a partner, which Close must end. While another load is alive it waits, and calls waiting
// once, if it is not nil.
func (s *Store) Begin(ctx context.Context, partner directory.PartnerID, reconcile Reconcile, waiting func()) (*Load, error) {
	l, err := s.Snapshots().Begin(ctx, auth.Tenant(partner), waiting)
	if err != nil {
		return nil, err
	}
	return &Load{l, s, partner, reconcile}, nil
}

// State reads what a check must know of a partner in one transaction, so it sees no directory write that
// commits while it reads.
func (s *Store) State(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (st intake.Stored, err error) {
	err = s.DB.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, func(ctx context.Context, tx bun.Tx) error {
		h, err := snapshotdb.ReadCurrent(ctx, tx, auth.Tenant(partner))
		if err != nil {
			return err
		}
		now, err := s.Snapshots().Clock(ctx, tx)
		if err != nil {
			return err
		}
		st = intake.Stored{Partner: ref, Began: now}
		st.At.Registers = directorydb.Everything
		if err := s.update(ctx, tx, partner, &st, h, now); err != nil {
			return err
		}
		st.Evaluations, err = directorydb.Evaluations(ctx, tx, partner)
		return err
	})
	if err == nil {
		st.Books, err = s.Books(ctx, partner, st.At)
	}
	return st, err
}

// update adds to what is stored what directory writes have changed since it was read.
func (s *Store) update(ctx context.Context, idb bun.IDB, partner directory.PartnerID, st *intake.Stored, h snapshotdb.Current, now time.Time) (err error) {
	after := st.At.Registers
	st.At, st.Now = h.Versions, now
	p, err := directorydb.PartnerByID(ctx, idb, partner)
	if err != nil {
		return err
	}
	st.LastEntity, st.LastUser = p.LastEntity, p.LastUser
	if st.RefOwners, err = directorydb.RefOwners(ctx, idb, partner); err != nil {
		return err
	}
	if st.Degrees, err = directorydb.Latest(idb, partner).Degrees(ctx); err != nil {
		return err
	}
	if st.Forgotten, err = directorydb.Forgotten(ctx, idb, partner); err != nil {
		return err
	}
	view := directorydb.View{DB: idb, Partner: partner, After: after, At: directorydb.Now}
	entities, err := view.Entities(ctx)
	if err != nil {
		return err
	}
	for _, e := range entities {
		st.PutEntity(e)
	}
	if st.Accounts == nil {
		st.Accounts = make([]directory.Account, 0, p.LastUser)
	}
	return view.AccountRefs(ctx, func(a directory.Account) error {
		st.PutAccount(a)
		return nil
	})
}

// Intake reconciles the tables with the current directory, and reserves the numbers that the load needs (S1). It
// decides which accounts and books the events belong to: later directory writes do not change that (F4).
func (l *Load) Intake(ctx context.Context, ref directory.Ref) (*intake.Intake, error) {
	st, err := l.store.State(ctx, l.partner, ref)
	if err != nil {
		return nil, err
	}
	err = l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h snapshotdb.Current) error {
		st.Began = now // no directory write is under way
		return l.store.update(ctx, tx, l.partner, &st, h, now)
	})
	if err != nil {
		return nil, err
	}
	in, err := l.reconcile(nil, st)
	if err != nil {
		return nil, err
	}
	return l.reserve(ctx, in)
}

// reserve reserves the numbers that an intake lacks. If others have taken some of them since, the tables are
// reconciled again.
func (l *Load) reserve(ctx context.Context, in *intake.Intake) (*intake.Intake, error) {
	entities, users := in.Unreserved()
	if entities+users == 0 {
		return in, nil
	}
	same := false
	err := l.Exclusive(ctx, func(ctx context.Context, tx bun.Tx, _ time.Time, _ snapshotdb.Current) error {
		p, err := directorydb.PartnerByID(ctx, tx, l.partner)
		if err != nil {
			return err
		}
		same = in.Reserve(p.LastEntity, p.LastUser)
		w := &directorydb.Write{IDB: tx, Partner: l.partner}
		return w.SetCounters(ctx, p.LastEntity+directory.EntityID(entities), p.LastUser+directory.UserID(users))
	})
	if err != nil || same {
		return in, err
	}
	return l.reconcile(in, in.Stored)
}

// Saved are the counts of a load.
type Saved struct {
	New, Repeated int // events
	Versions      snapshot.Versions
	// Last is the last intake that reconciled the tables.
	Last *intake.Intake
}

// The errors that undo the last step of a load.
var (
	errMoved   = errors.New("events are other accounts' now")
	errNothing = errors.New("the load changes nothing")
)

// Save writes the events of an intake that Load.Intake returned, while others read and write. Its last step
// reconciles the tables with the current directory, writes them and publishes everything (F2, F6). If some events
// belong to other accounts by then, they are aggregated again. progress, if not nil, is called with the number of
// finished steps.
func (l *Load) Save(ctx context.Context, in *intake.Intake, events *intake.Sorter, progress func(done, total int)) (saved Saved, err error) {
	saved.Last = in
	for {
		moves := in.Moves(saved.Last)
		o := intake.LoadOptions{
			Begin: []snapshot.Change{booksTable.Change(snapshot.Rows[schools.Book]{Again: in.PutBooks})}, Moves: moves, Progress: progress,
		}
		if saved.New, saved.Repeated, err = intake.Load(ctx, l, events, o); err != nil {
			return saved, err
		}
		if err = l.publish(ctx, in, moves, &saved); !errors.Is(err, errMoved) {
			return saved, err
		}
		if err := l.Undo(ctx); err != nil {
			return saved, err
		}
		if saved.Last, err = l.reserve(ctx, saved.Last); err != nil {
			return saved, err
		}
	}
}

// publish is the last step of a load.
func (l *Load) publish(ctx context.Context, in *intake.Intake, moves intake.Moves, saved *Saved) error {
	h, err := l.Publish(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h *snapshotdb.Current) (err error) {
		if st := saved.Last.Stored; st.At.Registers != h.Registers {
			st.At.Registers, st.Accounts = directorydb.Everything, nil // the intake may have let go of them
			if err := l.store.update(ctx, tx, l.partner, &st, *h, now); err != nil {
				return err
			}
			if saved.Last, err = l.reconcile(saved.Last, st); err != nil {
				return err
			}
			if !maps.Equal(in.Moves(saved.Last), moves) {
				return errMoved
			}
		}
		saved.Versions = h.Versions
		if saved.New == 0 && !saved.Last.Changes() {
			return errNothing
		}
		h.Facts, h.From, h.Registers = l.Number(), now, snapshotdb.NextNumber(h.Registers)
		return putTables(ctx, &directorydb.Write{IDB: tx, Partner: l.partner, Version: h.Registers}, saved.Last)
	})
	switch {
	case errors.Is(err, errNothing):
		return l.NoteFeed(ctx) // cached values stay valid
	case err != nil:
		return err
	}
	saved.Versions = h.Versions
	return nil
}

// putTables writes the changed rows of the tables.
func putTables(ctx context.Context, w *directorydb.Write, in *intake.Intake) error {
	if err := w.PutEntities(ctx, in.PutEntities); err != nil {
		return err
	}
	if err := w.PutAccounts(ctx, in.PutAccounts); err != nil {
		return err
	}
	if err := w.AddRefOwners(ctx, in.PutRefOwners); err != nil {
		return err
	}
	if err := w.PutEvaluations(ctx, in.PutEvaluations); err != nil {
		return err
	}
	if entities, users := in.Unreserved(); entities+users == 0 {
		return nil
	}
	return w.SetCounters(ctx, in.Stored.LastEntity, in.Stored.LastUser)
}

// Check counts what Load.Save would write, and writes nothing (F7). It holds no lock and may run beside a load. The
// versions are those of the data that the feed was compared with.
func (s *Store) Check(ctx context.Context, partner directory.PartnerID, in *intake.Intake, events *intake.Sorter, progress func(done, total int)) (saved Saved, err error) {
	saved.Versions, saved.Last = in.Stored.At, in
	to := snapshot.Unwritten(s, auth.Tenant(partner), in.Stored.At.Facts)
	saved.New, saved.Repeated, err = intake.Load(ctx, to, events, intake.LoadOptions{Moves: in.Moves(in), Count: true, Progress: progress})
	return saved, err
}
