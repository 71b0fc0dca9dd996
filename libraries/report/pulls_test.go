package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// inAugust returns noon of a day of August 2026 in Brasilia.
func inAugust(day int) time.Time { return time.Date(2026, 8, day, 15, 0, 0, 0, time.UTC) }

// twoLoads makes two snapshots. The second load renames library 1 and title 2 and moves reader 150 from library 2 to 1.
// It ends loan 1 on August 8 and reservation 1, and adds a loan of reader 300 and a session of reader 0.
func twoLoads(t *testing.T) (s *librariesdb.Store, was, now report.Access) {
	t.Helper()
	db := newDB(t)
	at := inAugust(14)
	s = &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: func() time.Time { return at }}
	network, err := librariesdb.CreateNetwork(t.Context(), db, "n", "n")
	noError(t, err)
	reader := func(id, library int64) libraries.Reader {
		return libraries.Reader{ID: id, Name: fmt.Sprint("Nome ", id), Library: library, AgeGroup: libraries.None, Status: libraries.ReaderActive, Registered: calendar.MustParse("2026-08-01") + calendar.Date(id/150), Updated: at}
	}
	loan := func(id, reader, book int64, day int) libraries.Loan {
		return libraries.Loan{ID: id, Reader: reader, Book: book, Borrowed: inAugust(day), Status: libraries.LoanActive}
	}
	reservation := func(id, reader, book int64, day int) libraries.Reservation {
		return libraries.Reservation{ID: id, Reader: reader, Book: book, Reserved: inAugust(day), Position: libraries.None, Status: libraries.Waiting}
	}
	session := func(day int) intake.SessionRow {
		return intake.SessionRow{ID: fmt.Append(nil, day), Start: inAugust(day), Seconds: 60, Mode: []byte("online"), Format: []byte("ebook"), Progress: []byte("5")}
	}
	f := feed{terms: map[libraries.Vocabulary][]libraries.Term{libraries.LibraryTerms: {{ID: 1, Name: "Centro"}, {ID: 2, Name: "Norte"}}}}
	for id := range int64(3) {
		f.books = append(f.books, libraries.Book{ID: id, Title: fmt.Sprint("Livro ", id), Publisher: libraries.None, Year: libraries.None})
	}
	f.readers = []libraries.Reader{reader(0, 1), reader(150, 2), reader(300, libraries.None), reader(450, 2)}
	f.readers[3].Status, f.readers[3].DeletedAt = libraries.ReaderDeactivated, calendar.MustParse("2026-08-12")
	f.loans = []libraries.Loan{loan(0, 0, 0, 5), loan(1, 150, 1, 6)}
	f.reservations = []libraries.Reservation{reservation(0, 0, 2, 5), reservation(1, 300, 1, 7)}
	f.sessions = []intake.SessionRow{session(5)}
	was = f.load(t, s, network, at)
	at = at.Add(time.Hour)
	f.terms[libraries.LibraryTerms][0].Name, f.books[2].Title = "Central", "Outro livro"
	f.readers[1] = reader(150, 1)
	f.loans[1].Status, f.loans[1].Returned = libraries.LoanReturned, inAugust(8)
	f.loans = append(f.loans, loan(2, 300, 0, 7))
	f.reservations[1].Status, f.reservations[1].Resolved = libraries.Cancelled, inAugust(9)
	f.sessions = append(f.sessions, session(6))
	return s, was, f.load(t, s, network, at)
}

