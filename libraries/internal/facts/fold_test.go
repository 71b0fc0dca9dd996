package facts_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// foldWorld is all that feeds will ever say of a few readers: each event, and each loan and reservation as it is one time
// after the other.
type foldWorld struct {
	random       *rand.Rand
	events       []facts.Event
	loans        [][]libraries.Loan
	reservations [][]libraries.Reservation
	requests     []libraries.Request
}

// Readers on both sides of the groups of 128 and the blocks of 1024, and some that share a part without being neighbours.
var foldReaders = []int64{0, 127, 128, 1023, 1024, 262_144, 262_145}

// moment is an instant of 12 days, of which two blocks of seen events have a part.
func (w *foldWorld) moment() time.Time {
	return libraries.HistoryStart.Start().Add(time.Duration(w.random.Int64N(12*24*3600*1_000_000)) * time.Microsecond)
}

func (w *foldWorld) reader() int64 { return foldReaders[w.random.IntN(len(foldReaders))] }

func (w *foldWorld) book() int64 { return 1 + w.random.Int64N(3)*200 }

func newFoldWorld(seed uint64) *foldWorld {
	w := &foldWorld{random: rand.New(rand.NewPCG(seed, 7))}
	ids := map[facts.EventID]bool{}
	for range w.random.IntN(60) {
		if e := w.event(); !ids[e.ID] {
			ids[e.ID] = true
			w.events = append(w.events, e)
		}
	}
	for id := range w.random.Int64N(9) {
		w.loans = append(w.loans, w.loan(id))
	}
	for id := range w.random.Int64N(9) {
		w.reservations = append(w.reservations, w.reservation(id))
	}
	for id := range w.random.Int64N(4) {
		w.requests = append(w.requests, libraries.Request{ID: id, Reader: w.reader(), Title: "a", Requested: w.moment(), Availability: libraries.NotFound})
	}
	return w
}

// event returns one of few identifiers, which other readers, days and resources have too.
func (w *foldWorld) event() facts.Event {
	at := w.moment()
	e := facts.Event{Reader: w.reader(), Day: calendar.Day(at), Second: libraries.Second(at)}
	id := []byte{'0' + byte(w.random.IntN(4))}
	switch w.random.IntN(6) {
	case 0:
		e.Kind, e.ID = libraries.ActivityEvent, facts.NewEventID(facts.ActivityResource, id, e.Reader, e.Day)
	case 1:
		e.Kind, e.Book, e.ID = libraries.PreviewEvent, w.book(), facts.NewEventID(facts.PreviewResource, id, e.Reader, e.Day)
	case 2:
		e.Kind, e.Book, e.ID = libraries.RenewalEvent, w.book(), facts.NewEventID(facts.RenewalResource, id, e.Reader, e.Day)
	default:
		e.Kind, e.Book, e.ID = libraries.SessionEvent, w.book(), facts.NewEventID(facts.SessionResource, id, e.Reader, e.Day)
		e.Seconds = w.random.Int64N(3) * 100
		e.Progress = []libraries.Progress{0, 9_999, 10_000, 49_999, 50_000, 100_000}[w.random.IntN(6)]
		e.Mode, e.Format = libraries.Mode(1+w.random.IntN(2)), libraries.Format(1+w.random.IntN(2))
	}
	return e
}

// loan returns a loan as it is one time after the other: a status may change into any other.
func (w *foldWorld) loan(id int64) []libraries.Loan {
	l := libraries.Loan{ID: id, Reader: w.reader(), Book: w.book(), Borrowed: w.moment().Truncate(time.Microsecond)}
	var states []libraries.Loan
	for range 1 + w.random.IntN(4) {
		l.Status, l.Returned = libraries.LoanStatus(1+w.random.IntN(3)), time.Time{}
		if l.Status.Ended() {
			l.Returned = l.Borrowed.Add(time.Duration(w.random.Int64N(72*3600)) * time.Second)
		}
		states = append(states, l)
	}
	return states
}

