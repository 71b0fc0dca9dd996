package librariesdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/spill"
)

// SaveOptions say how a load is saved. The zero SaveOptions make it hold from the next full hour.
type SaveOptions struct {
	// Immediately makes the load hold at once, as the hour that has begun (L1). A network's first load does so anyway.
	Immediately bool
	// Progress, if not nil, is told the steps that are done, one after the other, from 0 on.
	Progress func(done, total int)
	// TempDir is where temporary files go; empty is the system's place.
	TempDir string
	// MemoryLimit bounds the bytes that wait for their day in memory, by default 64 MiB; what is more goes to files. The
	// parts of the pile that are folded and written at one time come besides, three of 256, and later as many days.
	MemoryLimit int
}

// Saved says what a load wrote.
type Saved struct {
	intake.Loaded
	Hour     libraries.Hour // from which it holds
	Versions state.Versions // of the data then
}

// Load is a load of a network under way. Until Close no other load of the network is; readers go on with the state before,
// and networks do not wait for one another.
type Load struct {
	// Base is what the load builds on: the state that the last load left, whether it holds yet or waits for its hour.
	Base  report.Access
	store *Store
	to    *statedb.Load
}

// Begin begins a load of a network. While another one lives it waits, and calls waiting, if it is not nil, once. The error is
// ErrNotFound where there is no such network.
func (s *Store) Begin(ctx context.Context, n libraries.NetworkID, waiting func()) (*Load, error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return nil, err
	}
	to, err := s.States().Begin(ctx, state.Tenant(n), waiting)
	if err != nil {
		return nil, err
	}
	base := report.Access{Network: n, At: state.Versions{Facts: to.Base()}}
	return &Load{Base: base, store: s, to: to}, nil
}

// Close ends a load. Where it was not saved nothing of it is left.
func (l *Load) Close(ctx context.Context) error { return l.to.Close(ctx) }

// Save writes a settled feed, which builds on the state of Base, and makes it hold with its last step (F2), also where nothing
// is new. The pile is used up, and is the caller's to close. The error is state.ErrLost where another load has taken over.
func (l *Load) Save(ctx context.Context, in *intake.Intake, pile *intake.Pile, o SaveOptions) (Saved, error) {
	w := &writer{Writer: l.to, store: l.store, base: l.Base, to: l.to, forgotten: in.State.Forgotten}
	loaded, err := intake.Load(ctx, w, in, pile, intake.LoadOptions{
		Progress: o.Progress, Days: spill.Pile{Dir: o.TempDir, Limit: o.MemoryLimit},
	})
	if err != nil {
		return Saved{}, err
	}
	saved, err := w.hold(ctx, o.Immediately, lead)
	if err != nil {
		return Saved{}, err
	}
	l.store.settle(ctx)
	saved.Loaded = loaded
	return saved, nil
}

