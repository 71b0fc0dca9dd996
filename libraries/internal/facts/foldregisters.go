package facts

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// loan folds a loan that is new or was something else.
func (f *folding) loan(l, was *libraries.Loan) error {
	if l.Reader != f.reader {
		return fmt.Errorf("loan %d of reader %d in a delivery of reader %d", l.ID, l.Reader, f.reader)
	}
	day := l.Day()
	if was == nil {
		f.change.Loans++
		f.touch(l.Book).lend(lentOf(l.Days()))
		f.tally.book(day, l.Book).Measures[metric.Loans]++
		f.tally.day(day).Presence.Add(libraries.LoanEvent, libraries.Second(l.Borrowed))
	} else {
		if was.ID != l.ID || was.Reader != l.Reader || was.Book != l.Book || !was.Borrowed.Equal(l.Borrowed) {
			return fmt.Errorf("loan %d: what never changes of a loan has changed (F1)", l.ID)
		}
		if before, now := was.Days(), l.Days(); before != now && !f.touch(l.Book).relend(lentOf(before), lentOf(now)) {
			return fmt.Errorf("loan %d from %s to %s: the reader's titles lack it", l.ID, before.Start, before.End)
		}
		f.loanState(was, -1)
	}
	f.loanState(l, 1)
	return nil
}

// loanState adds or takes back what a loan's status says.
func (f *folding) loanState(l *libraries.Loan, n int64) {
	f.tally.day(l.Day()).Totals.LoansByStatus[l.Status] += n
	if l.Status == libraries.LoanActive {
		f.tally.counted(l.Book).ActiveLoans += n
	}
	end, ended := l.Status.End()
	if !ended {
		return
	}
	day := calendar.Day(l.Returned)
	f.tally.book(day, l.Book).Measures[metric.Returns] += n
	if end.Activity() {
		f.tally.day(day).giveBack(libraries.Second(l.Returned), n)
	}
}

// reservation folds a reservation that is new or was something else.
func (f *folding) reservation(r, was *libraries.Reservation) error {
	if r.Reader != f.reader {
		return fmt.Errorf("reservation %d of reader %d in a delivery of reader %d", r.ID, r.Reader, f.reader)
	}
	day := r.Day()
	if was == nil {
		f.tally.book(day, r.Book).Measures[metric.Reservations]++
		f.tally.day(day).Presence.Add(libraries.ReservationEvent, libraries.Second(r.Reserved))
	} else {
		if was.ID != r.ID || was.Reader != r.Reader || was.Book != r.Book || !was.Reserved.Equal(r.Reserved) {
			return fmt.Errorf("reservation %d: what never changes of a reservation has changed (F1)", r.ID)
		}
		f.reservationState(was, -1)
	}
	f.reservationState(r, 1)
	return nil
}

// reservationState adds or takes back what a reservation's status says.
func (f *folding) reservationState(r *libraries.Reservation, n int64) {
	f.tally.day(r.Day()).Totals.ReservationsByStatus[r.Status] += n
	if r.Status.Active() {
		f.tally.counted(r.Book).ActiveReservations += n
		f.change.ActiveReservations += n
	}
	if !r.Status.Resolved() {
		return
	}
	resolved := calendar.Day(r.Resolved)
	switch r.Status {
	case libraries.Converted:
		f.tally.book(r.Day(), r.Book).Measures[metric.ReservationsConverted] += n
		f.tally.book(resolved, r.Book).Measures[metric.ConvertedThatDay] += n
	case libraries.Cancelled:
		f.tally.day(resolved).Totals.Cancelled += n
	case libraries.Lost:
		f.tally.day(resolved).Totals.Lost += n
	}
}
