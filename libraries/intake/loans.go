package intake

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Loan validates a row of loans by itself. The error is a *row.FaultError.
func (in *Intake) Loan(l libraries.Loan) (libraries.Loan, error) {
	if err := in.refers(l.Reader, l.Book); err != nil {
		return l, err
	}
	return l, in.ends(l.Borrowed, l.Returned, l.Status.Ended(), end{"borrowedAt", "returnedAt", "the loan is active"})
}

// Reservation validates a row of reservations by itself. A position that its status does not have is left out (L6). The error
// is a *row.FaultError.
func (in *Intake) Reservation(r libraries.Reservation) (libraries.Reservation, error) {
	if err := in.refers(r.Reader, r.Book); err != nil {
		return r, err
	}
	if !r.Status.Active() {
		r.Position = libraries.None
	}
	return r, in.ends(r.Reserved, r.Resolved, r.Status.Resolved(), end{"reservedAt", "resolvedAt", "the reservation is waiting or available"})
}

// end has the fields of a start and an end, and the reason for a missing end.
type end struct{ start, end, unless string }

// ends validates the end of a record: it is given if and only if the record has ended.
func (in *Intake) ends(start, at time.Time, ended bool, of end) error {
	given := !at.IsZero()
	if err := row.Late(of.start, start, in.Began); err != nil {
		return err
	}
	switch {
	case ended && !given:
		return row.Fault(of.end, isRequired+" unless "+of.unless)
	case !ended && given:
		return row.Fault(of.end, "must be empty while "+of.unless)
	case given && at.Before(start):
		return row.Fault(of.end, "must not be before "+of.start)
	case given:
		return row.Late(of.end, at, in.Began)
	}
	return nil
}

// A RecordSorter sorts the rows of loans, or of reservations, by identifier in bounded memory, and then compares those of
// each identifier with one another and with the store. Rows of one identifier may name different readers, of whom only the
// first is right, so the rows cannot be sorted by reader before.
type RecordSorter[T libraries.LoanOrReservation] struct {
	extsort.Sorter
	// Stored returns the stored records of some identifiers. It is nil before the first load.
	Stored func(ctx context.Context, ids []int64) (map[int64]T, error)
	// Progress, if not nil, is called with the number of finished partitions, from 0 on.
	Progress func(done, total int)

	table   *snapshot.Records[T]
	start   string // the field that has the time at which a record began
	history calendar.Date
	put     func(libraries.Changed[T]) error // takes the records that are new or changed
	record  []byte
}

// NewLoanSorter returns a sorter of loans that gives those that are new or changed to s.
func NewLoanSorter(in *Intake, s *Sorter) *RecordSorter[libraries.Loan] {
	return newRecordSorter(in, s, Loans, "borrowedAt", s.AddLoan)
}

// NewReservationSorter returns a sorter of reservations that gives those that are new or changed to s.
func NewReservationSorter(in *Intake, s *Sorter) *RecordSorter[libraries.Reservation] {
	return newRecordSorter(in, s, Reservations, "reservedAt", s.AddReservation)
}

func newRecordSorter[T libraries.LoanOrReservation](in *Intake, s *Sorter, of *snapshot.Records[T], start string, put func(libraries.Changed[T]) error) *RecordSorter[T] {
	return &RecordSorter[T]{
		Sorter: extsort.Sorter{Dir: s.Dir, Limit: s.Limit, Hash: neighboursHash},
		table:  of, start: start, history: in.History, put: put,
	}
}

// neighbours is how many consecutive identifiers are in one partition. Their stored records are neighbours too, so they are
// read in runs and not one from every page of the table.
const neighbours = 256

func neighboursHash(id int64) uint64 { return spread(id / neighbours) }

// Add adds a row that was validated by itself, and its line.
func (s *RecordSorter[T]) Add(v T, line int) error {
	s.record = s.table.Append(binary.AppendUvarint(s.record[:0], uint64(line)), &v)
	return s.Sorter.Add(v.Origin().ID, s.record)
}

