package librariesload

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/server/feed"
)

// resources are the files of a libraries feed.
var resources = []string{
	"libraries", "ageGroups", "publishers", "categories", "subjects", "books", "lines", "readers", "loans", "renewals",
	"reservations", "sessions", "previews", "activity", "channels", "suggestions",
}

// read reads all files, each after those that it refers to, and settles them onto the pile.
func (l *load) read(ctx context.Context) error {
	in, t := l.intake, l.totals
	terms := map[libraries.Vocabulary]*librariesdb.Counts{
		libraries.LibraryTerms: &t.Libraries, libraries.AgeGroupTerms: &t.AgeGroups, libraries.PublisherTerms: &t.Publishers,
		libraries.CategoryTerms: &t.Categories, libraries.SubjectTerms: &t.Subjects,
	}
	var steps []func() error
	for _, v := range libraries.Vocabularies() {
		settle := func(rows []row.Lined[libraries.Term], bad row.Rejected) (librariesdb.Counts, error) {
			return in.Terms(v, rows, bad)
		}
		steps = append(steps, func() error { return register(ctx, l, v.String(), settle, terms[v]) })
	}
	steps = append(steps,
		func() error { return register(ctx, l, "books", in.Books, &t.Books) },
		func() error { return register(ctx, l, "lines", in.Lines, &t.Lines) },
		func() error { return register(ctx, l, "channels", in.Channels, &t.Channels) },
		func() error {
			// Which of the rows of one reader stands is said on the pile, and by the store (F1).
			return stream(ctx, l, "readers", in.Reader, func(r libraries.Reader) error {
				in.AddReader(r.ID)
				return l.pile.AddReader(r)
			}, &t.Readers)
		},
		func() error {
			return lasting(ctx, l, "loans", in.Loan, lastingRows[libraries.Loan, librariesdb.LoanChange]{
				pile: l.loans, id: func(loan libraries.Loan) int64 { return loan.ID }, known: l.store.LoansByID,
				settle: in.Loans, put: l.pile.AddLoan,
			}, &t.Loans)
		},
		func() error {
			return lasting(ctx, l, "reservations", in.Reservation, lastingRows[libraries.Reservation, librariesdb.ReservationChange]{
				pile: l.reservations, id: func(r libraries.Reservation) int64 { return r.ID }, known: l.store.ReservationsByID,
				settle: in.Reservations, put: l.pile.AddReservation,
			}, &t.Reservations)
		},
		func() error { return events(ctx, l, "renewals", in.Renewal, l.pile.AddEvent, &t.Renewals) },
		func() error { return events(ctx, l, "sessions", in.Session, l.pile.AddEvent, &t.Sessions) },
		func() error { return events(ctx, l, "previews", in.Preview, l.pile.AddEvent, &t.Previews) },
		func() error { return events(ctx, l, "activity", in.Activity, l.pile.AddEvent, &t.Activity) },
		func() error { return events(ctx, l, "suggestions", in.Request, l.pile.AddRequest, &t.Suggestions) },
	)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := l.report.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// register reads a file whole and settles its rows.
func register[R any, P feed.Record[R]](ctx context.Context, l *load, resource string,
	settle func([]row.Lined[R], row.Rejected) (librariesdb.Counts, error), n *librariesdb.Counts) error {
	g, err := feed.ReadRegister[R, P](ctx, l.loading(), resource)
	if err != nil {
		return err
	}
	*n, err = settle(g.Rows, g.Rejected)
	n.Rows += g.Bad
	n.Bad += g.Bad
	return err
}

// stream reads a file row by row.
func stream[R any, P feed.Record[R]](ctx context.Context, l *load, resource string, check func(R) (R, error), take func(R) error, n *librariesdb.Counts) error {
	return feed.Stream[R, R, P](ctx, l.loading(), feed.Resource[R, R]{
		Name: resource, Check: check, Rows: &n.Rows, Bad: &n.Bad,
		Take: func(r *R, _ feed.Pos) error { return take(*r) },
	})
}

// events reads a file of events, of which those before the history are passed over (G6).
func events[R, V any, P feed.Record[R]](ctx context.Context, l *load, resource string, check func(R) (V, error), add func(V) error, n *librariesdb.EventCounts) error {
	return feed.Stream[R, V, P](ctx, l.loading(), feed.Resource[R, V]{
		Name: resource, Check: check, Rows: &n.Rows, Bad: &n.Bad,
		Take: func(v *V, _ feed.Pos) error { return add(*v) },
		Skip: func(error) { n.BeforeHistory++ },
	})
}

// lastingRows says how rows R, which keep something for ever, become changes C.
type lastingRows[R, C any] struct {
	pile   *spill.Of[row.Lined[R]] // on which they wait until all are there
	id     func(R) int64
	known  func(context.Context, report.Access, []int64) (map[int64]R, error) // what the store has of identifiers
	settle func([]row.Lined[R], map[int64]R, *librariesdb.Counts, row.Rejected) ([]C, error)
	put    func(C) error
}

// lasting reads such a file, and settles its rows part by part against what the store has.
func lasting[R, C any, P feed.Record[R]](ctx context.Context, l *load, resource string, check func(R) (R, error), to lastingRows[R, C], n *librariesdb.Counts) error {
	err := feed.Stream[R, R, P](ctx, l.loading(), feed.Resource[R, R]{
		Name: resource, Check: check, Rows: &n.Rows, Bad: &n.Bad,
		Take: func(r *R, at feed.Pos) error { return to.pile.Add(row.Lined[R]{Line: at.Line, Row: *r}) },
	})
	if err != nil {
		return err
	}
	rejected := l.loading().Rejected(ctx, resource, row.Of(P(new(R))))
	for i := range spill.Parts {
		l.progress("settle", int64(i), spill.Parts)
		part, err := to.pile.Part(i)
		if err != nil {
			return err
		}
		if err := to.part(ctx, l, part, n, rejected); err != nil {
			return err
		}
	}
	return nil
}

// part settles a part of the rows. Before the first load the store knows nothing.
func (to lastingRows[R, C]) part(ctx context.Context, l *load, part []row.Lined[R], n *librariesdb.Counts, bad row.Rejected) (err error) {
	var had map[int64]R
	if l.base.At.Facts != 0 && len(part) > 0 {
		ids := make([]int64, len(part))
		for i, r := range part {
			ids[i] = to.id(r.Row)
		}
		slices.Sort(ids)
		if had, err = to.known(ctx, l.base, slices.Compact(ids)); err != nil {
			return err
		}
	}
	changes, err := to.settle(part, had, n, bad)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := to.put(c); err != nil {
			return err
		}
	}
	return nil
}
