package schoolsload

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// drops counts the events of accounts that may not be made, should they not be.
type drops map[directory.UserID]*events

// events are those of one account.
type events struct{ segments, accesses int }

func newDrops(users []directory.UserID) drops {
	d := make(drops, len(users))
	for _, user := range users {
		d[user] = &events{}
	}
	return d
}

// drop counts the events that are nobody's as deleted.
func (l *loading) drop(m intake.Moves) {
	for user, to := range m {
		if n := l.drops[user]; n != nil && to == 0 {
			l.totals.Segments.Deleted += n.segments
			l.totals.Accesses.Deleted += n.accesses
		}
	}
}

// events reads the files of events onto the pile.
func (l *loading) events(ctx context.Context) error {
	l.drops = newDrops(l.intake.Placed())
	err := stream(ctx, l, row.File[intake.SegmentRow, schools.Event]{Name: "segments", Check: l.intake.Segment},
		&l.totals.Segments, func(n *events) { n.segments++ })
	if err != nil {
		return err
	}
	return stream(ctx, l, row.File[intake.AccessRow, schools.Event]{Name: "accesses", Check: l.intake.Access},
		&l.totals.Accesses, func(n *events) { n.accesses++ })
}

// stream reads one file of events. Those before the history, and of what is deleted, are passed over.
func stream[R any, P feed.Record[R]](ctx context.Context, l *loading, f row.File[R, schools.Event], n *Events, note func(*events)) error {
	f.Rows, f.Bad = &n.Rows, &n.Bad
	f.Take = func(e schools.Event, _ int) error {
		if n := l.drops[e.User]; n != nil {
			note(n)
		}
		return l.pile.Add(e)
	}
	f.Skip = func(why error) {
		if why == intake.ErrDeleted {
			n.Deleted++
		} else {
			n.BeforeHistory++
		}
	}
	return load.Read[R, schools.Event, P](ctx, l.Load, f)
}
