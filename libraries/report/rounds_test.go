package report_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
)

// changing is a network that is loaded again and again, each time with something else.
type changing struct {
	*librariesdb.Store
	network libraries.NetworkID

	r    *rand.Rand
	feed feed
	now  time.Time
}

// newChanging makes a feed of 12 readers and 5 titles, with loans, reservations and sessions of ten days.
func newChanging(t *testing.T, db *database.DB, r *rand.Rand) *changing {
	t.Helper()
	c := &changing{Store: &librariesdb.Store{DB: db.DB, Copy: db.Copy}, r: r, now: time.Date(2026, 8, 14, 12, 0, 0, 0, time.UTC)}
	c.Store.Now = func() time.Time { return c.now }
	slug := fmt.Sprint("n", r.Uint64())
	var err error
	c.network, err = librariesdb.CreateNetwork(t.Context(), db, slug, slug)
	noError(t, err)
	c.feed = feed{terms: map[libraries.Vocabulary][]libraries.Term{
		libraries.LibraryTerms:  {{ID: 1, Name: "Centro"}, {ID: 2, Name: "Norte"}},
		libraries.AgeGroupTerms: {{ID: 11, Name: "Adulto"}, {ID: 12, Name: "Infantil"}},
	}}
	for id := range int64(5) {
		c.feed.books = append(c.feed.books, libraries.Book{ID: id, Title: fmt.Sprint("Livro ", id), Publisher: libraries.None, Year: libraries.None})
	}
	for n := range int64(12) {
		c.feed.readers = append(c.feed.readers, libraries.Reader{
			ID: 150 * n, Name: fmt.Sprint("Nome ", n), Library: pickOne[int64](r, libraries.None, 1, 2), AgeGroup: pickOne[int64](r, libraries.None, 11, 12),
			Status: libraries.ReaderActive, Registered: calendar.MustParse("2026-08-01"), Updated: c.now,
		})
	}
	for range 25 {
		c.loan()
		c.reservation()
		c.session()
	}
	return c
}

func (c *changing) load(t *testing.T) report.Access {
	t.Helper()
	return c.feed.load(t, c.Store, c.network, c.now)
}

func (c *changing) reader() *libraries.Reader { return &c.feed.readers[c.r.IntN(len(c.feed.readers))] }

func (c *changing) at() time.Time { return c.now.Add(-time.Duration(1+c.r.IntN(240)) * time.Hour) }

func (c *changing) loan() {
	c.feed.loans = append(c.feed.loans, libraries.Loan{
		ID: int64(len(c.feed.loans)), Reader: c.reader().ID, Book: c.r.Int64N(5), Borrowed: c.at(), Status: libraries.LoanActive,
	})
}

func (c *changing) reservation() {
	c.feed.reservations = append(c.feed.reservations, libraries.Reservation{
		ID: int64(len(c.feed.reservations)), Reader: c.reader().ID, Book: c.r.Int64N(5), Reserved: c.at(), Position: libraries.None, Status: libraries.Waiting,
	})
}

// session is of a title that its reader has borrowed.
func (c *changing) session() {
	l := c.feed.loans[c.r.IntN(len(c.feed.loans))]
	c.feed.sessions = append(c.feed.sessions, intake.SessionRow{
		ID: fmt.Append(nil, "s", len(c.feed.sessions)), Reader: l.Reader, Book: l.Book, Start: l.Borrowed.Add(time.Minute),
		Seconds: 1 + c.r.Int64N(900), Mode: []byte("online"), Format: []byte("ebook"), Progress: fmt.Append(nil, c.r.IntN(100)),
	})
}

// change changes the feed by some steps, most of them small.
func (c *changing) change() {
	c.now = c.now.Add(time.Hour)
	f := &c.feed
	f.readers = slices.Clone(f.readers)
	for range 1 + c.r.IntN(4) {
		switch c.r.IntN(9) {
		case 0:
			r := c.reader()
			r.Name, r.Updated = fmt.Sprint("Nome ", c.r.IntN(99)), c.now
		case 1:
			r := c.reader()
			r.Library, r.Updated = pickOne[int64](c.r, libraries.None, 1, 2), c.now
		case 2:
			r := c.reader()
			r.Status, r.DeletedAt, r.Updated = libraries.ReaderDeactivated, calendar.MustParse("2026-08-12"), c.now
		case 3:
			c.name()
		case 4:
			c.loan()
		case 5:
			if l := &f.loans[c.r.IntN(len(f.loans))]; !l.Status.Ended() {
				l.Status, l.Returned = libraries.LoanReturned, l.Borrowed.Add(time.Hour)
			}
		case 6:
			c.reservation()
		case 7:
			if v := &f.reservations[c.r.IntN(len(f.reservations))]; v.Status == libraries.Waiting {
				v.Status, v.Resolved = libraries.Cancelled, v.Reserved.Add(time.Hour)
			}
		case 8:
			c.session()
		}
	}
}

