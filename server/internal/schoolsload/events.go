package schoolsload

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/feed"
)

// drops counts the events of accounts that may not be made, should they not be.
type drops struct {
	first directory.UserID
	dense []events // of the accounts from the first on, as far as their numbers follow one another: those that are to be made
	other map[directory.UserID]*events
}

// events are those of one account.
type events struct{ segments, accesses int }

func newDrops(users []directory.UserID) drops {
	d := drops{other: map[directory.UserID]*events{}}
	for i, user := range users {
		if i == 0 {
			d.first = user
		}
		if user == d.first+directory.UserID(i) {
			d.dense = append(d.dense, events{})
		} else {
			d.other[user] = &events{}
		}
	}
	return d
}

// of returns the counts of an account, or nil.
func (d *drops) of(user directory.UserID) *events {
	switch i := int64(user - d.first); {
	case i < 0:
		return nil
	case i < int64(len(d.dense)):
		return &d.dense[i]
	}
	return d.other[user]
}

// drop counts the events that are nobody's as deleted.
func (l *load) drop(m schools.Moves) {
	for user, to := range m {
		if n := l.drops.of(user); n != nil && to == 0 {
			l.totals.Segments.Deleted += n.segments
			l.totals.Accesses.Deleted += n.accesses
		}
	}
}

// events reads the files of events onto the pile.
func (l *load) events(ctx context.Context) error {
	l.drops = newDrops(l.intake.Placed())
	err := l.read(ctx, "segments", segmentFields, l.segment, &l.totals.Segments, func(n *events) { n.segments++ })
	if err != nil {
		return err
	}
	return l.read(ctx, "accesses", accessFields, l.access, &l.totals.Accesses, func(n *events) { n.accesses++ })
}

// outcome is what became of an event's row: an event, or the reason to skip it.
type outcome struct {
	event schools.Event
	skip  error
}

func (l *load) read(ctx context.Context, resource string, fields []feed.Field, parse func(*feed.Row, *outcome), n *Events, note func(*events)) error {
	file, err := l.folder.File(resource)
	if file == nil || err != nil {
		return err
	}
	total := l.folder.Size()
	return feed.Read(ctx, file, fields, parse, func(o *outcome, _ feed.Pos) error {
		if n.Rows++; n.Rows%100_000 == 0 {
			l.progress("read", l.folder.Done(), total)
		}
		switch o.skip {
		case schools.ErrBeforeHistory:
			n.BeforeHistory++
			return nil
		case schools.ErrDeleted:
			n.Deleted++
			return nil
		}
		if n := l.drops.of(o.event.User); n != nil {
			note(n)
		}
		return l.pile.Add(o.event)
	}, func(e *feed.RowError) error {
		n.Rows++
		n.Bad++
		return l.report.Bad(e)
	})
}

var segmentFields = []feed.Field{
	{Name: "segmentId", Required: true}, {Name: "account", Required: true}, {Name: "bookId", Required: true}, {Name: "startedAt", Required: true},
	{Name: "durationMs", Required: true}, {Name: "from"}, {Name: "to"}, {Name: "wpm"},
}

func (l *load) segment(r *feed.Row, o *outcome) {
	s := reading.Segment{Start: r.Time(3), DurationMS: r.Int(4), From: r.Int(5), To: r.Int(6)}
	if !r.Null(7) {
		speed, err := reading.ParseSpeed(r.Number(7))
		if err != nil {
			r.Fail(7, err.Error())
		}
		s.Speed = speed
	}
	id, account, book := r.ID(0), r.Bytes(1), r.Int(2)
	together(r, 5, 6)
	if r.Bad() {
		return
	}
	e, err := l.intake.Segment(id, account, book, s)
	o.settle(r, e, err, segmentFields)
}

// together fails a row that has one of two fields alone: taken for 0, the other would count what nobody read (S2).
func together(r *feed.Row, from, to int) {
	switch {
	case r.Null(from) && !r.Null(to):
		r.Fail(from, "must come together with to, or neither of them")
	case r.Null(to) && !r.Null(from):
		r.Fail(to, "must come together with from, or neither of them")
	}
}

var accessFields = []feed.Field{{Name: "accessId", Required: true}, {Name: "account", Required: true}, {Name: "at", Required: true}, {Name: "kind", Required: true}}

func (l *load) access(r *feed.Row, o *outcome) {
	id, account, at, kind := r.ID(0), r.Bytes(1), r.Time(2), r.Bytes(3)
	if r.Bad() {
		return
	}
	e, err := l.intake.Access(id, account, at, kind)
	o.settle(r, e, err, accessFields)
}

// settle keeps the event, or the reason to skip it, or says in the row why it is bad.
func (o *outcome) settle(r *feed.Row, e schools.Event, err error, fields []feed.Field) {
	*o = outcome{e, err}
	var wrong *schools.FaultError
	if !errors.As(err, &wrong) {
		return
	}
	r.Fail(slices.IndexFunc(fields, func(f feed.Field) bool { return f.Name == wrong.Field }), wrong.Reason)
}
