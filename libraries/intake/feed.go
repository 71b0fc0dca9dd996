package intake

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Feed is a feed as its files are read, each after those that it refers to: in the order of its methods. What they say of readers
// comes to the Pile.
type Feed struct {
	*Intake
	Pile *Pile
	// Known is what the store has of loans and reservations.
	Known Known
	// Settling, if not nil, is told the parts of loans and of reservations that are settled.
	Settling func(done, total int)

	loans        *spill.Of[row.Lined[libraries.Loan]]
	reservations *spill.Of[row.Lined[libraries.Reservation]]
}

// Known returns what there is of some loans, or reservations, as of the state that a load builds on. Both are nil before the
// first load.
type Known struct {
	Loans        func(ctx context.Context, ids []int64) (map[int64]libraries.Loan, error)
	Reservations func(ctx context.Context, ids []int64) (map[int64]libraries.Reservation, error)
}

// NewFeed returns a feed that is settled by an intake. room says where rows wait.
func NewFeed(in *Intake, known Known, room spill.Pile) *Feed {
	return &Feed{
		Intake: in, Pile: &Pile{Spill: room}, Known: known,
		loans: loans.pile(room), reservations: reservations.pile(room),
	}
}

// Close removes the temporary files.
func (f *Feed) Close() error {
	return errors.Join(f.Pile.Close(), f.loans.Close(), f.reservations.Close())
}

// TermFile is the file of a vocabulary.
func (f *Feed) TermFile(v libraries.Vocabulary, n *Counts) row.File[libraries.Term, Term] {
	return settled(v.String(), func(t libraries.Term) (Term, error) { return Term{v, t}, nil }, f.Terms, n)
}

// BookFile is books.
func (f *Feed) BookFile(n *Counts) row.File[libraries.Book, libraries.Book] {
	return settled("books", f.Book, f.Books, n)
}

// LineFile is lines.
func (f *Feed) LineFile(n *Counts) row.File[stock.BookLine, stock.BookLine] {
	return settled("lines", f.Line, f.Lines, n)
}

// ChannelFile is channels.
func (f *Feed) ChannelFile(n *Counts) row.File[libraries.ChannelDay, libraries.ChannelDay] {
	return settled("channels", f.Channel, f.Channels, n)
}

// ReaderFile is readers. Which of the rows of one reader stands is said on the pile, and by the store (F1).
func (f *Feed) ReaderFile(n *Counts) row.File[libraries.Reader, libraries.Reader] {
	return row.File[libraries.Reader, libraries.Reader]{Name: "readers", Check: f.Reader, Take: func(r libraries.Reader, _ int) error {
		f.AddReader(r.ID)
		return f.Pile.AddReader(r)
	}, Rows: &n.Rows, Bad: &n.Bad}
}

// LoanFile is loans.
func (f *Feed) LoanFile(n *Counts) row.File[libraries.Loan, libraries.Loan] {
	return kept(f, loans, f.loans, keeping[libraries.Loan]{"loans", f.Loan, f.Known.Loans, f.Pile.AddLoan, n})
}

// ReservationFile is reservations.
func (f *Feed) ReservationFile(n *Counts) row.File[libraries.Reservation, libraries.Reservation] {
	return kept(f, reservations, f.reservations, keeping[libraries.Reservation]{
		"reservations", f.Reservation, f.Known.Reservations, f.Pile.AddReservation, n,
	})
}

// RenewalFile is renewals.
func (f *Feed) RenewalFile(n *EventCounts) row.File[RenewalRow, facts.Event] {
	return events("renewals", f.Renewal, f.Pile.AddEvent, n)
}

// SessionFile is sessions.
func (f *Feed) SessionFile(n *EventCounts) row.File[SessionRow, facts.Event] {
	return events("sessions", f.Session, f.Pile.AddEvent, n)
}

// PreviewFile is previews.
func (f *Feed) PreviewFile(n *EventCounts) row.File[PreviewRow, facts.Event] {
	return events("previews", f.Preview, f.Pile.AddEvent, n)
}

// ActivityFile is activity.
func (f *Feed) ActivityFile(n *EventCounts) row.File[ActivityRow, facts.Event] {
	return events("activity", f.Activity, f.Pile.AddEvent, n)
}

