package librariesdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
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
	New, Repeated int // events and requests; a repeated one was loaded before (F1)
	Requests      int // those of the new ones that are suggestion requests
	Readers       ReaderCounts
	Hour          libraries.Hour // from which it holds
	Versions      state.Versions // of the data then
}

// count adds what a part of the pile counts.
func (s *Saved) count(part Saved) {
	s.New += part.New
	s.Repeated += part.Repeated
	s.Requests += part.Requests
	s.Readers.add(part.Readers)
}

// ReaderCounts counts the readers who have a row in the feed, by what that row did. One that the store has a later row of
// is Superseded (F1).
type ReaderCounts struct{ New, Changed, Unchanged, Superseded int }

func (c *ReaderCounts) add(n ReaderCounts) {
	c.New += n.New
	c.Changed += n.Changed
	c.Unchanged += n.Unchanged
	c.Superseded += n.Superseded
}

// Load is a load of a network under way. Until Close no other load of the network is; readers go on with the state before,
// and networks do not wait for one another.
type Load struct {
	// Base is what the load builds on: the state that the last load left, whether it holds yet or waits for its hour.
	Base  libraries.Access
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
	base := libraries.Access{Network: n, At: state.Versions{Facts: to.Base()}}
	return &Load{Base: base, store: s, to: to}, nil
}

// Close ends a load. Where it was not saved nothing of it is left.
func (l *Load) Close(ctx context.Context) error { return l.to.Close(ctx) }

// Save writes a settled feed, which builds on the state of Base, and makes it hold with its last step (F2), also where nothing
// is new. The pile is used up, and is the caller's to close. The error is state.ErrLost where another load has taken over.
func (l *Load) Save(ctx context.Context, in *libraries.Intake, pile *libraries.Pile, o SaveOptions) (Saved, error) {
	w := &load{Store: l.store, SaveOptions: o, base: l.Base, to: l.to, pile: pile, changes: holdingChanges{}}
	if o.Progress != nil {
		o.Progress(0, 2*spill.Parts)
	}
	w.aside.pile.Dir, w.aside.pile.Limit = o.TempDir, o.MemoryLimit
	defer w.aside.pile.Close()
	if err := w.run(ctx, in); err != nil {
		return Saved{}, err
	}
	if err := w.hold(ctx, lead); err != nil {
		return Saved{}, err
	}
	l.store.settle(ctx, w.empty())
	return w.saved, nil
}

// settle does what is due after a load; the load stands whatever becomes of it. On SQLite the journal is written into the
// database: what was erased is gone then. On PostgreSQL statistics are gathered after a network's first load: until the
// server does so by itself, it takes tables that were just filled for empty ones and reads them whole. SQLite's are given by
// a migration.
func (s *Store) settle(ctx context.Context, first bool) {
	switch {
	case s.writesAlone():
		_, _ = s.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	case first:
		_, _ = s.DB.ExecContext(ctx, `ANALYZE libraries_loans, libraries_readers, libraries_reservations, blocks`)
	}
}

// load is one load, or check, under way. What was folded before is read at the state that it builds on, which what it writes
// does not change.
type load struct {
	*Store
	SaveOptions
	base libraries.Access
	to   *statedb.Load // nil in a check

	piles sync.Mutex // of pile, and of aside while it is emptied: neither is for several goroutines at once
	pile  *libraries.Pile
	aside aside

	sheaves sync.Pool // of *sheaf

	waiting []statedb.RowChange // to be written
	bytes   int                 // of what waits

	changes holdingChanges
	erased  []int64 // readers whose e-mail goes from every state
	saved   Saved
	done    int // steps
}

// empty reports whether nothing was loaded before: there is nothing to read and nothing to replace.
func (l *load) empty() bool { return l.base.At.Facts == 0 }

// run writes everything: the catalogue, the pile part by part, the days, which all parts share, and the holdings.
func (l *load) run(ctx context.Context, in *libraries.Intake) error {
	if err := l.put(ctx, flushAt, registerRows(in)...); err != nil {
		return err
	}
	if err := spill.Each(ctx, spill.Parts, l.fold, func(p *part) error { return l.write(ctx, p) }); err != nil {
		return err
	}
	if err := spill.Each(ctx, spill.Parts, l.merge, func(ds *foldedDays) error { return l.writeDays(ctx, ds) }); err != nil {
		return err
	}
	return l.writeHoldings(ctx)
}

