package librariesdb

import (
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Check counts what Save would write, and writes nothing (F7): it holds no lock and may run beside a load. The hour and the
// versions are those of the data that the feed was held against; of the options, Progress alone counts. The error is
// ErrOvertaken where the data have changed meanwhile.
func (s *Store) Check(ctx context.Context, network libraries.NetworkID, in *libraries.Intake, pile *libraries.Pile, o SaveOptions) (Saved, error) {
	l := &load{Store: s, network: network, SaveOptions: o, empty: in.State.Hour == 0, pile: pile}
	err := assembly(ctx, spill.Parts, l.fold, func(_ context.Context, p *part) error {
		p.aside.reset() // days are not folded: they count nothing
		l.sheaves.Put(p.aside)
		l.saved.count(p.saved)
		if l.done++; l.Progress != nil {
			l.Progress(l.done, spill.Parts)
		}
		return nil
	})
	v, verr := authdb.ReadHeld(ctx, s.DB, auth.Tenant(network))
	switch {
	case verr != nil:
		return Saved{}, verr
	case state.Versions(v.Versions) != in.State.At: // whatever the error, it may come of that
		return Saved{}, ErrOvertaken
	}
	l.saved.Hour, l.saved.Versions = in.State.Hour, in.State.At
	return l.saved, err
}
