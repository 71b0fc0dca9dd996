package report

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/intake"
)

// Memory is a Store without a database: the facts that events were folded into, beside one register and the books, which are
// those of every state. It keeps every state; what its fields hold must not change while a report reads it.
type Memory struct {
	state.Memory
	Members *Register
	Titles  *schools.Books              // all that the events are of
	Names   map[directory.UserID]Person // of accounts; nil is none
}

var _ Store = (*Memory)(nil)

// Fold folds events of a partner onto those folded before, and returns the state that they make, how many of them are new,
// and how many were folded before (F1). Of two calls at once one fails with state.ErrLost, and may be made again.
func (m *Memory) Fold(ctx context.Context, partner directory.PartnerID, events ...schools.Event) (at state.Versions, fresh, repeated int, err error) {
	pile := &intake.Pile{}
	defer func() { err = errors.Join(err, pile.Close()) }()
	for _, e := range events {
		if err := pile.Add(e); err != nil {
			return at, 0, 0, err
		}
	}
	l := m.Memory.Load(state.Tenant(partner))
	if fresh, repeated, err = intake.Load(ctx, l, pile, intake.Options{}); err != nil {
		return at, 0, 0, err
	}
	at.Facts, err = l.Hold()
	return at, fresh, repeated, err
}

// Register implements Store.
func (m *Memory) Register(context.Context, directory.PartnerID, state.Versions) (*Register, error) {
	return m.Members, nil
}

// Written implements Store.
func (m *Memory) Written(context.Context, directory.PartnerID, int64, int64) ([]directory.UserID, error) {
	return nil, nil
}

// ReplacedBooks implements Store.
func (m *Memory) ReplacedBooks(context.Context, directory.PartnerID, state.Span) ([]int64, error) {
	return nil, nil
}

// Books implements Store.
func (m *Memory) Books(context.Context, directory.PartnerID, state.Versions) (*schools.Books, error) {
	return m.Titles, nil
}

// People implements Store.
func (m *Memory) People(_ context.Context, _ Access, ids []directory.UserID) (people []Person, erased bool, err error) {
	for _, id := range ids {
		people = append(people, m.Names[id])
	}
	return people, false, nil
}
