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
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// SaveOptions say how a load is saved. The zero SaveOptions make it hold from the next full hour.
type SaveOptions struct {
	// Immediately makes the load hold at once, as the hour that has begun (L1). A network's first load does so anyway.
	Immediately bool
	// Progress, if not nil, is told the steps that are done, one after the other, from 0 on.
	Progress func(done, total int)
}

// Saved says what a load wrote.
type Saved struct {
	intake.Loaded
	Hour     libraries.Hour    // from which it holds
	Versions snapshot.Versions // of the data then
}

// Load is a load of a network under way. Until Close no other load of the network is; readers go on with the state before,
// and networks do not wait for one another.
type Load struct {
	// Base is what the load builds on: the state that the last load left, whether it holds yet or waits for its hour.
	Base  report.Access
	store *Store
	to    *snapshotdb.Load
}

// Begin begins a load of a network. While another one lives it waits, and calls waiting, if it is not nil, once. The error is
// ErrNotFound where there is no such network.
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
	if a.At.Facts != 0 { // else nothing is stored
		loans.Stored = func(ctx context.Context, ids []int64) (map[int64]libraries.Loan, error) {
			return s.LoansByID(ctx, a, ids)
		}
		reservations.Stored = func(ctx context.Context, ids []int64) (map[int64]libraries.Reservation, error) {
			return s.ReservationsByID(ctx, a, ids)
		}
	}
	return loans, reservations
}

// Lease is the load's hold on the network.
func (l *Load) Lease() *snapshotdb.Load { return l.to }

// Close ends a load. Where it was not saved nothing of it is left.
func (l *Load) Close(ctx context.Context) error { return l.to.Close(ctx) }

// Save writes a settled feed, which builds on the state of Base, and makes it hold with its last step (F2), also where nothing
// is new. The error is snapshot.ErrLost where another load has taken over.
func (l *Load) Save(ctx context.Context, in *intake.Intake, sorter *intake.Sorter, o SaveOptions) (Saved, error) {
	of := l.store.options(l.Base, o)
	of.Begin = in.TableChanges()
	loaded, erased, err := intake.Load(ctx, l.to, sorter, of)
	if err != nil {
		return Saved{}, err
	}
	saved, err := l.hold(ctx, erasure{erased, in.Forgotten}, o.Immediately, lead)
	if err != nil {
		return Saved{}, err
	}
	l.store.settle(ctx)
	saved.Loaded = loaded
	return saved, nil
}

// options are those of a load that builds on a state.
func (s *Store) options(a report.Access, o SaveOptions) intake.LoadOptions {
	return intake.LoadOptions{
		Progress: o.Progress,
		Readers:  func(ctx context.Context, ids []int64) ([]libraries.Reader, error) { return s.People(ctx, a, ids) },
	}
}

// Last returns the access to what a load would build on now, and a check is held against: the state that the last load left,
// whether it holds yet or waits for its hour. The error is ErrNotFound where there is no such network.
func (s *Store) Last(ctx context.Context, n libraries.NetworkID) (report.Access, error) {
	h, err := s.held(ctx, n)
	a := AccessOf(n, h)
	if h.Next > 0 {
		a.At.Facts, a.Hour = h.Next, hourOf(h.NextFrom)
	}
	return a, err
}

// Check counts what a load on a state would save, and writes nothing (F7): it holds no lock and may run beside a load. The
// hour and the versions are those of the state; of the options, Progress alone counts.
func (s *Store) Check(ctx context.Context, a report.Access, sorter *intake.Sorter, o SaveOptions) (Saved, error) {
	of := s.options(a, o)
	of.Count = true
	loaded, _, err := intake.Load(ctx, snapshot.Unwritten(s, auth.Tenant(a.Network), a.At.Facts), sorter, of)
	return Saved{loaded, a.Hour, a.At}, err
}

// settle does what is due after a load; the load stands whatever becomes of it. On SQLite the journal is written into the
// database: what was erased is gone then.
func (s *Store) settle(ctx context.Context) {
	if s.writesAlone() {
		_, _ = s.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
}

// lead is how long before its hour a load has to be ready, and how long its last step may take (L1).
const lead = 10 * time.Second

// errLate says that a last step took so long that its hour may have come meanwhile.
var errLate = errors.New("the load's last step took too long")

// hold is the load's last step. One that takes longer than it may is taken again, and may take twice as long then: the hour
// that it chose may have begun without it.
func (l *Load) hold(ctx context.Context, of erasure, immediately bool, within time.Duration) (Saved, error) {
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
		return l.hold(ctx, of, immediately, 2*within)
	}
	saved := Saved{Versions: snapshot.Versions{Registers: h.Registers, Facts: h.Last()}, Hour: hourOf(h.From)}
	if h.Next > 0 {
		saved.Hour = hourOf(h.NextFrom)
	}
	return saved, err
}

// choose says from when the load holds: the first full hour that is far enough away and not before that of any earlier load,
// or at once (L1). What waits moves along: the load builds on it.
func (l *Load) choose(h *snapshotdb.Current, now time.Time, immediately bool, within time.Duration) {
	if h.Facts == 0 || immediately {
		hour := max(libraries.HourOf(now), hourOf(h.From))
		h.Facts, h.From, h.Next, h.NextFrom = l.to.Number(), hour.Time(), 0, time.Time{}
		return
	}
	hour := max(libraries.NextHour(now.Add(within)), hourOf(h.From), hourOf(h.NextFrom))
	h.Next, h.NextFrom = l.to.Number(), hour.Time()
}

// erasure is what the last step of a load erases from every state.
type erasure struct {
	emails []int64        // of readers who are deleted now (L18)
	known  map[int64]bool // who was forgotten when the load began: no row of it names them
}

// erase erases e-mails, and the readers who were forgotten while the load read and wrote rows that name them, from every state, the
// one that is served included.
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

// Drop withdraws what waits for its hour of a network, and returns what it was: its number and the hour from which it was to
// hold, zero where nothing waited. While a load of the network lives it waits for that, and calls waiting, if it is not nil.
func (s *Store) Drop(ctx context.Context, n libraries.NetworkID, waiting func()) (dropped report.Access, err error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return report.Access{}, err
	}
	h, err := s.Snapshots().Drop(ctx, auth.Tenant(n), waiting)
	return report.Access{Network: n, At: snapshot.Versions{Facts: h.Next}, Hour: hourOf(h.NextFrom)}, err
}
