package librariesdb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The days of the tests' events: more than a load has slots for, so that some share one.
var (
	firstDay = calendar.MustParse("2026-07-21")
	lastDay  = firstDay + 299
)

// feed is what a load says of readers. Each loan and each reservation is in it once at most.
type feed struct {
	readers      []libraries.Reader
	events       []libraries.Event
	loans        []libraries.Loan
	reservations []libraries.Reservation
	requests     []libraries.Request
}

// world is what happened, to be told by feeds. Loans and reservations are lists of their states, readers of their rows.
type world struct {
	*rand.Rand
	readers      [][]libraries.Reader
	events       []libraries.Event
	loans        [][]libraries.Loan
	reservations [][]libraries.Reservation
	requests     []libraries.Request
}

// newWorld makes a world of a few hundred things: readers of several blocks, some of one part of a pile.
func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1))}
	for _, id := range []int64{0, 1, 2, 127, 128, 1023, 1024, 1025, 5000, 1024 * 256, 1024*256 + 1, 1 << 40} {
		w.readers = append(w.readers, w.reader(id))
	}
	for i := range 400 {
		w.events = append(w.events, w.event(i))
	}
	for i := range int64(120) {
		w.loans = append(w.loans, w.loan(i))
		w.reservations = append(w.reservations, w.reservation(i))
	}
	for i := range int64(60) {
		w.requests = append(w.requests, libraries.Request{
			ID: i, Reader: w.who(), Title: "Título " + fmt.Sprint(w.IntN(5)), Author: w.text("Autora"), Publisher: w.text("Editora"),
			SearchTerm: w.text("termo"), Availability: libraries.Availability(1 + w.IntN(3)), Requested: w.instant(w.day()),
		})
	}
	return w
}

func (w *world) who() int64         { return w.readers[w.IntN(len(w.readers))][0].ID }
func (w *world) book() int64        { return int64(1 + w.IntN(6)) }
func (w *world) day() calendar.Date { return firstDay + calendar.Date(w.IntN(int(lastDay-firstDay)+1)) }

// instant returns one of the day.
func (w *world) instant(day calendar.Date) time.Time {
	return day.Start().UTC().Add(time.Duration(w.Int64N(86_400_000_000)) * time.Microsecond)
}

// text returns a text, sometimes none.
func (w *world) text(s string) string { return []string{"", s, s + " 2"}[w.IntN(3)] }

// reader returns the rows of a reader, later ones last.
func (w *world) reader(id int64) (rows []libraries.Reader) {
	updated := w.instant(firstDay)
	for i := range 3 {
		r := libraries.Reader{
			ID: id, Name: fmt.Sprint("Reader ", id, " ", i), Email: w.text("r@example.org"), Library: w.Int64N(3) - 1, AgeGroup: w.Int64N(3) - 1,
			City: w.text("Palmas"), State: w.text("TO"), RA: w.text("RA"), Gender: libraries.Genders()[w.IntN(len(libraries.Genders()))],
			Registered: w.day(), Status: libraries.ReaderActive, Updated: updated.Add(time.Duration(i) * time.Hour), Confirmed: w.instant(w.day()),
		}
		if w.IntN(3) == 0 {
			r.Status, r.DeletedAt, r.Email, r.Confirmed = libraries.ReaderDeleted, w.day(), "", time.Time{}
		}
		rows = append(rows, r)
	}
	return rows
}

func (w *world) event(i int) libraries.Event {
	e := libraries.Event{Reader: w.who(), Day: w.day(), Second: w.Int32N(86_400)}
	kinds := map[libraries.EventKind]byte{
		libraries.SessionEvent: libraries.SessionResource, libraries.PreviewEvent: libraries.PreviewResource,
		libraries.ActivityEvent: libraries.ActivityResource, libraries.RenewalEvent: libraries.RenewalResource,
	}
	e.Kind = []libraries.EventKind{libraries.SessionEvent, libraries.SessionEvent, libraries.PreviewEvent, libraries.ActivityEvent, libraries.RenewalEvent}[i%5]
	e.ID = libraries.NewEventID(kinds[e.Kind], fmt.Append(nil, i), e.Reader, e.Day)
	if e.Kind != libraries.ActivityEvent {
		e.Book = w.book()
	}
	if e.Kind == libraries.SessionEvent {
		e.Seconds = w.Int64N(5000)
		e.Progress = libraries.Progress(w.IntN(100_001))
		e.Mode, e.Format = libraries.Mode(1+w.IntN(2)), libraries.Format(1+w.IntN(2))
	}
	return e
}

// loan returns the states of a loan, which may go back and forth: a feed corrects what an earlier one said.
func (w *world) loan(id int64) (states []libraries.Loan) {
	l := libraries.Loan{ID: id, Reader: w.who(), Book: w.book(), Borrowed: w.instant(w.day())}
	for range 1 + w.IntN(3) {
		l.Due, l.Returned, l.Status = nil, time.Time{}, libraries.LoanStatus(1+w.IntN(3))
		if w.IntN(3) > 0 {
			due := l.Day() + calendar.Date(w.IntN(30))
			l.Due = &due
		}
		if l.Status.Ended() {
			l.Returned = l.Borrowed.Add(time.Duration(w.Int64N(20*86_400)) * time.Second)
		}
		states = append(states, l)
	}
	return states
}

