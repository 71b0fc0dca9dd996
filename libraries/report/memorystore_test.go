package report_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// someFeed is a feed with some of every status, and requests and channels of the days of its loans.
func someFeed(r *rand.Rand) *changing {
	c := newChanging(r)
	for range 20 {
		c.change()
	}
	copies := int64(2)
	c.feed.Lines = []stock.BookLine{{Book: 3, Line: stock.Line{
		ID: 1, Collection: 1, Kind: 1, Number: 1, Copies: &copies, PurchasedAt: calendar.MustParse("2026-08-02"),
	}}}
	first := calendar.Day(c.now) - 10
	for i := range int64(10) {
		day := first + calendar.Date(i)
		c.feed.Requests = append(c.feed.Requests, libraries.Request{
			ID: i, Reader: 150 * i, Title: "Iracema", Availability: libraries.NotFound, Requested: day.Start().Add(time.Hour),
		}, libraries.Request{
			ID: 100 + i, Reader: 150 * i, Title: "Dom", Availability: libraries.NotFound, Requested: day.Start().Add(2 * time.Hour),
		})
		c.feed.Channels = append(c.feed.Channels, libraries.ChannelDay{Day: day, Channel: libraries.WebMobile, Sessions: i},
			libraries.ChannelDay{Day: day, Channel: libraries.WebTablet, Sessions: i})
	}
	byDay := func(a, b libraries.Loan) int { return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(c.feed.Loans, byDay)
	slices.SortFunc(c.feed.Reservations, func(a, b libraries.Reservation) int {
		return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID))
	})
	return c
}

// windowed cuts a window out of rows.
func windowed[T any](rows []T, w report.Window, of func(T) (calendar.Date, uint8)) []T {
	rows = only(rows, func(v T) bool {
		day, status := of(v)
		return w.Period.Contains(day) && (w.Status == 0 || w.Status == status)
	})
	rows = rows[min(w.Skip, len(rows)):]
	return rows[:min(w.Size, len(rows))]
}

// ids are the identifiers of rows.
func ids[T any](rows []T, of func(T) int64) []int64 {
	list := []int64{}
	for _, v := range rows {
		list = append(list, of(v))
	}
	return list
}

func loanID(l libraries.Loan) int64               { return l.ID }
func reservationID(v libraries.Reservation) int64 { return v.ID }

// TestMemoryLists: a Memory finds of each list what a filter of all its rows does.
func TestMemoryLists(t *testing.T) {
	m, c := &report.Memory{}, someFeed(rand.New(rand.NewPCG(5, 6)))
	a, _, err := m.Fold(t.Context(), 7, c.feed, c.now)
	noError(t, err)
	first := calendar.Day(c.now) - 10
	for _, p := range []calendar.Period{{Start: first - 20, End: first + 20}, {Start: first + 3, End: first + 5}, {Start: first + 4, End: first + 4}, {Start: first + 40, End: first + 50}} {
		for i := range 40 {
			w := report.Window{Period: p, Status: uint8(i % 3), Skip: i % 4, Size: i % 7}
			loans, err := m.LoansIn(t.Context(), a, w)
			noError(t, err)
			want := windowed(c.feed.Loans, w, func(l libraries.Loan) (calendar.Date, uint8) { return l.Day(), uint8(l.Status) })
			if got, want := ids(loans, loanID), ids(want, loanID); !slices.Equal(got, want) {
				t.Errorf("loans in %+v = %v, want %v", w, got, want)
			}
			w.Status = pickOne(c.r, 0, uint8(libraries.Waiting), uint8(libraries.Cancelled))
			reservations, err := m.ReservationsIn(t.Context(), a, w)
			noError(t, err)
			wanted := windowed(c.feed.Reservations, w, func(v libraries.Reservation) (calendar.Date, uint8) { return v.Day(), uint8(v.Status) })
			if got, want := ids(reservations, reservationID), ids(wanted, reservationID); !slices.Equal(got, want) {
				t.Errorf("reservations in %+v = %v, want %v", w, got, want)
			}
		}
		requests, err := m.Requests(t.Context(), a, p)
		noError(t, err)
		if want := only(c.feed.Requests, func(q libraries.Request) bool { return p.Contains(q.Day()) }); !slices.Equal(requests, want) {
			t.Errorf("requests of %v = %v, want %v", p, requests, want)
		}
		channels, err := m.Channels(t.Context(), a, p)
		noError(t, err)
		if want := only(c.feed.Channels, func(d libraries.ChannelDay) bool { return p.Contains(d.Day) }); len(channels) != len(want) {
			t.Errorf("channels of %v = %v, want %v", p, channels, want)
		}
	}
	for _, reader := range []*int64{nil, &c.feed.Loans[0].Reader, new(int64(1))} {
		for _, book := range []*int64{nil, &c.feed.Loans[0].Book, new(int64(9))} {
			positions, err := m.PositionsOf(t.Context(), a, report.LoanRegister, reader, book)
			noError(t, err)
			want := only(c.feed.Loans, func(l libraries.Loan) bool { return is(reader, l.Reader) && is(book, l.Book) })
			loans, err := m.Loans(t.Context(), a, positions)
			noError(t, err)
			if got, want := ids(loans, loanID), ids(want, loanID); !slices.Equal(got, want) {
				t.Errorf("loans of reader %s, title %s = %v, want %v", asked(reader), asked(book), got, want)
			}
		}
	}
	if _, err := m.Loans(t.Context(), a, report.ListPositions{{Day: c.feed.Loans[0].Day(), ID: 1000}}); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("a loan that there is not: %v, want ErrCorrupt", err)
	}
}

