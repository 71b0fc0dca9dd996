package schoolsdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools"
)

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// ErrOvertaken is returned by Save when the partner's data changed since the state was read: the load must be settled
// anew against the present state.
var ErrOvertaken = errors.New("the partner's data changed while the feed was read")

// ErrNotBegun is returned by Save where its transaction could not begin: nothing of the pile is used up, and Save may be
// called again.
var ErrNotBegun = errors.New("the load could not begin to write")

// State reads what a load must know of a partner.
func (s *Store) State(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (schools.State, error) {
	st := schools.State{Partner: ref}
	h, err := authdb.ReadHeld(ctx, s.DB, auth.Tenant(partner)) // before all else: what changes later is found by Save
	if err != nil {
		return st, err
	}
	st.At = state.Versions(h.Versions)
	if st.Began, err = (&authdb.Store{Now: s.Now}).Clock(ctx, s.DB); err != nil { // after the versions, and so after all that they stand for
		return st, err
	}
	if st.LastEntity, st.LastUser, err = directorydb.Counters(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Entities, err = directorydb.Entities(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Carriers, err = directorydb.Carriers(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Degrees, err = directorydb.Degrees(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Books, err = s.Books(ctx, partner, st.At); err != nil {
		return st, err
	}
	if st.Evaluations, err = directorydb.Evaluations(ctx, s.DB, partner); err != nil {
		return st, err
	}
	err = directorydb.AccountRefs(ctx, s.DB, partner, func(a directory.Account) error {
		st.Accounts = append(st.Accounts, a)
		return nil
	})
	return st, err
}

// Saved says what a load wrote.
type Saved struct {
	New, Repeated int // events
	Versions      state.Versions
}

// Save writes a settled feed and its events, and makes them hold with its last step (F2), which alone keeps directory writes of
// the partner out; readers go on with the states before. progress, if not nil, is told the parts of the pile that are done, 0 as
// soon as no other load of the partner is under way.
func (s *Store) Save(ctx context.Context, partner directory.PartnerID, in *schools.Intake, pile *schools.Pile, progress func(done, total int)) (saved Saved, err error) {
	l, err := s.States().Begin(ctx, state.Tenant(partner), nil)
	if err != nil {
		return Saved{}, fmt.Errorf("%w: %w", ErrNotBegun, err)
	}
	defer func() { err = errors.Join(err, l.Close(context.WithoutCancel(ctx))) }()
	if l.Base() != in.State.At.Facts {
		return Saved{}, ErrOvertaken
	}
	if progress != nil {
		progress(0, pile.Parts())
	}
	if saved.New, saved.Repeated, err = schools.Load(ctx, l, pile, progress); err != nil {
		return Saved{}, err
	}
	if saved.New == 0 && !in.Changes() {
		saved.Versions = in.State.At // nothing was written: what is cached stays good
		return saved, nil
	}
	if err := l.WriteRows(ctx, bookRows(in)); err != nil {
		return Saved{}, err
	}
	h, err := l.Hold(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, h *authdb.Held) error {
		if h.Registers != in.State.At.Registers {
			return ErrOvertaken
		}
		h.Facts, h.From, h.Registers = l.Number(), now, authdb.NextNumber(h.Registers)
		return s.putRegisters(ctx, tx, partner, h.Registers, in)
	})
	saved.Versions = state.Versions(h.Versions)
	return saved, err
}

// putRegisters writes what changed in the registers; version is the one that the load will publish.
func (s *Store) putRegisters(ctx context.Context, tx bun.Tx, partner directory.PartnerID, version int64, in *schools.Intake) error {
	if err := directorydb.PutEntities(ctx, tx, partner, version, in.PutEntities); err != nil {
		return err
	}
	if err := directorydb.PutAccounts(ctx, tx, partner, version, in.PutAccounts); err != nil {
		return err
	}
	if err := directorydb.AddCarriers(ctx, tx, partner, in.PutCarriers); err != nil {
		return err
	}
	if err := directorydb.PutEvaluations(ctx, tx, partner, in.PutEvaluations); err != nil {
		return err
	}
	return directorydb.SetCounters(ctx, tx, partner, in.State.LastEntity, in.State.LastUser)
}

// bookRows are the books that a load puts in, some of them in the place of others.
func bookRows(in *schools.Intake) statedb.RowChange {
	c := statedb.RowChange{Table: booksTable}
	for _, b := range in.PutBooks {
		c.Gone = append(c.Gone, []int64{b.ID})
	}
	c.Put = func(yield func([]any) bool) {
		for _, b := range in.PutBooks {
			if !yield([]any{b.ID, b.Title, b.Author, b.ISBN, b.Length}) {
				return
			}
		}
	}
	return c
}