// RequestFile is suggestions.
func (f *Feed) RequestFile(n *EventCounts) row.File[libraries.Request, libraries.Request] {
	return events("suggestions", f.Request, f.Pile.AddRequest, n)
}

// settled is a file whose rows are settled when all are there.
func settled[R, V any](name string, check func(R) (V, error), settle func([]row.Lined[V]) Counts, n *Counts) row.File[R, V] {
	var good []row.Lined[V]
	return row.File[R, V]{Name: name, Check: check, Take: func(v V, line int) error {
		good = append(good, row.Lined[V]{Line: line, Row: v})
		return nil
	}, End: func(context.Context, row.Rejected) error {
		rows, bad := n.Rows, n.Bad
		*n = settle(good)
		n.Rows, n.Bad = rows, bad
		return nil
	}, Rows: &n.Rows, Bad: &n.Bad}
}

// events is a file of events, of which those before the history are passed over (G6).
func events[R, V any](name string, check func(R) (V, error), add func(V) error, n *EventCounts) row.File[R, V] {
	return row.File[R, V]{
		Name: name, Check: check, Take: func(v V, _ int) error { return add(v) }, Skip: func(error) { n.BeforeHistory++ },
		Rows: &n.Rows, Bad: &n.Bad,
	}
}

// keeping says what is done with rows which keep something for ever.
type keeping[T any] struct {
	name  string
	check func(T) (T, error)
	known func(ctx context.Context, ids []int64) (map[int64]T, error)
	put   func(facts.Changed[T]) error
	n     *Counts
}

// kept is a file of rows that wait on a pile until all are there: they are settled part by part against what the store has, some
// parts at once.
func kept[T any](f *Feed, of lasting[T], pile *spill.Of[row.Lined[T]], k keeping[T]) row.File[T, T] {
	return row.File[T, T]{Name: k.name, Check: k.check, Take: func(v T, line int) error {
		return pile.Add(row.Lined[T]{Line: line, Row: v})
	}, End: func(ctx context.Context, bad row.Rejected) error {
		done := 0
		return spill.InOrder(ctx, spill.Parts, func(ctx context.Context, i int) (settledPart[T], error) {
			rows, err := pile.Part(i)
			if err != nil {
				return settledPart[T]{}, err
			}
			had, err := k.had(ctx, of, rows)
			if err != nil {
				return settledPart[T]{}, err
			}
			return settlePart(of, rows, had, f.History)
		}, func(p settledPart[T]) error {
			if f.Settling != nil {
				f.Settling(done, spill.Parts)
			}
			done++
			return k.take(p, bad)
		})
	}, Rows: &k.n.Rows, Bad: &k.n.Bad}
}

// settledPart is what comes of a part of a pile of rows: those that are bad are told when the parts before have been.
type settledPart[T any] struct {
	changes []facts.Changed[T]
	counts  Counts
	bad     []rejected
}

// rejected is a row that was found bad when it was settled.
type rejected struct {
	line          int
	field, reason string
}

func settlePart[T any](of lasting[T], rows []row.Lined[T], had map[int64]T, history calendar.Date) (p settledPart[T], err error) {
	p.changes, err = of.settle(rows, had, history, &p.counts, func(line int, field, reason string) error {
		p.bad = append(p.bad, rejected{line, field, reason})
		return nil
	})
	return p, err
}

// take takes what comes of a part.
func (k keeping[T]) take(p settledPart[T], bad row.Rejected) error {
	k.n.add(p.counts)
	for _, r := range p.bad {
		if err := bad(r.line, r.field, r.reason); err != nil {
			return err
		}
	}
	for _, c := range p.changes {
		if err := k.put(c); err != nil {
			return err
		}
	}
	return nil
}

// had is what the store has of the rows.
func (k keeping[T]) had(ctx context.Context, of lasting[T], rows []row.Lined[T]) (map[int64]T, error) {
	if k.known == nil || len(rows) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = of.of(r.Row).id
	}
	slices.Sort(ids)
	return k.known(ctx, slices.Compact(ids))
}
