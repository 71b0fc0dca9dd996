package report

import (
	"cmp"
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

// LoanQuery is what the dataset loans is asked. The zero Status is every one.
type LoanQuery struct {
	Period       calendar.Period // of the day of the loan
	Reader, Book *int64
	Status       libraries.LoanStatus
}

// LoanRow is one row of the dataset loans.
type LoanRow struct {
	Loan    libraries.Loan
	Title   *Title
	Seconds int64 // of the reader and the title, over all loans
	Highest libraries.Progress
}

// ReservationQuery is what the dataset reservations is asked. The zero Status is every one.
type ReservationQuery struct {
	Period       calendar.Period // of the day of the reservation
	Reader, Book *int64
	Status       libraries.ReservationStatus
}

// ReservationRow is one row of the dataset reservations.
type ReservationRow struct {
	Reservation libraries.Reservation
	Title       *Title
	Queue       int64 // waiting and available reservations of the title
}

// positionQuery asks for the positions of loans or reservations. Status is one of the register's, 0 every one.
type recordQuery struct {
	list         ListKind
	period       calendar.Period
	reader, book *int64
	status       uint8
}

// positioned is how the records of a register are read, and rows made of those of a page.
type recordList[R libraries.LoanOrReservation, T any] struct {
	in   func(context.Context, Access, ListWindow) ([]R, error)
	at   func(context.Context, Access, ListPositions) ([]R, error)
	rows func(context.Context, Access, []R) ([]T, error)
	// shown notes the rows that differ between two snapshots by what they show of others than their records.
	shown func(*recordDiff, context.Context) error
	// gone returns the row of a record that has left the list.
	gone func(id int64) T
}

// list answers one page of a register: the rows of the records that pass the query. The cost of a page does not depend on its depth.
func (of recordList[R, T]) list(ctx context.Context, r *Reports, a Access, q recordQuery, p paging.Page) (paging.List[T], error) {
	q.period = r.since(q.period)
	if q.reader == nil && q.book == nil {
		return of.byDay(ctx, r, a, q, p)
	}
	k := key(a, "positions of", uint8(q.list), q.reader, q.book)
	all, err := snapshot.Load(ctx, r.Cache, k, func(ctx context.Context) (ListPositions, error) {
		return r.Store.PositionsOf(ctx, a, q.list, q.reader, q.book)
	})
	if err != nil {
		return paging.List[T]{}, err
	}
	positions, err := paging.ListOf(q.filter(all.in(q.period)), p)
	l := paging.List[T]{Total: positions.Total}
	if err == nil && len(positions.Rows) > 0 {
		l.Rows, err = of.rowsAt(ctx, a, positions.Rows)
	}
	return l, err
}

// rowsAt returns the rows of positions.
func (of recordList[R, T]) rowsAt(ctx context.Context, a Access, positions ListPositions) ([]T, error) {
	list, err := of.at(ctx, a, positions)
	if err != nil {
		return nil, err
	}
	for i, m := range positions {
		if i >= len(list) || list[i].Origin().ID != m.ID || list[i].Origin().Day() != m.Day {
			return nil, fmt.Errorf("%d of %s is missing: %w", m.ID, m.Day, packed.ErrCorrupt)
		}
	}
	return of.rows(ctx, a, list)
}

// byDay returns one page of the rows of all readers and titles. The days' totals say how many each day has, so that a page begins
// some rows behind the first of a day.
func (of recordList[R, T]) byDay(ctx context.Context, r *Reports, a Access, q recordQuery, p paging.Page) (paging.List[T], error) {
	days, err := r.daysIn(ctx, a, q.period)
	if err != nil {
		return paging.List[T]{}, err
	}
	starts := groupsOf(days, q.count)
	l := paging.List[T]{Total: starts.Total()}
	spans, err := starts.Spans(p)
	if len(spans) == 0 {
		return l, err
	}
	w := ListWindow{Status: q.status, Skip: spans[0].From}
	w.Period = calendar.Period{Start: days.Dates[spans[0].Group], End: days.Dates[spans[len(spans)-1].Group]}
	for _, s := range spans {
		w.Size += s.To - s.From
	}
	list, err := of.in(ctx, a, w)
	if err == nil && !of.stand(list, days.Dates, spans) {
		err = fmt.Errorf("days %s to %s: register %d and totals differ: %w", w.Period.Start, w.Period.End, q.list, packed.ErrCorrupt)
	}
	if err == nil {
		l.Rows, err = of.rows(ctx, a, list)
	}
	return l, err
}

// stand reports whether records are as many of each day as the parts of days say.
func (of recordList[R, T]) stand(list []R, dates []calendar.Date, spans []paging.Span) bool {
	for _, s := range spans {
		for range s.To - s.From {
			if len(list) == 0 || list[0].Origin().Day() != dates[s.Group] {
				return false
			}
			list = list[1:]
		}
	}
	return len(list) == 0
}

// count returns how many positions of a day have the status.
func (q recordQuery) count(t *facts.DayTotals) int64 {
	counts := t.Counts.LoansByStatus[:]
	if q.list == ReservationList {
		counts = t.Counts.ReservationsByStatus[:]
	}
	sum := int64(0)
	for status, n := range counts {
		if q.status == 0 || int(q.status) == status {
			sum += n
		}
	}
	return sum
}

// filter returns the positions that have the status. They are all, or a copy.
func (q recordQuery) filter(all ListPositions) ListPositions {
	if q.status == 0 {
		return all
	}
	var some ListPositions
	for _, m := range all {
		if m.Status == q.status {
			some = append(some, m)
		}
	}
	return some
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

// Loans answers one page of the loans, by the day of the loan, then identifier. The rows are shared and must not be changed.
func (r *Reports) Loans(ctx context.Context, a Access, q LoanQuery, p paging.Page) (paging.List[LoanRow], error) {
	return r.loans().list(ctx, r, a, q.positions(), p)
}

func (q LoanQuery) positions() recordQuery {
	return recordQuery{LoanList, q.Period, q.Reader, q.Book, uint8(q.Status)}
}

// loans is how loans are read.
func (r *Reports) loans() recordList[libraries.Loan, LoanRow] {
	return recordList[libraries.Loan, LoanRow]{
		in: r.Store.LoansIn, at: r.Store.Loans, rows: r.loanRows, shown: (*recordDiff).progressed,
		gone: func(id int64) LoanRow { return LoanRow{Loan: libraries.Loan{ID: id}} },
	}
}

// loanRows reads the titles of loans, and what their readers read of these.
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

// addProgress sets the seconds and the progress of the rows: those of the reader and the title, from what was read of the loans of
// their days.
func (r *Reports) addProgress(ctx context.Context, a Access, rows []LoanRow) error {
	byDay := map[calendar.Date][]*LoanRow{}
	for i := range rows {
		day := rows[i].Loan.Day()
		byDay[day] = append(byDay[day], &rows[i])
	}
	days := snapshot.Range{Among: snapshot.Numbers(slices.Sorted(maps.Keys(byDay)))}
	err := r.blocks(ctx, a, facts.LoanReadingsKind, days, func(b snapshot.Block) error {
		day := calendar.Date(b.A)
		rows := byDay[day]
		delete(byDay, day)
		slices.SortFunc(rows, func(x, y *LoanRow) int {
			return cmp.Or(cmp.Compare(x.Loan.Reader, y.Loan.Reader), cmp.Compare(x.Loan.Book, y.Loan.Book))
		})
		var readings facts.LoanReadings
		if err := packed.Open(b.Data, &readings); err != nil {
			return fmt.Errorf("readings of loans of %s: %w", day, err)
		}
		for _, read := range readings {
			for len(rows) > 0 && rows[0].before(read) {
				rows = rows[1:]
			}
			for ; len(rows) > 0 && rows[0].Loan.Reader == read.Reader && rows[0].Loan.Book == read.Book; rows = rows[1:] {
				rows[0].Seconds, rows[0].Highest = read.Seconds, read.Highest
			}
		}
		return nil
	})
	for day := range byDay {
		if err == nil {
			err = fmt.Errorf("readings of loans of %s are missing: %w", day, packed.ErrCorrupt)
		}
	}
	return err
}

// before reports whether the row stands, by reader, then title, before a reading.
func (l *LoanRow) before(read facts.LoanReading) bool {
	return cmp.Or(cmp.Compare(l.Loan.Reader, read.Reader), cmp.Compare(l.Loan.Book, read.Book)) < 0
}

// Reservations answers one page of the reservations, by their day, then identifier. The rows are shared and must not be
// changed.
func (r *Reports) Reservations(ctx context.Context, a Access, q ReservationQuery, p paging.Page) (paging.List[ReservationRow], error) {
	return r.reservations().list(ctx, r, a, q.positions(), p)
}

func (q ReservationQuery) positions() recordQuery {
	return recordQuery{ReservationList, q.Period, q.Reader, q.Book, uint8(q.Status)}
}

// reservations is how reservations are read.
func (r *Reports) reservations() recordList[libraries.Reservation, ReservationRow] {
	return recordList[libraries.Reservation, ReservationRow]{
		in: r.Store.ReservationsIn, at: r.Store.Reservations, rows: r.reservationRows, shown: (*recordDiff).queued,
		gone: func(id int64) ReservationRow { return ReservationRow{Reservation: libraries.Reservation{ID: id}} },
	}
}

// reservationRows reads the titles of reservations, and the titles' queues.
func (r *Reports) reservationRows(ctx context.Context, a Access, reservations []libraries.Reservation) ([]ReservationRow, error) {
	titles, err := r.catalogue(ctx, a)
	if err != nil {
		return nil, err
	}
	now, err := r.titleCounts(ctx, a)
	if err != nil {
		return nil, err
	}
	rows := make([]ReservationRow, len(reservations))
	for i, v := range reservations {
		rows[i] = ReservationRow{v, titles.Title(v.Book), now.Of(v.Book).ActiveReservations}
		if rows[i].Title == nil {
			return nil, fmt.Errorf("title %d of reservation %d is missing: %w", v.Book, v.ID, packed.ErrCorrupt)
		}
	}
	return rows, nil
}