// TestSince tests the rows of incremental pulls. Removed rows have a minus (H14).
func TestSince(t *testing.T) {
	s, was, now := twoLoads(t)
	id := func(n int64) *int64 { return &n }
	for _, test := range []struct {
		rule                             string
		from, to                         int // days of August
		reader, book, library            *int64
		loan                             libraries.LoanStatus
		reservation                      libraries.ReservationStatus
		users, days, loans, reservations string
	}{
		{rule: "all changes", from: 1, to: 14, users: "0, 150, 300", days: "0806 0, 0807 300, 0808 150", loans: "0, 1, 2", reservations: "0, 1"},
		{rule: "a library that a reader joined", from: 1, to: 14, library: id(1), users: "0, 150", days: "0806 0, 0807 300, 0808 150", loans: "0, 1, 2", reservations: "0, 1"},
		{rule: "a library that a reader left", from: 14, to: 14, library: id(2), users: "-150"},
		{rule: "a status that loans and reservations left", from: 1, to: 14, loan: libraries.LoanActive, reservation: libraries.Waiting,
			users: "0, 150, 300", days: "0806 0, 0807 300, 0808 150", loans: "0, -1, 2", reservations: "0, -1"},
		{rule: "a status that they have now", from: 1, to: 14, loan: libraries.LoanReturned, reservation: libraries.Cancelled,
			users: "0, 150, 300", days: "0806 0, 0807 300, 0808 150", loans: "1", reservations: "1"},
		{rule: "a reader", from: 1, to: 14, reader: id(300), users: "300", days: "0807 300", loans: "2", reservations: "1"},
		{rule: "a reader without activity", from: 1, to: 14, reader: id(450)},
		{rule: "a title", from: 1, to: 14, book: id(1), users: "0, 150, 300", days: "0806 0, 0807 300, 0808 150", loans: "1", reservations: "1"},
		{rule: "a day", from: 6, to: 6, users: "0, 150, 300", days: "0806 0", loans: "1"},
	} {
		for _, cache := range []snapshot.Cache{nil, &keepAll{}} {
			r := &report.Reports{Store: s, Cache: cache}
			first := calendar.MustParse("2026-07-31")
			period := calendar.Period{Start: first + calendar.Date(test.from), End: first + calendar.Date(test.to)}
			for back, wants := range map[bool][]string{false: {test.users, test.days, test.loans, test.reservations}, true: {"", "", "", ""}} {
				since := was.At
				if back { // nothing has changed since
					since = now.At
				}
				checkRows(t, test.rule+": users", wants[0], func(u report.User) string { return fmt.Sprint(u.Reader.ID) }, func(p paging.Page) (paging.List[report.User], error) {
					return r.UsersSince(t.Context(), now, since, report.UserQuery{Reader: test.reader, Library: test.library}, p)
				})
				checkRows(t, test.rule+": engagements", wants[1], func(e report.Engagement) string { return dayText(e.Day, e.Reader) },
					func(p paging.Page) (paging.List[report.Engagement], error) {
						return r.EngagementsSince(t.Context(), now, since, report.DayQuery{Period: period, Reader: test.reader}, p)
					})
				checkRows(t, test.rule+": loans", wants[2], func(l report.LoanRow) string { return fmt.Sprint(l.Loan.ID) }, func(p paging.Page) (paging.List[report.LoanRow], error) {
					return r.LoansSince(t.Context(), now, since, report.LoanQuery{Period: period, Reader: test.reader, Book: test.book, Status: test.loan}, p)
				})
				checkRows(t, test.rule+": reservations", wants[3], func(v report.ReservationRow) string { return fmt.Sprint(v.Reservation.ID) }, func(p paging.Page) (paging.List[report.ReservationRow], error) {
					return r.ReservationsSince(t.Context(), now, since, report.ReservationQuery{Period: period, Reader: test.reader, Book: test.book, Status: test.reservation}, p)
				})
			}
		}
	}
}

