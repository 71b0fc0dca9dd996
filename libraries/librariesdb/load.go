package librariesdb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// SaveOptions are the options of Save. The zero SaveOptions publish the load from the next full hour on.
type SaveOptions struct {
	// Immediately publishes the load at once, as of the current hour (L1). A network's first load is always published at once.
	Immediately bool
	// Progress, if not nil, is called with the number of finished steps, from 0 on.
	Progress func(done, total int)
}

// Saved is the result of a load.
type Saved struct {
	intake.Loaded
	Hour     libraries.Hour    // from which it is current
	Versions snapshot.Versions // of the data then
}

// Load is a load of a network under way. Until Close no other load of the network can begin. Until then requests read the
// earlier snapshot, and other networks do not wait.
type Load struct {
	// Base is the snapshot that the load builds on: that of the last load, which may still wait for its hour.
	Base  report.Access
	store *Store
	to    *snapshotdb.Load
}

// Begin begins a load of a network. While another one is under way it waits, and calls waiting once, if it is not nil. The
// error is ErrNotFound if there is no such network.
func (s *Store) Begin(ctx context.Context, n libraries.NetworkID, waiting func()) (*Load, error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return nil, err
	}
	to, err := s.Snapshots().Begin(ctx, auth.Tenant(n), waiting)
	if err != nil {
		return nil, err
	}
	base := report.Access{Network: n, At: snapshot.Versions{Facts: to.Base()}}
	return &Load{Base: base, store: s, to: to}, nil
}

// RecordSorters returns sorters of a feed's loans and reservations, which are reconciled with the snapshot of an access.
func (s *Store) RecordSorters(in *intake.Intake, to *intake.Sorter, a report.Access) (*intake.RecordSorter[libraries.Loan], *intake.RecordSorter[libraries.Reservation]) {
	loans, reservations := intake.NewLoanSorter(in, to), intake.NewReservationSorter(in, to)
	if a.At.Facts != 0 { // otherwise nothing is stored
		loans.Stored = func(ctx context.Context, ids []int64) (map[int64]libraries.Loan, error) {
			return s.LoansByID(ctx, a, ids)
		}
		reservations.Stored = func(ctx context.Context, ids []int64) (map[int64]libraries.Reservation, error) {
			return s.ReservationsByID(ctx, a, ids)
		}
	}
	return loans, reservations
}

// Lease returns the lease that excludes other loads of the network.
func (l *Load) Lease() *snapshotdb.Load { return l.to }

// Close ends a load. If it was not saved, Close rolls it back.
func (l *Load) Close(ctx context.Context) error { return l.to.Close(ctx) }