func (w *foldWorld) reservation(id int64) []libraries.Reservation {
	r := libraries.Reservation{ID: id, Reader: w.reader(), Book: w.book(), Reserved: w.moment()}
	var states []libraries.Reservation
	for range 1 + w.random.IntN(4) {
		r.Status, r.Resolved, r.Position = libraries.ReservationStatus(1+w.random.IntN(5)), time.Time{}, libraries.None
		if r.Status.Resolved() {
			r.Resolved = r.Reserved.Add(time.Duration(w.random.Int64N(72*3600)) * time.Second)
		}
		states = append(states, r)
	}
	return states
}

func newFoldFacts() *foldFacts {
	return &foldFacts{
		events: map[facts.EventID]facts.Event{}, loans: map[int64]libraries.Loan{},
		reservations: map[int64]libraries.Reservation{}, requests: map[int64]libraries.Request{},
	}
}

// feed puts some of the world into a sorter and into the facts: all that is left of it, or about half, events in any order and
// some of them once more. It returns how many events and requests it has, and how many of them are new.
func (w *foldWorld) feed(t *testing.T, known *foldFacts, all bool) (sorter *intake.Sorter, rows, fresh int) {
	sorter = &intake.Sorter{}
	sorter.Dir, sorter.Limit = t.TempDir(), 1+w.random.IntN(2000) // some spill to files
	some := func() bool { return all || w.random.IntN(2) == 0 }
	before := len(known.events) + len(known.requests)
	for _, i := range w.random.Perm(len(w.events)) {
		for times := 1; some() && times < 3; times++ {
			noError(t, sorter.AddEvent(w.events[i]))
			known.events[w.events[i].ID] = w.events[i]
			rows++
		}
	}
	for _, r := range w.requests {
		if some() {
			noError(t, sorter.AddRequest(r))
			known.requests[r.ID] = r
			rows++
		}
	}
	w.feedRegisters(t, sorter, known, all, some)
	return sorter, rows, len(known.events) + len(known.requests) - before
}

// feedRegisters puts loans and reservations into the sorter as they are now, or will be later.
func (w *foldWorld) feedRegisters(t *testing.T, sorter *intake.Sorter, known *foldFacts, all bool, some func() bool) {
	for id, states := range w.loans {
		if !some() {
			continue
		}
		c := facts.LoanChange{Now: states[w.random.IntN(len(states))]}
		if all {
			c.Now = states[len(states)-1]
		}
		if was, found := known.loans[int64(id)]; found {
			c.Was = &was
		}
		noError(t, sorter.AddLoan(c))
		known.loans[int64(id)] = c.Now
	}
	for id, states := range w.reservations {
		if !some() {
			continue
		}
		c := facts.ReservationChange{Now: states[w.random.IntN(len(states))]}
		if all {
			c.Now = states[len(states)-1]
		}
		if was, found := known.reservations[int64(id)]; found {
			c.Was = &was
		}
		noError(t, sorter.AddReservation(c))
		known.reservations[int64(id)] = c.Now
	}
}

// TestPastFold loads worlds in pieces: after each piece the stored forms say what follows from all facts so far; and in the end
// they are the same bytes as those of one load of everything.
func TestPastFold(t *testing.T) {
	worlds := uint64(300)
	if testing.Short() {
		worlds = 60
	}
	for seed := range worlds {
		w := newFoldWorld(seed)
		known, store := newFoldFacts(), newFoldStore()
		pieces := w.random.IntN(5)
		for piece := range pieces + 1 {
			sorter, rows, want := w.feed(t, known, piece == pieces)
			fresh, repeated, err := store.load(sorter)
			noError(t, err)
			noError(t, sorter.Close())
			if fresh != want || fresh+repeated != rows {
				t.Fatalf("world %d, piece %d: %d new and %d repeated, want %d of %d", seed, piece, fresh, repeated, want, rows)
			}
			if diff := store.view(t).differ(known.view()); diff != "" {
				t.Fatalf("world %d, piece %d of %d: %s", seed, piece, pieces, diff)
			}
		}
		once := newFoldStore()
		sorter, _, _ := w.feed(t, newFoldFacts(), true)
		_, _, err := once.load(sorter)
		noError(t, err)
		if !once.same(store) {
			t.Fatalf("world %d: one load of everything is not the same as %d pieces", seed, pieces+1)
		}
	}
}

