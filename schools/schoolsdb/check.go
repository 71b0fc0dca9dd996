package schoolsdb

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools/internal/intake"
)

// Check counts what Load.Save would write, and writes nothing (F7): it holds no lock and may run beside a load. The versions are
// those of the data that the feed was held against.
func (s *Store) Check(ctx context.Context, partner directory.PartnerID, in *intake.Intake, pile *intake.Pile, progress func(done, total int)) (saved Saved, err error) {
	saved.Versions, saved.Last = in.State.At, in
	if err := pile.Move(in.Moves(in)); err != nil {
		return saved, err
	}
	saved.New, saved.Repeated, err = intake.Load(ctx, state.Unwritten(s, state.Tenant(partner), in.State.At.Facts), pile, progress)
	return saved, err
}