// settle does what is due after a load; the load stands whatever becomes of it. On SQLite the journal is written into the
// database: what was erased is gone then.
func (s *Store) settle(ctx context.Context) {
	if s.writesAlone() {
		_, _ = s.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
}

// writer is where a load writes, and a check does not.
type writer struct {
	state.Writer
	store  *Store
	base   report.Access
	to     *statedb.Load // nil in a check
	erased []int64       // readers whose e-mail goes from every state

	forgotten map[int64]bool // readers whom no row of the load names
}

var _ intake.Writer = (*writer)(nil)

// People implements intake.Writer.
func (w *writer) People(ctx context.Context, ids []int64) ([]libraries.Reader, error) {
	return w.store.People(ctx, w.base, ids)
}

// WriteAll implements intake.Writer.
func (w *writer) WriteAll(ctx context.Context, changes ...intake.Written) error {
	var rows []statedb.RowChange
	for _, c := range changes {
		w.erased = append(w.erased, c.Erased...)
		for v, terms := range c.Terms {
			rows = append(rows, change(termsTable, intake.Puts[term]{New: termsOf(v, terms.New), Again: termsOf(v, terms.Again)}))
		}
		rows = append(rows, change(booksTable, c.Books), change(linesTable, c.Lines), change(channelsTable, c.Channels),
			change(readersTable, c.Readers), change(loansTable, c.Loans), change(reservationsTable, c.Reservations),
			change(requestsTable, c.Requests))
		for _, b := range c.Blocks {
			rows = append(rows, w.to.RowsOf(b))
		}
	}
	return w.to.WriteRows(ctx, rows...)
}

// change is what puts rows into a table.
func change[T any](t *statedb.Records[T], p intake.Puts[T]) statedb.RowChange {
	list := p.New
	if len(p.Again) > 0 {
		list = slices.Concat(p.New, p.Again)
	}
	return t.Replace(t.Keys(p.Again), list)
}

// termsOf are terms with their vocabulary.
func termsOf(v libraries.Vocabulary, terms []libraries.Term) []term {
	list := make([]term, len(terms))
	for i, t := range terms {
		list[i] = term{v, t}
	}
	return list
}

// lead is how long before its hour a load has to be ready, and how long its last step may take (L1).
const lead = 10 * time.Second

// errLate says that a last step took so long that its hour may have come meanwhile.
var errLate = errors.New("the load's last step took too long")

// hold is the load's last step. One that takes longer than it may is taken again, and may take twice as long then: the hour
// that it chose may have begun without it.
func (w *writer) hold(ctx context.Context, immediately bool, within time.Duration) (Saved, error) {
	h, err := w.to.Hold(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h *authdb.Held) error {
		if err := w.erase(ctx, tx); err != nil {
			return err
		}
		if w.choose(h, now, immediately, within); h.Next == 0 {
			return nil
		}
		end, err := w.store.States().Clock(ctx, tx)
		if err == nil && end.Sub(now) > within {
			err = errLate
		}
		return err
	})
	if errors.Is(err, errLate) {
		return w.hold(ctx, immediately, 2*within)
	}
	saved := Saved{Versions: state.Versions{Registers: h.Registers, Facts: h.Last()}, Hour: hourOf(h.From)}
	if h.Next > 0 {
		saved.Hour = hourOf(h.NextFrom)
	}
	return saved, err
}

// choose says from when the load holds: the first full hour that is far enough away and not before that of any earlier load,
// or at once (L1). What waits moves along: the load builds on it.
func (w *writer) choose(h *authdb.Held, now time.Time, immediately bool, within time.Duration) {
	if h.Facts == 0 || immediately {
		hour := max(libraries.HourOf(now), hourOf(h.From))
		h.Facts, h.From, h.Next, h.NextFrom = w.to.Number(), hour.Time(), 0, time.Time{}
		return
	}
	hour := max(libraries.NextHour(now.Add(within)), hourOf(h.From), hourOf(h.NextFrom))
	h.Next, h.NextFrom = w.to.Number(), hour.Time()
}

// erase erases the e-mails of readers whom the load positions deleted from every state, the one that is served included (L18).
func (w *writer) erase(ctx context.Context, tx bun.Tx) error {
	for ids := range slices.Chunk(w.erased, chunk) {
		_, err := tx.NewRaw(`UPDATE libraries_readers SET email = '' WHERE tenant_id = ? AND user_id IN (?) AND email <> ''`,
			w.base.Network, bun.List(ids)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("erase e-mails: %w", err)
		}
	}
	return w.eraseForgotten(ctx, tx)
}

// eraseForgotten erases the readers who were forgotten while the load read and wrote rows that name them.
func (w *writer) eraseForgotten(ctx context.Context, tx bun.Tx) error {
	all, err := forgotten(ctx, tx, w.base.Network)
	if err != nil {
		return err
	}
	for id := range w.forgotten {
		delete(all, id)
	}
	return eraseReaders(ctx, tx, w.base.Network, slices.Sorted(maps.Keys(all)))
}

// Drop withdraws what waits for its hour of a network, and returns what it was: its number and the hour from which it was to
// hold, zero where nothing waited. While a load of the network lives it waits for that, and calls waiting, if it is not nil.
func (s *Store) Drop(ctx context.Context, n libraries.NetworkID, waiting func()) (dropped report.Access, err error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return report.Access{}, err
	}
	h, err := s.States().Drop(ctx, state.Tenant(n), waiting)
	return report.Access{Network: n, At: state.Versions{Facts: h.Next}, Hour: hourOf(h.NextFrom)}, err
}