// Reconcile reconciles the rows with the store when all are added, counts them, and closes the sorter.
func (s *RecordSorter[T]) Reconcile(ctx context.Context, n *row.Counts, bad row.Rejected) error {
	done := 0
	err := extsort.Process(ctx, &s.Sorter, s.reconcile, func(runs []reconciled[T]) error {
		if s.Progress != nil {
			s.Progress(done, extsort.Partitions)
		}
		done++
		for _, r := range runs {
			n.Add(r.counts)
			for _, f := range r.faults {
				if err := bad(f.Line, f.Row.Field, f.Row.Reason); err != nil {
					return err
				}
			}
			for _, c := range r.changes {
				if err := s.put(c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return errors.Join(err, s.Close())
}

// reconciled is the result of one run of rows.
type reconciled[T any] struct {
	counts  row.Counts
	faults  []row.Lined[row.FaultError]
	changes []libraries.Changed[T]
}

// reconcile reconciles a run with the store.
func (s *RecordSorter[T]) reconcile(ctx context.Context, run *extsort.Run) (r reconciled[T], err error) {
	rows, ids, err := s.rows(run)
	if err != nil {
		return r, err
	}
	had, err := s.stored(ctx, ids)
	if err != nil {
		return r, err
	}
	err = row.Reconciler[T, T]{
		Order: func(a, b T) int { return cmp.Compare(a.Origin().ID, b.Origin().ID) },
		Check: s.checker(had), Same: s.table.Same,
		Was: func(v T) (T, bool) { was, known := had[v.Origin().ID]; return was, known },
		Put: func(v T, was *T) error {
			r.changes = append(r.changes, libraries.Changed[T]{Now: v, Was: was})
			return nil
		},
	}.Reconcile(rows, &r.counts, func(line int, field, reason string) error {
		r.faults = append(r.faults, row.Lined[row.FaultError]{Line: line, Row: row.FaultError{Field: field, Reason: reason}})
		return nil
	})
	return r, err
}

// stored returns the stored records of identifiers, which ascend. Neighbours are asked for together, because the store reads a range
// fastest.
func (s *RecordSorter[T]) stored(ctx context.Context, ids []int64) (map[int64]T, error) {
	if s.Stored == nil {
		return nil, nil
	}
	had := make(map[int64]T, len(ids))
	for some := range slices.Chunk(ids, neighbours) {
		found, err := s.Stored(ctx, some)
		if err != nil {
			return nil, err
		}
		maps.Copy(had, found)
	}
	return had, nil
}

// rows returns the rows of a run, and their identifiers, which ascend.
func (s *RecordSorter[T]) rows(run *extsort.Run) (rows []row.Lined[T], ids []int64, err error) {
	rows = make([]row.Lined[T], 0, run.Len())
	for id, record := range run.All() {
		d := packed.Bare(record)
		rows = append(rows, row.Lined[T]{Line: int(d.Natural()), Row: read(&d, s.table)})
		if err := d.End(); err != nil {
			return nil, nil, fmt.Errorf("spilled row of %d: %w", id, err)
		}
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return rows, ids, nil
}

// checker returns a function that checks rows, identifier by identifier, against the stored record or the first good row.
// A record that began before the history does not exist (G6), so its row is skipped and does not bind later rows.
func (s *RecordSorter[T]) checker(had map[int64]T) func(T) (T, error) {
	var first libraries.Origin // of the identifier
	known := false
	return func(v T) (T, error) {
		now := v.Origin()
		if !known || first.ID != now.ID {
			was, stored := had[now.ID]
			first, known = was.Origin(), stored
		}
		if field := s.changed(first, now); known && field != "" {
			return v, row.Fault(field, "must not change")
		}
		if now.Day() < s.history {
			return v, row.ErrBeforeHistory
		}
		first, known = now, true
		return v, nil
	}
}

// changed returns the first field of the origin that differs, or "" (F1).
func (s *RecordSorter[T]) changed(first, now libraries.Origin) string {
	switch {
	case first.Reader != now.Reader:
		return "userId"
	case first.Book != now.Book:
		return "bookId"
	case !first.Start.Equal(now.Start):
		return s.start
	}
	return ""
}
