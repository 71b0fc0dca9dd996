package librariesload

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

var readerFields = []feed.Field{
	{Name: "userId", Required: true}, {Name: "name"}, {Name: "email"}, {Name: "libraryId"}, {Name: "ageGroupId"}, {Name: "city"}, {Name: "state"},
	{Name: "ra"}, {Name: "gender"}, {Name: "registeredAt", Required: true}, {Name: "status", Required: true}, {Name: "deletedAt"},
	{Name: "updatedAt", Required: true}, {Name: "confirmedAt"}, {Name: "lastSignInAt"},
}

// readers reads the readers onto the pile. Which of the rows of one reader stands is said there, and by the store (F1).
func (l *load) readers(ctx context.Context) error {
	n := &l.totals.Readers
	return rows(ctx, l, "readers", readerFields, l.reader, func(r *libraries.Reader, _ feed.Pos) error {
		l.intake.AddReader(r.ID)
		return l.pile.AddReader(*r)
	}, &n.Rows, &n.Bad)
}

func (l *load) reader(r *feed.Row, to *libraries.Reader) {
	row := libraries.ReaderRow{
		Reader: libraries.Reader{
			ID: r.Int(0), Name: r.Text(1), Email: r.Text(2), Library: intOrNone(r, 3), AgeGroup: intOrNone(r, 4),
			City: r.Text(5), State: r.Text(6), RA: r.Text(7), Registered: r.Date(9),
			Updated: r.Time(12), Confirmed: r.Time(13), LastLogin: r.Time(14),
		},
		Gender: r.Text(8), Status: r.Text(10), DeletedAt: optional(r, 11, r.Date),
	}
	if r.Bad() {
		return
	}
	var err error
	*to, err = l.intake.Reader(row)
	fail(r, err, readerFields)
}
