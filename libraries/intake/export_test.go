package intake

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
)

// Sorted are rows of loans that were added in some order, as they come back: run by run.
func Sorted(s *extsort.Sorter, rows []row.Lined[libraries.Loan]) (runs [][]row.Lined[libraries.Loan], ids []int64, err error) {
	for _, r := range rows {
		if err := loans.add(s, r.Row, r.Line); err != nil {
			return nil, nil, err
		}
	}
	for i := range extsort.Partitions {
		err = errors.Join(err, s.Each(i, func(run *extsort.Run) error {
			rows, some, err := loans.rows(run)
			if ids = append(ids, some...); len(rows) > 0 {
				runs = append(runs, rows)
			}
			return err
		}))
	}
	return runs, ids, err
}

// Loans settles rows of loans.
func (in *Intake) Loans(rows []row.Lined[libraries.Loan], had map[int64]libraries.Loan, c *row.Counts, bad row.Rejected) ([]libraries.LoanChange, error) {
	return loans.reconcile(rows, had, in.History, c, bad)
}

// Reservations settles rows of reservations.
func (in *Intake) Reservations(rows []row.Lined[libraries.Reservation], had map[int64]libraries.Reservation, c *row.Counts, bad row.Rejected) ([]libraries.ReservationChange, error) {
	return reservations.reconcile(rows, had, in.History, c, bad)
}

// Together is how many deltas of a day are added at once.
const Together = deltasAtOnce

// MergeDay returns what deltas of a day make of it, each added by itself to what a load merges.
func MergeDay(day calendar.Date, deltas []facts.DayDelta) (facts.DayForms, error) {
	m := dayMerge{&libraryLoad{Pipeline: snapshot.Pipeline{Writer: snapshot.Unwritten(nil, 1, 0)}}, map[calendar.Date]*mergedDay{}}
	for _, d := range deltas {
		if err := m.add(context.Background(), d); err != nil {
			return facts.DayForms{}, err
		}
	}
	if err := m.days[day].flush(); err != nil {
		return facts.DayForms{}, err
	}
	return m.days[day].Forms(), nil
}
