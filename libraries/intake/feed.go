package intake

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
)

// Feed is a feed as its files are read, each after those that it refers to: in the order of its methods. What they say of readers
// comes to the Sorter.
type Feed struct {
	*Intake
	Sorter *Sorter
	// Known is what the store has of loans and reservations.
	Known Known
	// Settling, if not nil, is told the partitions of loans and of reservations that are settled.
	Reconciling func(done, total int)

	loans, reservations extsort.Sorter // by identifier
}

// Known returns what there is of some loans, or reservations, as of the state that a load builds on. Both are nil before the
// first load.
type Known struct {
	Loans        func(ctx context.Context, ids []int64) (map[int64]libraries.Loan, error)
	Reservations func(ctx context.Context, ids []int64) (map[int64]libraries.Reservation, error)
}

// NewFeed returns a feed that is settled by an intake. dir and limit are those of its sorters.
func NewFeed(in *Intake, known Known, dir string, limit int) *Feed {
	of := func() extsort.Sorter { return extsort.Sorter{Dir: dir, Limit: limit} }
	return &Feed{Intake: in, Sorter: &Sorter{Sorter: of()}, Known: known, loans: of(), reservations: of()}
}

// Close removes the temporary files.
func (f *Feed) Close() error {
	return errors.Join(f.Sorter.Close(), f.loans.Close(), f.reservations.Close())
}

// TermFile is the file of a vocabulary.
func (f *Feed) TermFile(v libraries.Vocabulary, n *row.Counts) row.File[libraries.Term, Term] {
	return tableFile(v.String(), func(t libraries.Term) (Term, error) { return Term{v, t}, nil }, f.Terms, n)
}

// BookFile is books.
func (f *Feed) BookFile(n *row.Counts) row.File[libraries.Book, libraries.Book] {
	return tableFile("books", f.Book, f.Books, n)
}

// LineFile is lines.
func (f *Feed) LineFile(n *row.Counts) row.File[stock.BookLine, stock.BookLine] {
	return tableFile("lines", f.Line, f.Lines, n)
}

// ChannelFile is channels.
func (f *Feed) ChannelFile(n *row.Counts) row.File[libraries.ChannelDay, libraries.ChannelDay] {
	return tableFile("channels", f.Channel, f.Channels, n)
}

// ReaderFile is readers. Which of the rows of one reader stands is known from all of them, and by the store (F1).
func (f *Feed) ReaderFile(n *row.Counts) row.File[libraries.Reader, libraries.Reader] {
	return row.File[libraries.Reader, libraries.Reader]{Name: "readers", Check: f.Reader, Take: func(r libraries.Reader, _ int) error {
		f.AddReader(r.ID)
		return f.Sorter.AddReader(r)
	}, Counts: n}
}

// LoanFile is loans.
func (f *Feed) LoanFile(n *row.Counts) row.File[libraries.Loan, libraries.Loan] {
	return sortedFile(f, loans, &f.loans, recordFile[libraries.Loan]{"loans", f.Loan, f.Known.Loans, f.Sorter.AddLoan, n})
}

// ReservationFile is reservations.
func (f *Feed) ReservationFile(n *row.Counts) row.File[libraries.Reservation, libraries.Reservation] {
	return sortedFile(f, reservations, &f.reservations, recordFile[libraries.Reservation]{
		"reservations", f.Reservation, f.Known.Reservations, f.Sorter.AddReservation, n,
	})
}

// RenewalFile is renewals.
func (f *Feed) RenewalFile(n *row.Counts) row.File[RenewalRow, libraries.Event] {
	return eventFile("renewals", f.Renewal, f.Sorter.AddEvent, n)
}

// SessionFile is sessions.
func (f *Feed) SessionFile(n *row.Counts) row.File[SessionRow, libraries.Event] {
	return eventFile("sessions", f.Session, f.Sorter.AddEvent, n)
}

