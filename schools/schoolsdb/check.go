package schoolsdb

import (
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools"
)

// Check counts what Save would write, and writes nothing (F7): it holds no lock and may run beside a load. The versions are
// those of the data that the feed was held against. The error is ErrOvertaken where the data have changed meanwhile.
func (s *Store) Check(ctx context.Context, partner directory.PartnerID, in *schools.Intake, pile *schools.Pile, progress func(done, total int)) (Saved, error) {
	l := &load{Store: s, partner: partner, progress: progress}
	err := l.check(ctx, pile)
	v, verr := authdb.ReadVersions(ctx, s.DB, auth.Tenant(partner))
	switch {
	case verr != nil:
		return Saved{}, verr
	case state.Versions(v) != in.State.At: // whatever the error, it may come of that
		return Saved{}, ErrOvertaken
	}
	l.saved.Versions = in.State.At
	return l.saved, err
}

// check folds the pile and counts its events.
func (l *load) check(ctx context.Context, pile *schools.Pile) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	return l.parts(ctx, pile, func(_ context.Context, f *folded) error {
		for i := range f.changes {
			l.saved.New += f.changes[i].New
			l.saved.Repeated += f.changes[i].Repeated
		}
		return nil
	})
}