// name names a title or a term anew.
func (c *changing) name() {
	if c.r.IntN(2) == 0 {
		c.feed.books = slices.Clone(c.feed.books)
		c.feed.books[c.r.IntN(5)].Title = fmt.Sprint("Livro ", c.r.IntN(99))
		return
	}
	v := pickOne(c.r, libraries.LibraryTerms, libraries.AgeGroupTerms)
	c.feed.terms = maps.Clone(c.feed.terms)
	c.feed.terms[v] = slices.Clone(c.feed.terms[v])
	c.feed.terms[v][c.r.IntN(2)].Name = fmt.Sprint("Termo ", c.r.IntN(99))
}

// rounds are asked of a list of two states.
type rounds[T any] struct {
	name     string
	was, now func(paging.Page) (paging.List[T], error)
	since    func(paging.Page) (paging.List[T], error)
	key      func(T) int64
}

// bring brings a copy of the list of the earlier state to the later by the pages of a round.
func (l rounds[T]) bring(t *testing.T, size int) {
	t.Helper()
	all := paging.Page{Number: 1, Size: 10_000}
	was, err := l.was(all)
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.now(all)
	if err != nil {
		t.Fatal(err)
	}
	copied := map[int64]T{}
	for _, row := range was.Rows {
		copied[l.key(row)] = row
	}
	for page := (paging.Page{Number: 1, Size: size}); ; page.Number++ {
		list, err := l.since(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range list.Rows {
			before, had := copied[l.key(row)]
			if list.Removed[i] {
				if !had {
					t.Errorf("%s: %+v is removed, and was not there", l.name, row)
				}
				delete(copied, l.key(row))
				continue
			}
			if had && reflect.DeepEqual(before, row) {
				t.Errorf("%s: %+v is as it was", l.name, row)
			}
			copied[l.key(row)] = row
		}
		if int64(page.Number*size) >= list.Total {
			break
		}
	}
	for _, row := range want.Rows {
		if got, ok := copied[l.key(row)]; !ok || !reflect.DeepEqual(got, row) {
			t.Fatalf("%s: the copy has %+v, want %+v", l.name, got, row)
		}
	}
	if len(copied) != len(want.Rows) {
		t.Fatalf("%s: the copy has %d rows, want %d", l.name, len(copied), len(want.Rows))
	}
}

// TestRounds: a copy of a list of one state to which a round is applied is the list of a later one, and no row of it is listed that is
// as it was (H14).
func TestRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	db := newDB(t)
	for range 12 {
		c := newChanging(t, db, r)
		var states []report.Access
		for range 4 {
			states = append(states, c.load(t))
			c.change()
		}
		for range 8 {
			from := r.IntN(len(states))
			was := states[from]
			now := states[from+r.IntN(len(states)-from)]
			reports := &report.Reports{Store: c.Store, Cache: pickOne[snapshot.Cache](r, nil, &keepAll{})}
			compared{t, reports, r, was, now}.all(c)
		}
	}
}

// TestRoundsOfEachReader: a loan and its session on a day that had nothing, and a session of a loan of before, are in the rounds of
// their readers, and in nobody else's.
func TestRoundsOfEachReader(t *testing.T) {
	c := newChanging(t, newDB(t), rand.New(rand.NewPCG(3, 5)))
	was := c.load(t)
	c.feed.loans = append(c.feed.loans, libraries.Loan{
		ID: int64(len(c.feed.loans)), Reader: 300, Book: 2, Borrowed: c.now.AddDate(0, 0, -15), Status: libraries.LoanActive,
	})
	for _, l := range []libraries.Loan{c.feed.loans[0], c.feed.loans[len(c.feed.loans)-1]} {
		c.feed.sessions = append(c.feed.sessions, intake.SessionRow{
			ID: fmt.Append(nil, "s", len(c.feed.sessions)), Reader: l.Reader, Book: l.Book, Start: l.Borrowed.Add(time.Minute),
			Seconds: 60, Mode: []byte("online"), Format: []byte("ebook"), Progress: []byte("99"),
		})
	}
	c.now = c.now.Add(time.Hour)
	now := c.load(t)
	reports := &report.Reports{Store: c.Store}
	period := calendar.Period{Start: calendar.Day(c.now) - 20, End: calendar.Day(c.now)}
	for _, reader := range c.feed.readers {
		loans, days := report.LoanQuery{Period: period, Reader: &reader.ID}, report.DayQuery{Period: period, Reader: &reader.ID}
		rounds[report.LoanRow]{
			fmt.Sprint("loans of ", reader.ID),
			func(p paging.Page) (paging.List[report.LoanRow], error) {
				return reports.Loans(t.Context(), was, loans, p)
			},
			func(p paging.Page) (paging.List[report.LoanRow], error) {
				return reports.Loans(t.Context(), now, loans, p)
			},
			func(p paging.Page) (paging.List[report.LoanRow], error) {
				return reports.LoansSince(t.Context(), now, was.At, loans, p)
			},
			func(l report.LoanRow) int64 { return l.Loan.ID },
		}.bring(t, 5)
		rounds[report.Engagement]{
			fmt.Sprint("engagements of ", reader.ID),
			func(p paging.Page) (paging.List[report.Engagement], error) {
				return reports.Engagements(t.Context(), was, days, p)
			},
			func(p paging.Page) (paging.List[report.Engagement], error) {
				return reports.Engagements(t.Context(), now, days, p)
			},
			func(p paging.Page) (paging.List[report.Engagement], error) {
				return reports.EngagementsSince(t.Context(), now, was.At, days, p)
			},
			func(e report.Engagement) int64 { return int64(e.Day) },
		}.bring(t, 5)
	}
}

