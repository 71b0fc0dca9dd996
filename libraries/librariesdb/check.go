package librariesdb

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
)

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
func (s *Store) Check(ctx context.Context, a report.Access, pile *intake.Pile, o SaveOptions) (Saved, error) {
	w := &writer{Writer: state.Unwritten(s.States(), state.Tenant(a.Network), a.At.Facts), store: s, base: a}
	loaded, err := intake.Count(ctx, w, pile, o.Progress)
	return Saved{loaded, a.Hour, a.At}, err
}