// foldOne folds deliveries of reader 1, one after the other.
func foldOne(t *testing.T, deliveries ...facts.ReaderFeed) *foldStore {
	t.Helper()
	s := newFoldStore()
	for _, d := range deliveries {
		d.Reader = 1
		seen, err := s.seenOf([]facts.ReaderFeed{d})
		noError(t, err)
		if seen == nil {
			seen = map[facts.EventSetKey]*facts.EventSet{}
		}
		c, err := s.fold(seen, d)
		noError(t, err)
		for _, delta := range c.Days {
			noError(t, s.add(delta.Day, facts.AppendDayDelta(nil, delta)))
		}
		noError(t, s.count(c.Counts))
	}
	return s
}

// at returns an instant of August 2026 in Brasilia, such as "03 14:30:00".
func at(text string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", "2026-08-"+text, calendar.Brasilia())
	if err != nil {
		panic(err)
	}
	return t
}

// sessionAt returns a session of title 10 by reader 1.
func sessionAt(when string, progress libraries.Progress) facts.Event {
	day := calendar.Day(at(when))
	return facts.Event{
		Kind: libraries.SessionEvent, ID: facts.NewEventID(facts.SessionResource, []byte(when), 1, day), Reader: 1, Book: 10,
		Day: day, Second: libraries.Second(at(when)), Seconds: 60, Progress: progress, Mode: libraries.Online, Format: libraries.Ebook,
	}
}

// loanAt returns a loan of title 10 by reader 1; of an active one ended is empty.
func loanAt(borrowed string, status libraries.LoanStatus, ended string) libraries.Loan {
	l := libraries.Loan{ID: 1, Reader: 1, Book: 10, Borrowed: at(borrowed), Status: status}
	if ended != "" {
		l.Returned = at(ended)
	}
	return l
}