// Save writes a feed that was validated against Base, and publishes it with its last step (F2), also if nothing is new. The
// error is snapshot.ErrLost if another load has taken over.
func (l *Load) Save(ctx context.Context, in *intake.Intake, sorter *intake.Sorter, o SaveOptions) (Saved, error) {
	of := l.store.options(l.Base, o)
	of.Begin = in.TableChanges()
	loaded, erased, err := intake.Load(ctx, l.to, sorter, of)
	if err != nil {
		return Saved{}, err
	}
	saved, err := l.publish(ctx, erasure{erased, in.Forgotten}, o.Immediately, lead)
	if err != nil {
		return Saved{}, err
	}
	if !handle.Postgres(l.store.DB) {
		// SQLite's journal must not keep what was erased. The load is published whether this succeeds or not.
		_, _ = l.store.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	saved.Loaded = loaded
	return saved, nil
}

// options returns the options of a load that builds on a snapshot.
func (s *Store) options(a report.Access, o SaveOptions) intake.LoadOptions {
	return intake.LoadOptions{
		Progress: o.Progress,
		Readers:  func(ctx context.Context, ids []int64) ([]libraries.Reader, error) { return s.People(ctx, a, ids) },
	}
}

// Last returns the access to the snapshot of the last load, which may still wait for its hour. A load would build on it, and a
// check compares a feed with it. The error is ErrNotFound if there is no such network.
func (s *Store) Last(ctx context.Context, n libraries.NetworkID) (report.Access, error) {
	h, err := s.current(ctx, n)
	a := AccessOf(n, h)
	if h.Next > 0 {
		a.At.Facts, a.Hour = h.Next, hourOf(h.NextFrom)
	}
	return a, err
}

// Check counts what a load on a snapshot would save, and writes nothing (F7). It takes no lock and may run beside a load. The
// hour and the versions are those of the snapshot. Of the options only Progress is used.
func (s *Store) Check(ctx context.Context, a report.Access, sorter *intake.Sorter, o SaveOptions) (Saved, error) {
	of := s.options(a, o)
	of.Count = true
	loaded, _, err := intake.Load(ctx, snapshot.Unwritten(s, auth.Tenant(a.Network), a.At.Facts), sorter, of)
	return Saved{loaded, a.Hour, a.At}, err
}

// lead is how long before its hour a load has to be ready, and how long its last step may take (L1).
const lead = 10 * time.Second

// errLate says that a last step took so long that its hour may have begun.
var errLate = errors.New("the load's last step took too long")

// publish is the load's last step. If it takes too long, the hour that it chose may have begun without it. Then it is repeated,
// and may take twice as long.
func (l *Load) publish(ctx context.Context, of erasure, immediately bool, within time.Duration) (Saved, error) {
	h, err := l.to.Publish(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h *snapshotdb.Current) error {
		if err := l.erase(ctx, tx, h, of); err != nil {
			return err
		}
		if l.choose(h, now, immediately, within); h.Next == 0 {
			return nil
		}
		end, err := l.store.Snapshots().Clock(ctx, tx)
		if err == nil && end.Sub(now) > within {
			err = errLate
		}
		return err
	})
	if errors.Is(err, errLate) {
		return l.publish(ctx, of, immediately, 2*within)
	}
	saved := Saved{Versions: snapshot.Versions{Registers: h.Registers, Facts: h.Last()}, Hour: hourOf(h.From)}
	if h.Next > 0 {
		saved.Hour = hourOf(h.NextFrom)
	}
	return saved, err
}

// choose chooses the hour from which the load is current: the first full hour that is far enough away and not before that of
// an earlier load, or at once (L1). A load that still waits is superseded, because this one builds on it.
func (l *Load) choose(h *snapshotdb.Current, now time.Time, immediately bool, within time.Duration) {
	if h.Facts == 0 || immediately {
		hour := max(libraries.HourOf(now), hourOf(h.From))
		h.Facts, h.From, h.Next, h.NextFrom = l.to.Number(), hour.Time(), 0, time.Time{}
		return
	}
	hour := max(libraries.NextHour(now.Add(within)), hourOf(h.From), hourOf(h.NextFrom))
	h.Next, h.NextFrom = l.to.Number(), hour.Time()
}

// erasure is what the last step of a load erases from every snapshot.
type erasure struct {
	emails []int64        // of readers who are deleted now (L18)
	known  map[int64]bool // readers who were erased before the load began: none of its rows names them
}

// erase erases e-mails from every snapshot, and the names and e-mails of readers who were erased while the load wrote rows that
// name them.
func (l *Load) erase(ctx context.Context, tx bun.Tx, h *snapshotdb.Current, of erasure) error {
	if err := erase(ctx, tx, l.Base.Network, h, of.emails, email); err != nil {
		return err
	}
	all, err := forgotten(ctx, tx, l.Base.Network)
	if err != nil {
		return err
	}
	for id := range of.known {
		delete(all, id)
	}
	return erase(ctx, tx, l.Base.Network, h, slices.Sorted(maps.Keys(all)), person)
}

// Drop withdraws the load of a network that waits for its hour, and returns its number and hour, or zero if none waits. While
// another load of the network is under way it waits, and calls waiting, if it is not nil.
func (s *Store) Drop(ctx context.Context, n libraries.NetworkID, waiting func()) (dropped report.Access, err error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return report.Access{}, err
	}
	h, err := s.Snapshots().Drop(ctx, auth.Tenant(n), waiting)
	return report.Access{Network: n, At: snapshot.Versions{Facts: h.Next}, Hour: hourOf(h.NextFrom)}, err
}