// TestMemoryPeople: a Memory finds the readers that are asked for, and nobody else.
func TestMemoryPeople(t *testing.T) {
	m, c := &report.Memory{}, newChanging(rand.New(rand.NewPCG(5, 7)))
	for i := range c.feed.Readers {
		c.feed.Readers[i].Email = "ana@example.org"
	}
	a, _, err := m.Fold(t.Context(), 7, c.feed, c.now)
	noError(t, err)
	gone := c.feed.Readers[3]
	gone.Status, gone.DeletedAt, gone.Email = libraries.ReaderDeleted, calendar.MustParse("2026-08-10"), ""
	_, _, err = m.Fold(t.Context(), 7, report.Feed{Readers: []libraries.Reader{gone}}, c.now)
	noError(t, err)
	for _, want := range [][]int64{{}, {0}, {0, 150, 450}, {300, 1650}, {1650}} {
		people, err := m.People(t.Context(), a, want)
		if got := ids(people, func(r libraries.Reader) int64 { return r.ID }); err != nil || !slices.Equal(got, want) {
			t.Errorf("people %v = %v, %v", want, got, err)
		}
		for _, r := range people {
			if (r.Email == "") != (r.ID == 450) {
				t.Errorf("the e-mail of %d is %q: who is deleted has none, the others have", r.ID, r.Email)
			}
		}
	}
}

// everOf counts the rows of all states.
func everOf[T any](t *testing.T, m *report.Memory, of *state.Records[T]) (n int) {
	t.Helper()
	for _, err := range state.ReadRows(&m.Memory, 7, of, func(state.Span) bool { return true }) {
		noError(t, err)
		n++
	}
	return n
}

// TestMemoryKeepsOnce: what comes again as it was is kept as it is, and not once more.
func TestMemoryKeepsOnce(t *testing.T) {
	m, c := &report.Memory{}, someFeed(rand.New(rand.NewPCG(5, 9)))
	for range 2 {
		_, _, err := m.Fold(t.Context(), 7, c.feed, c.now)
		noError(t, err)
	}
	got := [...]int{everOf(t, m, intake.Channels), everOf(t, m, intake.Lines), everOf(t, m, intake.Books)}
	if want := [...]int{len(c.feed.Channels), len(c.feed.Lines), len(c.feed.Books)}; got != want {
		t.Errorf("of a feed that came twice %v channels, lines and titles are kept, want %v", got, want)
	}
}

// TestMemoryKnowsTheRegisters: a later feed may say of what was fed before nothing, or the same, or otherwise.
func TestMemoryKnowsTheRegisters(t *testing.T) {
	m, c := &report.Memory{}, someFeed(rand.New(rand.NewPCG(5, 8)))
	was, _, err := m.Fold(t.Context(), 7, c.feed, c.now)
	noError(t, err)
	channel := c.feed.Channels[8]
	channel.Sessions = 99
	lines := slices.Clone(c.feed.Lines)
	lines[0].Line.Number = 7
	later := report.Feed{
		Loans: []libraries.Loan{{ID: 1000, Reader: 150, Book: 2, Borrowed: c.now, Status: libraries.LoanActive}}, Channels: []libraries.ChannelDay{channel}, Lines: lines,
		Terms: map[libraries.Vocabulary][]libraries.Term{libraries.PublisherTerms: {{ID: 5, Name: "Sol"}}, libraries.AgeGroupTerms: {{ID: 11, Name: "Jovem"}}},
	}
	now, _, err := m.Fold(t.Context(), 7, later, c.now)
	noError(t, err)
	for a, number := range map[report.Access]int64{was: 1, now: 7} {
		titles, err := m.Catalogue(t.Context(), a)
		if err != nil || len(titles.Titles) != 5 || len(titles.Titles[3].Lines) != 1 || titles.Titles[3].Lines[0].Number != number {
			t.Errorf("catalogue = %+v, %v, want a line of the title 3 with the number %d", titles.Titles, err, number)
		}
	}
	channels, err := m.Channels(t.Context(), now, calendar.Period{Start: channel.Day - 1, End: channel.Day + 1})
	if err != nil || len(channels) != 6 || channels[2].Sessions != 99 {
		t.Errorf("channels = %+v, %v, want six, and of the third the later", channels, err)
	}
	loads := state.LoadsAfter(was.At.Facts, now.At.Facts)
	named, err := m.ReplacedRows(t.Context(), now, loads, report.NamedTerms)
	if err != nil || !slices.Equal(slices.Compact(named), []int64{11}) {
		t.Errorf("libraries and age groups that were named = %v, %v, want 11", named, err)
	}
	day := int64(calendar.Day(c.now))
	days, err := m.Changed(t.Context(), now, loads, facts.TotalsKind)
	if slices.Sort(days); err != nil || !slices.Equal(slices.Compact(days), []int64{day}) {
		t.Errorf("the days that differ = %v, %v, want %d", days, err, day)
	}
	if days, err := m.Changed(t.Context(), now, state.LoadsAfter(now.At.Facts, now.At.Facts), facts.TotalsKind); err != nil || len(days) != 0 {
		t.Errorf("the days that differ of one state = %v, %v, want none", days, err)
	}
}
