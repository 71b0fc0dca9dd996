package librariesdb

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// someLoans returns n loans on ten days, by day, then identifier. They have few readers and titles, and hardly any expired.
func someLoans(n int) []libraries.Loan {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	loans := make([]libraries.Loan, n)
	for i, id := range r.Perm(3 * n)[:n] {
		at := firstDay.Start().Add(time.Duration(r.Int64N(int64(10 * 24 * time.Hour)))).Truncate(time.Microsecond).UTC()
		loans[i] = libraries.Loan{ID: int64(id), Reader: r.Int64N(40), Book: r.Int64N(7), Borrowed: at, Status: libraries.LoanActive}
		switch chance := r.IntN(100); {
		case chance == 0:
			loans[i].Status, loans[i].Returned = libraries.LoanExpired, at.Add(time.Hour)
		case chance < 50:
			loans[i].Status, loans[i].Returned, loans[i].Due = libraries.LoanReturned, at.Add(time.Hour), ptr(firstDay)
		}
	}
	slices.SortFunc(loans, func(a, b libraries.Loan) int { return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID)) })
	return loans
}

// putLoans puts the loans, and a reservation for each. The other network gets them too, with different values.
func (f *fixture) putLoans(loans []libraries.Loan) {
	f.Helper()
	var rs []libraries.Reservation
	var otherLoans, otherReservations [][]any
	for _, l := range loans {
		r := reservationOf(l)
		rs = append(rs, r)
		l.Due, r.Position = ptr(firstDay+99), 99
		otherLoans, otherReservations = append(otherLoans, intake.Loans.Values(l)), append(otherReservations, intake.Reservations.Values(r))
	}
	f.put(f.other, intake.Loans.Table, otherLoans...)
	f.put(f.other, intake.Reservations.Table, otherReservations...)
	putAll(f, intake.Loans, loans)
	putAll(f, intake.Reservations, rs)
}

// reservationOf returns a reservation with a loan's identifier, reader, title and instant.
func reservationOf(l libraries.Loan) libraries.Reservation {
	return libraries.Reservation{ID: l.ID, Reader: l.Reader, Book: l.Book, Reserved: l.Borrowed, Resolved: l.Returned, Position: libraries.None,
		Status: libraries.ReservationStatus(l.Status)}
}

// pick returns the picked loans and their positions.
func pick(loans []libraries.Loan, picked func(i int, l libraries.Loan) bool) (list []libraries.Loan, positions report.ListPositions) {
	for i, l := range loans {
		if picked(i, l) {
			list, positions = append(list, l), append(positions, report.ListPosition{Day: l.Day(), ID: l.ID, Status: uint8(l.Status)})
		}
	}
	return list, positions
}

func TestPositionsOf(t *testing.T) {
	lists := []report.ListKind{report.LoanList, report.ReservationList}
	eachEngine(t, func(t *testing.T, f *fixture) {
		loans := someLoans(3000)
		f.putLoans(loans)
		check := func(what string, got report.ListPositions, err error, picked func(libraries.Loan) bool) {
			t.Helper()
			_, want := pick(loans, func(_ int, l libraries.Loan) bool { return picked(l) })
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %d positions, %v, want %d", what, len(got), err, len(want))
			}
		}
		for _, of := range lists {
			for reader := range int64(41) {
				positions, err := f.PositionsOf(t.Context(), f.a, of, &reader, nil)
				check(fmt.Sprint(of, " of reader ", reader), positions, err, func(l libraries.Loan) bool { return l.Reader == reader })
				book := reader % 8
				positions, err = f.PositionsOf(t.Context(), f.a, of, nil, &book)
				check(fmt.Sprint(of, " of title ", book), positions, err, func(l libraries.Loan) bool { return l.Book == book })
				positions, err = f.PositionsOf(t.Context(), f.a, of, &reader, &book)
				check(fmt.Sprint(of, " of reader and title ", reader, book), positions, err, func(l libraries.Loan) bool { return l.Reader == reader && l.Book == book })
			}
			if positions, err := f.PositionsOf(t.Context(), f.a, of, nil, nil); err == nil {
				t.Errorf("PositionsOf neither a reader nor a title = %d positions, want an error", len(positions))
			}
		}
	})
}

