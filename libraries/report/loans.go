package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// RecordQuery has the parameters of the datasets loans and reservations. The zero Status selects all.
type RecordQuery[S ~uint8] struct {
	Period       calendar.Period // of the day of the loan or reservation
	Reader, Book *int64
	Status       S
}

// LoanQuery and ReservationQuery have the parameters of their datasets.
type (
	LoanQuery        = RecordQuery[libraries.LoanStatus]
	ReservationQuery = RecordQuery[libraries.ReservationStatus]
)

// LoanRow is one row of the dataset loans.
type LoanRow struct {
	Loan    libraries.Loan
	Title   *Title
	Seconds int64 // of the reader and the title, over all loans
	Highest libraries.Progress
}

// ReservationRow is one row of the dataset reservations.
type ReservationRow struct {
	Reservation libraries.Reservation
	Title       *Title
	Queue       int64 // the waiting and available reservations of the title
}

// recordList is how the list of loans or reservations is read. R is the stored record, T its row.
type recordList[R libraries.LoanOrReservation, T any] struct {
	kind ListKind
	in   func(context.Context, Access, ListWindow) ([]R, error)
	byID func(context.Context, Access, []int64) (map[int64]R, error)
	rows func(context.Context, Access, []R) ([]T, error)
	// shown adds to a pull the rows that differ by what they show besides their record and their title.
	shown func(*recordDiff, context.Context) error
	// removed returns the row of a record that has left the list.
	removed func(id int64) T
}

// list returns one page of the list. The cost of a page does not depend on its depth.
func (l recordList[R, T]) list(ctx context.Context, r *Reports, a Access, q RecordQuery[uint8], p paging.Page) (paging.List[T], error) {
	q.Period = r.since(q.Period)
	if q.Reader == nil && q.Book == nil {
		return l.byDay(ctx, r, a, q, p)
	}
	k := key(a, "positions of", uint8(l.kind), q.Reader, q.Book)
	all, err := snapshot.Load(ctx, r.Cache, k, func(ctx context.Context) (ListPositions, error) {
		return r.Store.PositionsOf(ctx, a, l.kind, q.Reader, q.Book)
	})
	if err != nil {
		return paging.List[T]{}, err
	}
	all = all.in(q.Period)
	if q.Status != 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(m ListPosition) bool { return m.Status != q.Status })
	}
	positions, err := paging.ListOf(all, p)
	list := paging.List[T]{Total: positions.Total}
	if err == nil && len(positions.Rows) > 0 {
		list.Rows, err = l.rowsAt(ctx, a, positions.Rows)
	}
	return list, err
}

// rowsAt returns the rows of positions.
func (l recordList[R, T]) rowsAt(ctx context.Context, a Access, positions ListPositions) ([]T, error) {
	records, ids := make([]R, len(positions)), make([]int64, len(positions))
	for i, m := range positions {
		ids[i] = m.ID
	}
	found, err := l.byID(ctx, a, ids)
	if err != nil {
		return nil, err
	}
	for i, m := range positions {
		records[i] = found[m.ID]
		if of := records[i].Origin(); of.ID != m.ID || of.Day() != m.Day {
			return nil, fmt.Errorf("%d of %s is missing: %w", m.ID, m.Day, packed.ErrCorrupt)
		}
	}
	return l.rows(ctx, a, records)
}

// byDay returns one page of the rows of all readers and titles. The totals of the days tell how many rows each day
// has. So it is known on which day a page begins, and after how many of its rows.
func (l recordList[R, T]) byDay(ctx context.Context, r *Reports, a Access, q RecordQuery[uint8], p paging.Page) (paging.List[T], error) {
	counted, err := r.network(ctx, a)
	if err != nil {
		return paging.List[T]{}, err
	}
	days := counted.Days.In(q.Period)
	starts := rowsByDay(days, func(t *facts.DayTotals) int64 { return l.count(t, q.Status) })
	list := paging.List[T]{Total: starts.Total()}
	spans, err := starts.Spans(p)
	if len(spans) == 0 {
		return list, err
	}
	var want []calendar.Date // of each record of the page
	for _, s := range spans {
		want = append(want, slices.Repeat([]calendar.Date{days.Dates[s.Group]}, s.To-s.From)...)
	}
	period := calendar.Period{Start: want[0], End: want[len(want)-1]}
	records, err := l.in(ctx, a, ListWindow{Period: period, Status: q.Status, Skip: spans[0].From, Size: len(want)})
	if err != nil {
		return list, err
	}
	if !slices.EqualFunc(records, want, func(record R, day calendar.Date) bool { return record.Origin().Day() == day }) {
		return list, fmt.Errorf("days %s to %s: list %d and totals differ: %w", period.Start, period.End, l.kind, packed.ErrCorrupt)
	}
	list.Rows, err = l.rows(ctx, a, records)
	return list, err
}

// count returns how many records of a day have the status.
func (l recordList[R, T]) count(t *facts.DayTotals, status uint8) (n int64) {
	counts := t.Counts.LoansByStatus[:]
	if l.kind == ReservationList {
		counts = t.Counts.ReservationsByStatus[:]
	}
	for s, c := range counts {
		if status == 0 || int(status) == s {
			n += c
		}
	}
	return n
}