// PreviewFile is previews.
func (f *Feed) PreviewFile(n *row.Counts) row.File[PreviewRow, libraries.Event] {
	return eventFile("previews", f.Preview, f.Sorter.AddEvent, n)
}

// ActivityFile is activity.
func (f *Feed) ActivityFile(n *row.Counts) row.File[ActivityRow, libraries.Event] {
	return eventFile("activity", f.Activity, f.Sorter.AddEvent, n)
}

// RequestFile is suggestions.
func (f *Feed) RequestFile(n *row.Counts) row.File[libraries.Request, libraries.Request] {
	return eventFile("suggestions", f.Request, f.Sorter.AddRequest, n)
}

// settled is a file whose rows are settled when all are there.
func tableFile[R, V any](name string, check func(R) (V, error), settle func([]row.Lined[V]) row.Counts, n *row.Counts) row.File[R, V] {
	var good []row.Lined[V]
	return row.File[R, V]{Name: name, Check: check, Take: func(v V, line int) error {
		good = append(good, row.Lined[V]{Line: line, Row: v})
		return nil
	}, End: func(context.Context, row.Rejected) error {
		settled := settle(good)
		settled.Rows, settled.Bad = n.Rows, n.Bad
		*n = settled
		return nil
	}, Counts: n}
}

// events is a file of events, of which those before the history are skipped (G6).
func eventFile[R, V any](name string, check func(R) (V, error), add func(V) error, n *row.Counts) row.File[R, V] {
	return row.File[R, V]{Name: name, Check: check, Take: func(v V, _ int) error { return add(v) }, Counts: n}
}

// keeping says what is done with rows which keep something for ever.
type recordFile[T libraries.LoanOrReservation] struct {
	name  string
	check func(T) (T, error)
	known func(ctx context.Context, ids []int64) (map[int64]T, error)
	put   func(libraries.Changed[T]) error
	n     *row.Counts
}

// kept is a file of rows that are sorted by identifier, and settled run by run against what the store has, some partitions at once.
func sortedFile[T libraries.LoanOrReservation](f *Feed, of recordTable[T], rows *extsort.Sorter, k recordFile[T]) row.File[T, T] {
	return row.File[T, T]{Name: k.name, Check: k.check, Counts: k.n, Take: func(v T, line int) error {
		return of.add(rows, v, line)
	}, End: func(ctx context.Context, bad row.Rejected) error {
		done := 0
		err := extsort.Process(ctx, rows, func(ctx context.Context, run *extsort.Run) (func() error, error) {
			rows, ids, err := of.rows(run)
			if err != nil {
				return nil, err
			}
			var had map[int64]T
			if k.known != nil && len(ids) > 0 {
				if had, err = k.known(ctx, ids); err != nil {
					return nil, err
				}
			}
			return k.reconcile(of, rows, had, f.History, bad)
		}, func(partition []func() error) error {
			if f.Reconciling != nil {
				f.Reconciling(done, extsort.Partitions)
			}
			done++
			for _, take := range partition {
				if err := take(); err != nil {
					return err
				}
			}
			return nil
		})
		return errors.Join(err, rows.Close())
	}}
}

// settle settles the rows of a run. The function that it returns takes what comes of them, after the runs before.
func (k recordFile[T]) reconcile(of recordTable[T], rows []row.Lined[T], had map[int64]T, history calendar.Date, bad row.Rejected) (func() error, error) {
	var n row.Counts
	var faults []row.Lined[row.FaultError]
	changes, err := of.reconcile(rows, had, history, &n, func(line int, field, reason string) error {
		faults = append(faults, row.Lined[row.FaultError]{Line: line, Row: row.FaultError{Field: field, Reason: reason}})
		return nil
	})
	return func() error {
		k.n.Add(n)
		for _, f := range faults {
			if err := bad(f.Line, f.Row.Field, f.Row.Reason); err != nil {
				return err
			}
		}
		for _, c := range changes {
			if err := k.put(c); err != nil {
				return err
			}
		}
		return nil
	}, err
}