// TestWindows tests windows of the lists: of one day, of several days, and of one status.
func TestWindows(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		loans := someLoans(3000)
		f.putLoans(loans)
		for _, w := range []report.ListWindow{
			{Period: calendar.Period{Start: firstDay - 1, End: firstDay - 1}, Size: 5},
			{Period: calendar.Period{Start: firstDay, End: firstDay}, Size: 1000},
			{Period: calendar.Period{Start: firstDay + 3, End: firstDay + 3}, Skip: 100, Size: 50},
			{Period: calendar.Period{Start: firstDay + 3, End: firstDay + 6}, Skip: 200, Size: 700},
			{Period: calendar.Period{Start: firstDay + 3, End: firstDay + 6}, Skip: 9999, Size: 7},
			{Period: calendar.Period{Start: firstDay, End: firstDay + 9}, Status: uint8(libraries.LoanExpired), Skip: 3, Size: 4},
			{Period: calendar.Period{Start: firstDay + 2, End: firstDay + 9}, Status: uint8(libraries.LoanReturned), Skip: 40, Size: 500},
		} {
			want, _ := pick(loans, func(_ int, l libraries.Loan) bool {
				return w.Period.Contains(l.Day()) && (w.Status == 0 || w.Status == uint8(l.Status))
			})
			want = want[min(w.Skip, len(want)):]
			want = want[:min(w.Size, len(want))]
			got, err := f.LoansIn(t.Context(), f.a, w)
			if err != nil || !slices.EqualFunc(got, want, func(a, b libraries.Loan) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("%+v: %d loans, %v, want %d", w, len(got), err, len(want))
			}
			reservations, err := f.ReservationsIn(t.Context(), f.a, w)
			if err != nil || !slices.EqualFunc(reservations, want, func(r libraries.Reservation, l libraries.Loan) bool { return r == reservationOf(l) }) {
				t.Errorf("%+v: %d reservations, %v, want %d", w, len(reservations), err, len(want))
			}
		}
	})
}

// TestRecordsByPosition tests that the records of positions are read: adjacent or scattered ones, or those of a status or reader.
func TestRecordsByPosition(t *testing.T) {
	pages := map[string]func(i int, l libraries.Loan) bool{
		"none":           func(int, libraries.Loan) bool { return false },
		"one":            func(i int, _ libraries.Loan) bool { return i == 1234 },
		"side by side":   func(i int, _ libraries.Loan) bool { return i >= 700 && i < 1700 },
		"every other":    func(i int, _ libraries.Loan) bool { return i%2 == 0 },
		"first and last": func(i int, _ libraries.Loan) bool { return i == 0 || i == 2499 },
		"all":            func(int, libraries.Loan) bool { return true },
		"returned":       func(_ int, l libraries.Loan) bool { return l.Status == libraries.LoanReturned },
		"expired":        func(_ int, l libraries.Loan) bool { return l.Status == libraries.LoanExpired },
		"of a reader":    func(_ int, l libraries.Loan) bool { return l.Reader == 3 },
	}
	eachEngine(t, func(t *testing.T, f *fixture) {
		loans := someLoans(2500)
		f.putLoans(loans)
		for name, picked := range pages {
			want, positions := pick(loans, picked)
			ids := []int64{}
			for _, m := range positions {
				ids = append(ids, m.ID)
			}
			got, err1 := f.LoansByID(t.Context(), f.a, ids)
			reservations, err2 := f.ReservationsByID(t.Context(), f.a, ids)
			if err1 != nil || err2 != nil || len(got) != len(want) || len(reservations) != len(want) {
				t.Errorf("%s: %d loans, %v, %d reservations, %v, want %d", name, len(got), err1, len(reservations), err2, len(want))
			}
			for _, l := range want {
				if !reflect.DeepEqual(got[l.ID], l) || reservations[l.ID] != reservationOf(l) {
					t.Errorf("%s: loan and reservation %d = %+v, %+v", name, l.ID, got[l.ID], reservations[l.ID])
				}
			}
		}
	})
}

// TestPlansUseIndexes tests that SQLite would find a few rows among a million by the right index. Its only statistics
// are those of the migration.
func TestPlansUseIndexes(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	for _, r := range []struct{ table, id string }{{"libraries_loans", "loan_id"}, {"libraries_reservations", "reservation_id"}} {
		positions := `SELECT day, ` + r.id + `, status FROM ` + r.table + ` WHERE tenant_id = 1 AND since <= 5000000000 AND until > 5000000000 AND `
		order := ` ORDER BY day, ` + r.id
		for query, index := range map[string]string{
			positions + `user_id = 5` + order:                    r.table + "_reader (tenant_id=? AND user_id=?)",
			positions + `user_id = 5 AND +book_id = 6` + order:   r.table + "_reader (tenant_id=? AND user_id=?)",
			positions + `book_id = 6` + order:                    "COVERING INDEX " + r.table + "_book (tenant_id=? AND book_id=?)",
			positions + `day BETWEEN 7 AND 8` + order:            "sqlite_autoindex_" + r.table + "_1 (tenant_id=? AND day>? AND day<?)",
			positions + r.id + ` IN (1, 2, 3, 4, 5, 6, 7, 8, 9)`: r.table + "_id (tenant_id=? AND " + r.id + "=? AND until>?)",
		} {
			if plan := f.plan(query); !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s:\n%swant %s", query, plan, index)
			}
		}
	}
}

// plan returns how SQLite would run a query.
func (f *fixture) plan(query string) string {
	f.Helper()
	rows, err := f.db.QueryContext(f.Context(), `EXPLAIN QUERY PLAN `+query)
	if err != nil {
		f.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			f.Fatal(err)
		}
		plan.WriteString(detail + "\n")
	}
	if err := rows.Err(); err != nil {
		f.Fatal(err)
	}
	return plan.String()
}