// TestLists tests each filter of the lists, and what their rows show.
func TestLists(t *testing.T) {
	s, _, now := twoLoads(t)
	august := func(day int) calendar.Date { return calendar.MustParse("2026-07-31") + calendar.Date(day) }
	days := func(from, to int) calendar.Period { return calendar.Period{Start: august(from), End: august(to)} }
	registered := func(from, to int) calendar.Asked {
		return calendar.Asked{Start: new(august(from)), End: new(august(to))}
	}
	engagements := []string{"0805 0 1 1 0 1 60 1", "0806 0 1 0 0 0 60 1", "0806 150 1 1 0 0 0 0", "0807 300 1 1 0 1 0 0", "0808 150 1 0 1 0 0 0"}
	logins := []string{"0805 0 3", "0806 0 1", "0806 150 1", "0807 300 2", "0808 150 1"}
	const everybody = "0 Central 1, 150 Central 1, 300  1, 450 Norte 0"
	const zero, one, two, waiting, cancelled = "0 Livro 0 120 5.00", "1 Livro 1 0 0.00", "2 Livro 0 0 0.00", "0 Outro livro 1", "1 Livro 1 0"
	all, none := days(1, 14), new(int64(libraries.None))
	for _, cache := range []snapshot.Cache{nil, &keepAll{}} {
		r := &report.Reports{Store: s, Cache: cache}
		for _, test := range []struct {
			q    report.UserQuery
			want string
		}{
			{report.UserQuery{}, everybody}, {report.UserQuery{Reader: new(int64(150))}, "150 Central 1"}, {report.UserQuery{Reader: new(int64(1))}, ""}, {report.UserQuery{Reader: none}, ""},
			{report.UserQuery{Library: new(int64(1))}, "0 Central 1, 150 Central 1"}, {report.UserQuery{Library: new(int64(3))}, ""}, {report.UserQuery{Library: none}, ""},
			{report.UserQuery{Reader: new(int64(450)), Library: new(int64(1))}, ""}, {report.UserQuery{Status: libraries.ReaderDeactivated}, "450 Norte 0"},
			{report.UserQuery{Registered: registered(2, 3)}, "150 Central 1, 300  1"}, {report.UserQuery{Registered: registered(3, 2)}, "150 Central 1, 300  1"},
			{report.UserQuery{Registered: calendar.Asked{Start: new(august(4))}}, "450 Norte 0"}, {report.UserQuery{Registered: calendar.Asked{End: new(august(1))}}, "0 Central 1"},
			{report.UserQuery{UpdatedSince: new(august(14))}, everybody}, {report.UserQuery{UpdatedSince: new(august(15))}, ""},
		} {
			checkRows(t, fmt.Sprintf("users %+v", test.q), test.want, func(u report.User) string { return fmt.Sprint(u.Reader.ID, " ", u.LibraryName, " ", u.TotalLoans) },
				func(p paging.Page) (paging.List[report.User], error) { return r.Users(t.Context(), now, test.q, p) })
		}
		for _, test := range []struct {
			q                   report.DayQuery
			engagements, logins string
		}{
			{report.DayQuery{Period: all}, strings.Join(engagements, ", "), strings.Join(logins, ", ")}, {report.DayQuery{Period: days(6, 7)}, strings.Join(engagements[1:4], ", "), strings.Join(logins[1:4], ", ")}, {report.DayQuery{Period: days(7, 6)}, "", ""},
			{report.DayQuery{Period: days(-99, 5)}, engagements[0], logins[0]}, {report.DayQuery{Period: days(-99, -50)}, "", ""}, {report.DayQuery{Period: days(10, 99)}, "", ""},
			{report.DayQuery{Period: all, Reader: new(int64(0))}, engagements[0] + ", " + engagements[1], logins[0] + ", " + logins[1]},
			{report.DayQuery{Period: all, Reader: new(int64(150))}, engagements[2] + ", " + engagements[4], logins[2] + ", " + logins[4]}, {report.DayQuery{Period: all, Reader: new(int64(450))}, "", ""}, {report.DayQuery{Period: all, Reader: none}, "", ""},
		} {
			checkRows(t, fmt.Sprintf("engagements %+v", test.q), test.engagements, func(e report.Engagement) string {
				m := e.Measures
				return dayText(e.Day, e.Reader) + fmt.Sprint(" ", m[metric.Logins], m[metric.Loans], m[metric.Returns], m[metric.Reservations], m[metric.ReadingSeconds], m[metric.DistinctBooks])
			}, func(p paging.Page) (paging.List[report.Engagement], error) {
				return r.Engagements(t.Context(), now, test.q, p)
			})
			checkRows(t, fmt.Sprintf("logins %+v", test.q), test.logins, func(l report.LoginRow) string { return dayText(l.Day, l.Reader) + fmt.Sprint(" ", l.Presence.Events) },
				func(p paging.Page) (paging.List[report.LoginRow], error) {
					return r.Logins(t.Context(), now, test.q, p)
				})
		}
		for _, test := range []struct {
			q    report.LoanQuery
			want string
		}{
			{report.LoanQuery{Period: all}, zero + ", " + one + ", " + two}, {report.LoanQuery{Period: days(6, 6)}, one}, {report.LoanQuery{Period: days(7, 6)}, ""}, {report.LoanQuery{Period: days(-99, 5)}, zero},
			{report.LoanQuery{Period: all, Reader: new(int64(300))}, two}, {report.LoanQuery{Period: days(1, 6), Reader: new(int64(300))}, ""}, {report.LoanQuery{Period: all, Reader: none}, ""},
			{report.LoanQuery{Period: all, Book: new(int64(0))}, zero + ", " + two}, {report.LoanQuery{Period: all, Book: new(int64(0)), Reader: new(int64(300))}, two}, {report.LoanQuery{Period: all, Book: new(int64(9))}, ""},
			{report.LoanQuery{Period: all, Status: libraries.LoanReturned}, one}, {report.LoanQuery{Period: all, Status: libraries.LoanActive, Book: new(int64(1))}, ""},
		} {
			checkRows(t, fmt.Sprintf("loans %+v", test.q), test.want, func(l report.LoanRow) string {
				return fmt.Sprint(l.Loan.ID, " ", l.Title.Book.Title, " ", l.Seconds, " ", l.Highest)
			},
				func(p paging.Page) (paging.List[report.LoanRow], error) { return r.Loans(t.Context(), now, test.q, p) })
		}
		for _, test := range []struct {
			q    report.ReservationQuery
			want string
		}{
			{report.ReservationQuery{Period: all}, waiting + ", " + cancelled}, {report.ReservationQuery{Period: days(6, 9)}, cancelled}, {report.ReservationQuery{Period: days(7, 6)}, ""}, {report.ReservationQuery{Period: days(-99, 5)}, waiting},
			{report.ReservationQuery{Period: all, Reader: new(int64(300))}, cancelled}, {report.ReservationQuery{Period: days(1, 6), Reader: new(int64(300))}, ""}, {report.ReservationQuery{Period: all, Reader: none}, ""},
			{report.ReservationQuery{Period: all, Book: new(int64(2))}, waiting}, {report.ReservationQuery{Period: all, Book: new(int64(2)), Reader: new(int64(300))}, ""},
			{report.ReservationQuery{Period: all, Status: libraries.Waiting}, waiting}, {report.ReservationQuery{Period: all, Status: libraries.Waiting, Reader: new(int64(300))}, ""},
		} {
			checkRows(t, fmt.Sprintf("reservations %+v", test.q), test.want, func(v report.ReservationRow) string {
				return fmt.Sprint(v.Reservation.ID, " ", v.Title.Book.Title, " ", v.Queue)
			},
				func(p paging.Page) (paging.List[report.ReservationRow], error) {
					return r.Reservations(t.Context(), now, test.q, p)
				})
		}
	}
}

// dayText is the key of a row of a day and a reader.
func dayText(day calendar.Date, reader int64) string {
	return strings.ReplaceAll(day.String()[5:], "-", "") + fmt.Sprint(" ", reader)
}

// checkRows checks a list or an incremental pull as a whole and by pages of one row.
func checkRows[T any](t *testing.T, what, want string, text func(T) string, page func(paging.Page) (paging.List[T], error)) {
	t.Helper()
	for _, size := range []int{1, 100} {
		var got []string
		for number := 1; ; number++ {
			list, err := page(paging.Page{Number: number, Size: size})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for i, row := range list.Rows {
				got = append(got, map[bool]string{true: "-"}[len(list.Removed) > 0 && list.Removed[i]]+text(row))
			}
			if int64(number*size) >= list.Total {
				break
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s, by pages of %d: %s, want %s", what, size, strings.Join(got, ", "), want)
		}
	}
}