const (
	rowBytes = 256      // about what a row of a register takes in memory
	flushAt  = 16 << 20 // bytes that wait to be written together
)

// put writes changes, together with others: every call to the database is one more transaction.
func (l *load) put(ctx context.Context, bytes int, changes ...statedb.RowChange) error {
	l.waiting = append(l.waiting, changes...)
	if l.bytes += bytes; l.bytes < flushAt {
		return nil
	}
	err := l.to.WriteRows(ctx, l.waiting...)
	l.waiting, l.bytes = nil, 0
	return err
}

// step tells the progress: a step is a part of the pile or of the days.
func (l *load) step() {
	if l.done++; l.Progress != nil {
		l.Progress(l.done, 2*spill.Parts)
	}
}

// registerRows are what is new or changed in the registers that a load settles in memory.
func registerRows(in *libraries.Intake) (changes []statedb.RowChange) {
	for _, v := range libraries.Vocabularies() {
		var terms []term
		for _, t := range in.PutTerms[v] {
			terms = append(terms, term{v, t})
		}
		changes = append(changes, termsTable.Replace(termsTable.Keys(terms), terms))
	}
	return append(changes,
		booksTable.Replace(booksTable.Keys(in.PutBooks), in.PutBooks),
		linesTable.Replace(linesTable.Keys(in.PutLines), in.PutLines),
		channelsTable.Replace(channelsTable.Keys(in.PutChannels), in.PutChannels))
}

// lead is how long before its hour a load has to be ready, and how long its last step may take (L1).
const lead = 10 * time.Second

// errLate says that a last step took so long that its hour may have come meanwhile.
var errLate = errors.New("the load's last step took too long")

// hold is the load's last step. One that takes longer than it may is taken again, and may take twice as long then: the hour
// that it chose may have begun without it.
func (l *load) hold(ctx context.Context, within time.Duration) error {
	h, err := l.to.Hold(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h *authdb.Held) error {
		if err := l.erase(ctx, tx); err != nil {
			return err
		}
		if l.choose(h, now, within); h.Next == 0 {
			return nil
		}
		end, err := l.States().Clock(ctx, tx)
		if err == nil && end.Sub(now) > within {
			err = errLate
		}
		return err
	})
	if errors.Is(err, errLate) {
		return l.hold(ctx, 2*within)
	}
	l.saved.Versions = state.Versions{Registers: h.Registers, Facts: h.Last()}
	l.saved.Hour = hourOf(h.From)
	if h.Next > 0 {
		l.saved.Hour = hourOf(h.NextFrom)
	}
	return err
}

// choose says from when the load holds: the first full hour that is far enough away and not before that of any earlier load,
// or at once (L1). What waits moves along: the load builds on it.
func (l *load) choose(h *authdb.Held, now time.Time, within time.Duration) {
	if h.Facts == 0 || l.Immediately {
		hour := max(libraries.HourOf(now), hourOf(h.From))
		h.Facts, h.From, h.Next, h.NextFrom = l.to.Number(), hour.Time(), 0, time.Time{}
		return
	}
	hour := max(libraries.NextHour(now.Add(within)), hourOf(h.From), hourOf(h.NextFrom))
	h.Next, h.NextFrom = l.to.Number(), hour.Time()
}

// erase erases the e-mails of readers whom the load marks deleted from every state, the one that is served included (L18).
func (l *load) erase(ctx context.Context, tx bun.Tx) error {
	for ids := range slices.Chunk(l.erased, chunk) {
		_, err := tx.NewRaw(`UPDATE libraries_readers SET email = '' WHERE tenant_id = ? AND user_id IN (?) AND email <> ''`,
			l.base.Network, bun.List(ids)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("erase e-mails: %w", err)
		}
	}
	return nil
}

// Drop withdraws what waits for its hour of a network, and returns what it was: its number and the hour from which it was to
// hold, zero where nothing waited. While a load of the network lives it waits for that, and calls waiting, if it is not nil.
func (s *Store) Drop(ctx context.Context, n libraries.NetworkID, waiting func()) (dropped libraries.Access, err error) {
	if _, err := NetworkOf(ctx, s.DB, n); err != nil {
		return libraries.Access{}, err
	}
	h, err := s.States().Drop(ctx, state.Tenant(n), waiting)
	return libraries.Access{Network: n, At: state.Versions{Facts: h.Next}, Hour: hourOf(h.NextFrom)}, err
}