// compared are the lists of two states.
type compared struct {
	t        *testing.T
	r        *report.Reports
	rand     *rand.Rand
	was, now report.Access
}

func (c compared) all(from *changing) {
	c.t.Helper()
	ctx, size := c.t.Context(), 1+c.rand.IntN(9)
	start := calendar.MustParse("2026-08-04") + calendar.Date(c.rand.IntN(4))
	period := calendar.Period{Start: start, End: start + calendar.Date(c.rand.IntN(9))}
	var reader, book, library *int64
	if c.rand.IntN(2) == 0 {
		reader = &from.reader().ID
	}
	if c.rand.IntN(2) == 0 {
		book = new(c.rand.Int64N(5))
	}
	if c.rand.IntN(2) == 0 {
		library = new(pickOne[int64](c.rand, 1, 2))
	}
	users := report.UserQuery{Reader: reader, Library: library, Status: pickOne(c.rand, 0, libraries.ReaderActive)}
	rounds[report.User]{
		"users",
		func(p paging.Page) (paging.List[report.User], error) { return c.r.Users(ctx, c.was, users, p) },
		func(p paging.Page) (paging.List[report.User], error) { return c.r.Users(ctx, c.now, users, p) },
		func(p paging.Page) (paging.List[report.User], error) {
			return c.r.UsersSince(ctx, c.now, c.was.At, users, p)
		},
		func(u report.User) int64 { return u.Reader.ID },
	}.bring(c.t, size)
	days := report.DayQuery{Period: period, Reader: reader}
	rounds[report.Engagement]{
		"engagements",
		func(p paging.Page) (paging.List[report.Engagement], error) {
			return c.r.Engagements(ctx, c.was, days, p)
		},
		func(p paging.Page) (paging.List[report.Engagement], error) {
			return c.r.Engagements(ctx, c.now, days, p)
		},
		func(p paging.Page) (paging.List[report.Engagement], error) {
			return c.r.EngagementsSince(ctx, c.now, c.was.At, days, p)
		},
		func(e report.Engagement) int64 { return int64(e.Day)<<32 | e.Reader },
	}.bring(c.t, size)
	loans := report.LoanQuery{Period: period, Reader: reader, Book: book, Status: pickOne(c.rand, 0, libraries.LoanActive, libraries.LoanReturned)}
	rounds[report.LoanRow]{
		"loans",
		func(p paging.Page) (paging.List[report.LoanRow], error) { return c.r.Loans(ctx, c.was, loans, p) },
		func(p paging.Page) (paging.List[report.LoanRow], error) { return c.r.Loans(ctx, c.now, loans, p) },
		func(p paging.Page) (paging.List[report.LoanRow], error) {
			return c.r.LoansSince(ctx, c.now, c.was.At, loans, p)
		},
		func(l report.LoanRow) int64 { return l.Loan.ID },
	}.bring(c.t, size)
	reservations := report.ReservationQuery{Period: period, Reader: reader, Book: book, Status: pickOne(c.rand, 0, libraries.Waiting, libraries.Cancelled)}
	rounds[report.ReservationRow]{
		"reservations",
		func(p paging.Page) (paging.List[report.ReservationRow], error) {
			return c.r.Reservations(ctx, c.was, reservations, p)
		},
		func(p paging.Page) (paging.List[report.ReservationRow], error) {
			return c.r.Reservations(ctx, c.now, reservations, p)
		},
		func(p paging.Page) (paging.List[report.ReservationRow], error) {
			return c.r.ReservationsSince(ctx, c.now, c.was.At, reservations, p)
		},
		func(v report.ReservationRow) int64 { return v.Reservation.ID },
	}.bring(c.t, size)
}