func TestFoldRules(t *testing.T) {
	sessions := func(events ...facts.Event) facts.ReaderFeed { return facts.ReaderFeed{Events: events} }
	lent := func(l libraries.Loan, was ...libraries.Loan) facts.ReaderFeed {
		c := facts.LoanChange{Now: l}
		if len(was) > 0 {
			c.Was = &was[0]
		}
		return facts.ReaderFeed{Loans: []facts.LoanChange{c}}
	}
	active := loanAt("03 10:00:00", libraries.LoanActive, "")
	returned := loanAt("03 10:00:00", libraries.LoanReturned, "05 11:00:00")
	expired := loanAt("03 10:00:00", libraries.LoanExpired, "05 11:00:00")
	for _, test := range []struct {
		rule       string
		deliveries []facts.ReaderFeed
		want       string // rows of days with logins, loans, returns, readings10, readings50; events; then the counts
	}{
		{"9.999 percent is no reading", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 9_999))},
			"01: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"10 percent is a reading, without a loan not one of the stock", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 10_000))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"49.999 percent has not finished", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 49_999))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"50 percent has finished", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 50_000))},
			"01: 1 0 0 1 1 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a pair counts once, ever", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 50_000), sessionAt("02 10:00:00", 60_000))},
			"01: 1 0 0 1 1 events 1, 02: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a late session moves the crossing to its day", []facts.ReaderFeed{sessions(sessionAt("03 10:00:00", 55_000)), sessions(sessionAt("02 10:00:00", 12_000))},
			"02: 1 0 0 1 0 events 1, 03: 1 0 0 0 1 events 1; 0 readings, 0 active, 0 confirmed"},
		{"the same session again is none", []facts.ReaderFeed{sessions(sessionAt("01 10:00:00", 10_000), sessionAt("01 10:00:00", 10_000)), sessions(sessionAt("01 10:00:00", 50_000))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a day ends at midnight in Brasilia", []facts.ReaderFeed{sessions(sessionAt("01 23:59:59", 0), sessionAt("02 00:00:00", 0))},
			"01: 1 0 0 0 0 events 1, 02: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan made is activity", []facts.ReaderFeed{lent(active)},
			"03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a return by the reader is activity", []facts.ReaderFeed{lent(returned)},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"an expiry is a return without a login", []facts.ReaderFeed{lent(expired)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 0 confirmed"},
		{"a return that becomes an expiry takes its login back", []facts.ReaderFeed{lent(returned), lent(expired, returned)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 0 confirmed"},
		{"a return that is taken back", []facts.ReaderFeed{lent(active), lent(returned, active), lent(active, returned)},
			"03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a return of another day", []facts.ReaderFeed{lent(returned), lent(loanAt("03 10:00:00", libraries.LoanReturned, "06 00:00:00"), returned)},
			"03: 1 1 0 0 0 events 1, 06: 1 0 1 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a session of the loan's day confirms it", []facts.ReaderFeed{lent(active), sessions(sessionAt("03 09:00:00", 9_999))},
			"03: 1 1 0 0 0 events 2; 0 readings, 1 active, 1 confirmed"},
		{"a session of the day before does not confirm it", []facts.ReaderFeed{lent(active), sessions(sessionAt("02 23:59:59", 9_999))},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a loan stays confirmed when it has ended", []facts.ReaderFeed{sessions(sessionAt("03 09:00:00", 0)), lent(active), lent(expired, active)},
			"03: 1 1 0 0 0 events 2, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 1 confirmed"},
		{"a session of the return's day confirms it, after the return too", []facts.ReaderFeed{lent(returned), sessions(sessionAt("05 23:59:59", 0))},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 2; 0 readings, 0 active, 1 confirmed"},
		{"a session of the day after the return does not", []facts.ReaderFeed{lent(returned), sessions(sessionAt("06 00:00:00", 50_000))},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 1 1 events 1; 1 readings, 0 active, 0 confirmed"},
		{"a session of the day after the expiry does not", []facts.ReaderFeed{sessions(sessionAt("06 00:00:00", 0)), lent(expired)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan is confirmed no more when it ended before the session", []facts.ReaderFeed{lent(active), sessions(sessionAt("06 00:00:00", 0)), lent(returned, active)},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan is confirmed again when its end is taken back", []facts.ReaderFeed{lent(returned), sessions(sessionAt("06 00:00:00", 0)), lent(active, returned)},
			"03: 1 1 0 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 1 active, 1 confirmed"},
		{"sessions before a loan and after it do not confirm it", []facts.ReaderFeed{sessions(sessionAt("02 10:00:00", 0), sessionAt("06 10:00:00", 0)), lent(returned)},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"one between them that comes late does", []facts.ReaderFeed{sessions(sessionAt("02 10:00:00", 0), sessionAt("06 10:00:00", 0)), lent(returned), sessions(sessionAt("04 10:00:00", 0))},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1, 04: 1 0 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 1 confirmed"},
		{"10 percent and a loan of any time are a reading of the stock", []facts.ReaderFeed{sessions(sessionAt("01 09:00:00", 10_000)), lent(active)},
			"01: 1 0 0 1 0 events 1, 03: 1 1 0 0 0 events 1; 1 readings, 1 active, 0 confirmed"},
	} {
		if got := foldText(foldOne(t, test.deliveries...).view(t)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.rule, got, test.want)
		}
	}
}

// foldText shows what TestFoldRules is about.
func foldText(v foldView) string {
	text := ""
	for _, key := range slices.SortedFunc(maps.Keys(v.rows), func(a, b readerOn) int { return int(a.day - b.day) }) {
		m := v.rows[key]
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s: %d %d %d %d %d events %d", key.day.String()[8:], m[metric.Logins], m[metric.Loans], m[metric.Returns],
			m[metric.Readings10], m[metric.Readings50], v.logins[key].Events)
	}
	h := v.holdings.Of(10)
	return text + fmt.Sprintf("; %d readings, %d active, %d confirmed", h.Readings, h.ActiveLoans, h.Confirmed)
}

// TestFoldChangesNothing folds what does not change anything that is counted: no day and no title is to be written.
func TestFoldChangesNothing(t *testing.T) {
	was := loanAt("03 10:00:00", libraries.LoanReturned, "05 11:00:00")
	now := was
	due := calendar.Day(at("20 00:00:00"))
	now.Due, now.Returned = &due, was.Returned.Add(time.Millisecond)
	reserved := libraries.Reservation{ID: 3, Reader: 1, Book: 10, Reserved: at("02 00:00:00"), Status: libraries.Waiting, Position: 2}
	next := reserved
	next.Position = 1
	event := sessionAt("04 10:00:00", 10_000)
	past := facts.Past{Events: map[facts.EventSetKey]*facts.EventSet{}}
	first, err := past.Aggregate(facts.ReaderFeed{Reader: 1, Events: []facts.Event{event}})
	noError(t, err)
	past.Titles = first.Titles
	c, err := past.Aggregate(facts.ReaderFeed{
		Reader: 1, Events: []facts.Event{event}, Loans: []facts.LoanChange{{now, &was}},
		Reservations: []facts.ReservationChange{{next, &reserved}},
	})
	noError(t, err)
	if c.Titles != nil || len(c.Days)+len(c.Counts)+len(c.Events) > 0 || c.Loans != 0 || c.ActiveReservations != 0 || c.New != 0 || c.Repeated != 1 {
		t.Errorf("Fold of what is known = %+v, want no change and 1 repeated", c)
	}
}

func TestFoldErrors(t *testing.T) {
	loan, other := loanAt("03 10:00:00", libraries.LoanActive, ""), loanAt("03 10:00:01", libraries.LoanActive, "")
	book := loan
	book.Book = 11
	strange := sessionAt("01 10:00:00", 0)
	strange.Kind = libraries.LoanEvent
	reserved := libraries.Reservation{ID: 3, Reader: 1, Book: 10, Reserved: at("02 00:00:00"), Status: libraries.Waiting}
	later := reserved
	later.Reserved = at("02 00:00:01")
	for name, d := range map[string]facts.ReaderFeed{
		"an event of another reader":      {Reader: 2, Events: []facts.Event{sessionAt("01 10:00:00", 0)}},
		"a loan among the events":         {Reader: 1, Events: []facts.Event{strange}},
		"a loan of another reader":        {Reader: 2, Loans: []facts.LoanChange{{Now: loan}}},
		"a loan that begins later":        {Reader: 1, Loans: []facts.LoanChange{{other, &loan}}},
		"a loan of another title":         {Reader: 1, Loans: []facts.LoanChange{{book, &loan}}},
		"a loan that was never lent":      {Reader: 1, Loans: []facts.LoanChange{{loanAt("03 10:00:00", libraries.LoanExpired, "05 11:00:00"), &loan}}},
		"a reservation of another reader": {Reader: 2, Reservations: []facts.ReservationChange{{Now: reserved}}},
		"a reservation of another time":   {Reader: 1, Reservations: []facts.ReservationChange{{later, &reserved}}},
	} {
		if c, err := (facts.Past{Events: map[facts.EventSetKey]*facts.EventSet{}}).Aggregate(d); err == nil {
			t.Errorf("Fold of %s = %+v, want an error", name, c)
		}
	}
}