// reservation returns the states of a reservation.
func (w *world) reservation(id int64) (states []libraries.Reservation) {
	r := libraries.Reservation{ID: id, Reader: w.who(), Book: w.book(), Reserved: w.instant(w.day())}
	for range 1 + w.IntN(3) {
		r.Position, r.Resolved, r.Status = libraries.None, time.Time{}, libraries.ReservationStatus(1+w.IntN(5))
		switch {
		case r.Status.Resolved():
			r.Resolved = r.Reserved.Add(time.Duration(w.Int64N(20*86_400)) * time.Second)
		case w.IntN(2) == 0:
			r.Position = w.Int64N(9)
		}
		states = append(states, r)
	}
	return states
}

// told are the measures that days counts.
var told = []metric.Metric{
	metric.Loans, metric.Returns, metric.Previews, metric.ReadingSeconds, metric.Renewals, metric.Reservations,
	metric.ReservationsConverted, metric.ConvertedThatDay,
}

// days counts what happened on each day on which a reader did something, or a loan or a reservation ended.
func (w *world) days() map[calendar.Date]metric.Measures {
	days := map[calendar.Date]metric.Measures{}
	add := func(day calendar.Date, m metric.Metric, n int64) {
		sums := days[day]
		sums[m] += n
		days[day] = sums
	}
	for _, e := range w.events {
		switch e.Kind {
		case libraries.SessionEvent:
			add(e.Day, metric.ReadingSeconds, e.Seconds)
		case libraries.PreviewEvent:
			add(e.Day, metric.Previews, 1)
		case libraries.RenewalEvent:
			add(e.Day, metric.Renewals, 1)
		default:
			add(e.Day, metric.Loans, 0)
		}
	}
	for _, states := range w.loans {
		l := last(states)
		if add(l.Day(), metric.Loans, 1); l.Status.Ended() {
			add(calendar.Day(l.Returned), metric.Returns, 1)
		}
	}
	for _, states := range w.reservations {
		r := last(states)
		if add(r.Day(), metric.Reservations, 1); r.Status == libraries.Converted {
			add(r.Day(), metric.ReservationsConverted, 1)
			add(calendar.Day(r.Resolved), metric.ConvertedThatDay, 1)
		}
		if r.Status.Resolved() {
			add(calendar.Day(r.Resolved), metric.Reservations, 0)
		}
	}
	return days
}

// whole is the feed that says everything, as it is in the end.
func (w *world) whole() feed {
	f := feed{events: w.events, requests: w.requests}
	for _, rows := range w.readers {
		f.readers = append(f.readers, last(rows))
	}
	for _, states := range w.loans {
		f.loans = append(f.loans, last(states))
	}
	for _, states := range w.reservations {
		f.reservations = append(f.reservations, last(states))
	}
	return f
}

func last[T any](list []T) T { return list[len(list)-1] }

// pieces are n feeds, n being at least 2, that together say what the whole does: each event and request in one of them, some
// in more, and loans and reservations in each, as they were then. All readers are in the first, with rows that the later
// ones replace, or bring again when they are out of date.
func (w *world) pieces(n int) []feed {
	fs := make([]feed, n)
	for _, e := range w.events {
		w.deal(n, func(i int) { fs[i].events = append(fs[i].events, e) })
	}
	for _, r := range w.requests {
		w.deal(n, func(i int) { fs[i].requests = append(fs[i].requests, r) })
	}
	for i := range fs {
		for _, rows := range w.readers {
			row := rows[w.IntN(len(rows))]
			if i == n-2 {
				row = last(rows) // any that follows is out of date
			}
			fs[i].readers = append(fs[i].readers, row)
		}
		for _, states := range w.loans {
			fs[i].loans = append(fs[i].loans, stateIn(states, i, n))
		}
		for _, states := range w.reservations {
			fs[i].reservations = append(fs[i].reservations, stateIn(states, i, n))
		}
		w.Shuffle(len(fs[i].loans), func(a, b int) { fs[i].loans[a], fs[i].loans[b] = fs[i].loans[b], fs[i].loans[a] })
		w.Shuffle(len(fs[i].events), func(a, b int) { fs[i].events[a], fs[i].events[b] = fs[i].events[b], fs[i].events[a] })
	}
	slices.Reverse(fs[0].requests)
	return fs
}

// deal calls f with one of n, and sometimes with a second.
func (w *world) deal(n int, f func(i int)) {
	i := w.IntN(n)
	f(i)
	if w.IntN(4) == 0 {
		f((i + w.IntN(n)) % n)
	}
}

// stateIn returns the state that the feed of a number has: the last feed has the last.
func stateIn[T any](states []T, i, n int) T {
	if i == n-1 {
		return last(states)
	}
	return states[i*len(states)/n]
}
