package librariesdb

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Last returns the access to what a load would build on now, and a check is held against: the state that the last load left,
// whether it holds yet or waits for its hour. The error is ErrNotFound where there is no such network.
func (s *Store) Last(ctx context.Context, n libraries.NetworkID) (libraries.Access, error) {
	h, err := s.held(ctx, n)
	a := AccessOf(n, h)
	if h.Next > 0 {
		a.At.Facts, a.Hour = h.Next, hourOf(h.NextFrom)
	}
	return a, err
}

// Check counts what a load on a state would save, and writes nothing (F7): it holds no lock and may run beside a load. The
// hour and the versions are those of the state; of the options, Progress alone counts.
func (s *Store) Check(ctx context.Context, a libraries.Access, pile *libraries.Pile, o SaveOptions) (Saved, error) {
	l := &load{Store: s, SaveOptions: o, base: a, pile: pile}
	err := spill.Each(ctx, spill.Parts, l.fold, func(p *part) error {
		p.aside.reset() // days are not folded: they count nothing
		l.sheaves.Put(p.aside)
		l.saved.count(p.saved)
		if l.done++; l.Progress != nil {
			l.Progress(l.done, spill.Parts)
		}
		return nil
	})
	l.saved.Hour, l.saved.Versions = a.Hour, state.Versions(a.At)
	return l.saved, err
}