// in returns the positions of a period.
func (m ListPositions) in(p calendar.Period) ListPositions {
	if p.Start > p.End {
		return nil
	}
	from := sort.Search(len(m), func(i int) bool { return m[i].Day >= p.Start })
	to := sort.Search(len(m), func(i int) bool { return m[i].Day > p.End })
	return m[from:to]
}

// untyped returns the query with a plain status.
func (q RecordQuery[S]) untyped() RecordQuery[uint8] {
	return RecordQuery[uint8]{q.Period, q.Reader, q.Book, uint8(q.Status)}
}

// Loans answers one page of the loans, by the day of the loan, then identifier. The rows are shared and must not be
// changed.
func (r *Reports) Loans(ctx context.Context, a Access, q LoanQuery, p paging.Page) (paging.List[LoanRow], error) {
	return r.loans().list(ctx, r, a, q.untyped(), p)
}

// LoansSince answers one page of an incremental pull of the loans (H14).
func (r *Reports) LoansSince(ctx context.Context, a Access, since snapshot.Versions, q LoanQuery, p paging.Page) (paging.List[LoanRow], error) {
	return r.loans().since(ctx, r, a, since, q.untyped(), p)
}

func (r *Reports) loans() recordList[libraries.Loan, LoanRow] {
	return recordList[libraries.Loan, LoanRow]{
		LoanList, r.Store.LoansIn, r.Store.LoansByID, r.loanRows, (*recordDiff).progressed,
		func(id int64) LoanRow { return LoanRow{Loan: libraries.Loan{ID: id}} },
	}
}

// loanRows returns the rows of loans: with their titles, and what their readers read of these.
func (r *Reports) loanRows(ctx context.Context, a Access, loans []libraries.Loan) ([]LoanRow, error) {
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return nil, err
	}
	rows := make([]LoanRow, len(loans))
	for i, l := range loans {
		rows[i] = LoanRow{Loan: l, Title: titles.Title(l.Book)}
		if rows[i].Title == nil {
			return nil, fmt.Errorf("title %d of loan %d is missing: %w", l.Book, l.ID, packed.ErrCorrupt)
		}
	}
	return rows, r.addProgress(ctx, a, rows)
}

// addProgress sets the seconds and the progress of rows. They are stored by the day of the loan, and within a day by
// reader and title.
func (r *Reports) addProgress(ctx context.Context, a Access, rows []LoanRow) error {
	byDay := map[calendar.Date][]*LoanRow{}
	for i := range rows {
		day := rows[i].Loan.Day()
		byDay[day] = append(byDay[day], &rows[i])
	}
	days := snapshot.Range{Among: snapshot.Numbers(slices.Sorted(maps.Keys(byDay)))}
	err := r.blocks(ctx, a, facts.LoanReadingsKind, days, func(b snapshot.Block) error {
		day := calendar.Date(b.A)
		var readings facts.LoanReadings
		if err := packed.Open(b.Data, &readings); err != nil {
			return fmt.Errorf("readings of loans of %s: %w", day, err)
		}
		for _, row := range byDay[day] {
			pair := facts.LoanReading{Reader: row.Loan.Reader, Book: row.Loan.Book}
			if i, found := slices.BinarySearchFunc(readings, pair, facts.LoanReading.Compare); found {
				row.Seconds, row.Highest = readings[i].Seconds, readings[i].Highest
			}
		}
		delete(byDay, day)
		return nil
	})
	for day := range byDay {
		if err == nil {
			err = fmt.Errorf("readings of loans of %s are missing: %w", day, packed.ErrCorrupt)
		}
	}
	return err
}

// Reservations answers one page of the reservations, by their day, then identifier. The rows are shared and must not
// be changed.
func (r *Reports) Reservations(ctx context.Context, a Access, q ReservationQuery, p paging.Page) (paging.List[ReservationRow], error) {
	return r.reservations().list(ctx, r, a, q.untyped(), p)
}

// ReservationsSince answers one page of an incremental pull of the reservations (H14).
func (r *Reports) ReservationsSince(ctx context.Context, a Access, since snapshot.Versions, q ReservationQuery, p paging.Page) (paging.List[ReservationRow], error) {
	return r.reservations().since(ctx, r, a, since, q.untyped(), p)
}

func (r *Reports) reservations() recordList[libraries.Reservation, ReservationRow] {
	return recordList[libraries.Reservation, ReservationRow]{
		ReservationList, r.Store.ReservationsIn, r.Store.ReservationsByID, r.reservationRows, (*recordDiff).queued,
		func(id int64) ReservationRow { return ReservationRow{Reservation: libraries.Reservation{ID: id}} },
	}
}

// reservationRows returns the rows of reservations: with their titles, and the queues of these.
func (r *Reports) reservationRows(ctx context.Context, a Access, reservations []libraries.Reservation) ([]ReservationRow, error) {
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return nil, err
	}
	counted, err := r.network(ctx, a)
	if err != nil {
		return nil, err
	}
	rows := make([]ReservationRow, len(reservations))
	for i, v := range reservations {
		rows[i] = ReservationRow{v, titles.Title(v.Book), counted.Titles.Of(v.Book).ActiveReservations}
		if rows[i].Title == nil {
			return nil, fmt.Errorf("title %d of reservation %d is missing: %w", v.Book, v.ID, packed.ErrCorrupt)
		}
	}
	return rows, nil
}
