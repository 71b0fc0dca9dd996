package report_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestEveryStatusIsListedAlone tests that the rows of each status add up to all loans, and to all reservations.
func TestEveryStatusIsListedAlone(t *testing.T) {
	s := newListStore(t, 23, testDays)
	r, p := report.Reports{Store: s, Cache: &keepAll{}}, paging.Page{Number: 1, Size: 1000}
	period := calendar.Period{Start: history, End: history + testDays}
	var loans, reservations int64
	for status := libraries.LoanActive; status <= libraries.LoanExpired; status++ {
		l, err := r.Loans(t.Context(), s.access(), report.LoanQuery{Period: period, Status: status}, p)
		if err != nil || l.Total == 0 || l.Total != int64(len(l.Rows)) {
			t.Errorf("%s loans: total %d with %d rows, %v", status, l.Total, len(l.Rows), err)
		}
		for _, row := range l.Rows {
			if row.Loan.Status != status {
				t.Errorf("%s loans include %+v", status, row.Loan)
			}
		}
		loans += l.Total
	}
	for status := libraries.Waiting; status <= libraries.Lost; status++ {
		l, err := r.Reservations(t.Context(), s.access(), report.ReservationQuery{Period: period, Status: status}, p)
		if err != nil || l.Total == 0 || l.Total != int64(len(l.Rows)) {
			t.Errorf("%s reservations: total %d with %d rows, %v", status, l.Total, len(l.Rows), err)
		}
		reservations += l.Total
	}
	if loans != int64(len(s.loans)) || reservations != int64(len(s.reservations)) {
		t.Errorf("statuses add up to %d loans, %d reservations, want %d, %d", loans, reservations, len(s.loans), len(s.reservations))
	}
}

// TestLoansOfOneTitleShowTheSame tests that a reader's loans of one title show the same seconds and progress.
func TestLoansOfOneTitleShowTheSame(t *testing.T) {
	s := newListStore(t, 24, 0)
	reader, book := s.people[0].ID, s.books[0].ID
	s.loans = []libraries.Loan{
		{ID: 1, Reader: reader, Book: book, Borrowed: history.Start(), Returned: history.Start().Add(time.Hour), Status: libraries.LoanReturned},
		{ID: 2, Reader: reader, Book: book, Borrowed: (history + 4).Start(), Status: libraries.LoanActive},
		{ID: 3, Reader: reader, Book: s.books[1].ID, Borrowed: (history + 4).Start(), Status: libraries.LoanActive},
	}
	s.pairs = map[readerBook]libraries.Pair{{reader, book}: libraries.NewPair(history+2, 90, libraries.Reading50)}
	s.pack(t)
	r := report.Reports{Store: s}
	q := report.LoanQuery{Period: calendar.Period{Start: history, End: history + 4}, Reader: &reader}
	l, err := r.Loans(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
	var got []string
	for _, row := range l.Rows {
		got = append(got, fmt.Sprintf("%d %d %s", row.Loan.ID, row.Seconds, row.Highest))
	}
	if want := "[1 90 50.00 2 90 50.00 3 0 0.00]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("loans, seconds and progress = %v, %v, want %s", got, err, want)
	}
}

// TestLoanDay tests that loans are listed by Brasilia day, which ends at 03:00 UTC, and within a day by identifier.
func TestLoanDay(t *testing.T) {
	s := newListStore(t, 25, 0)
	end := (history + 1).Start()
	s.loans = []libraries.Loan{
		{ID: 1, Reader: s.people[0].ID, Book: 10, Borrowed: end.Add(-time.Microsecond), Status: libraries.LoanActive},
		{ID: 2, Reader: s.people[0].ID, Book: 10, Borrowed: history.Start(), Status: libraries.LoanActive},
		{ID: 0, Reader: s.people[0].ID, Book: 10, Borrowed: end, Status: libraries.LoanActive},
	}
	s.pack(t)
	for day, want := range map[calendar.Date]string{history - 1: "[]", history: "[1 2]", history + 1: "[0]", history + 2: "[]"} {
		for _, reader := range []*int64{nil, &s.people[0].ID} {
			q := report.LoanQuery{Period: calendar.Period{Start: day, End: day}, Reader: reader}
			l, err := (&report.Reports{Store: s}).Loans(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
			got := []int64{}
			for _, row := range l.Rows {
				got = append(got, row.Loan.ID)
			}
			if fmt.Sprint(got) != want || err != nil {
				t.Errorf("loans of %s, reader %s = %v, %v, want %s", day, asked(reader), got, err, want)
			}
		}
	}
}

// TestPageReadsItsOwnLoans tests that a page of loans reads only its own, however deep it is, and one past the end none.
func TestPageReadsItsOwnLoans(t *testing.T) {
	s := newListStore(t, 26, testDays)
	r := report.Reports{Store: s, Cache: &keepAll{}}
	q := report.LoanQuery{Period: calendar.Period{Start: history, End: history + testDays}}
	last := paging.Page{Number: len(s.loans), Size: 1}
	if _, err := r.Loans(t.Context(), s.access(), q, last); err != nil {
		t.Fatal(err)
	}
	if loans := s.count("loans"); loans != 1 || s.most != 1 {
		t.Errorf("the last page read loans %d times and at most %d at once, want 1 and 1", loans, s.most)
	}
	q.Reader = &s.people[0].ID
	if _, err := r.Loans(t.Context(), s.access(), q, paging.Page{Number: 1000, Size: 1}); err != nil || s.count("loans") != 1 {
		t.Errorf("a page of a reader past the end: %v, loans read %d times, want no further read", err, s.count("loans"))
	}
}

// TestListsOfCorruptTables tests that missing loans, titles or readings, and corrupt readings, are an error.
func TestListsOfCorruptTables(t *testing.T) {
	for name, spoil := range map[string]func(s *listStore){
		"a loan is missing":    func(s *listStore) { s.loans = s.loans[1:] },
		"a title is missing":   func(s *listStore) { s.books = s.books[1:] },
		"readings are missing": func(s *listStore) { delete(s.readings, int64(s.loans[0].Day())) },
		"a day's readings have another version": func(s *listStore) {
			for day := range s.readings {
				s.readings[day] = []byte{250}
				break
			}
		},
	} {
		s := newListStore(t, 27, testDays)
		spoil(s)
		q := report.LoanQuery{Period: calendar.Period{Start: history, End: history + testDays}}
		_, err := (&report.Reports{Store: s}).Loans(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 1000})
		if !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}
